from PySide6.QtWidgets import QWidget

from lnexplorer.domain.sweep.presets import TUTORIAL
from lnexplorer.gui.panes.sweep import SweepPane
from lnexplorer.gui.panes.sweep_parts.view_bar import ViewBar
from lnexplorer.gui.session.sweep_overlays import read_overlays
from lnexplorer.gui.theme import DARK
from lnexplorer.storage.resources import resource
from tests.gui.sample_sweeps import invented_rows


def test_in_a_narrow_pane_the_list_of_quantities_gives_way_and_nothing_is_cut(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    bar = ViewBar(around)
    for part in (bar.mode, bar.overlays, bar.files):
        part.show()
    bar.resize(bar.sizeHint())
    around.show()
    roomy = bar.quantity.width()
    bar.resize(bar.minimumSizeHint())
    assert bar.quantity.width() < roomy
    shown = [widget for widget in (bar.direction, bar.overlays, bar.files) if widget.isVisible()]
    assert shown
    assert all(widget.geometry().right() < bar.width() for widget in shown)


def test_before_there_is_a_sweep_the_pane_is_no_wider_than_with_one(qtbot):
    pane = SweepPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    empty = pane.minimumSizeHint().width()
    pane.set_overlays(read_overlays(resource("recordings")))
    pane.show_sweep(TUTORIAL.sweep)
    pane.add_rows(invented_rows(TUTORIAL.sweep))
    pane.picture.refresh()
    assert empty <= pane.minimumSizeHint().width()
