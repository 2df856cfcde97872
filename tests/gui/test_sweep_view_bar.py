import itertools

from PySide6.QtWidgets import QWidget

from lnexplorer.gui.sweep.bars import ViewBar
from lnexplorer.gui.sweep.pane import SweepPane


def test_in_a_narrow_pane_the_list_of_quantities_gives_way_and_nothing_is_cut(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    bar = ViewBar(around)
    for part in (bar.mode, bar.overlays, bar.files):
        part.show()
    bar.resize(bar.sizeHint())
    around.show()
    shown = [widget for widget in (bar.quantity, bar.direction, bar.overlays, bar.files) if widget.isVisible()]
    assert len(shown) > 2
    pairs = list(itertools.combinations(shown, 2))
    roomy = bar.quantity.width()
    bar.resize(bar.width() - 20, bar.height())
    qtbot.waitUntil(lambda: bar.quantity.width() < roomy)
    assert len({widget.y() for widget in shown}) == 1
    for width in (2 * bar.width() // 3, bar.minimumSizeHint().width()):  # rows below each other
        bar.resize(width, 200)
        qtbot.waitUntil(lambda: all(widget.geometry().right() < bar.width() for widget in shown))
        qtbot.waitUntil(lambda: len({widget.y() for widget in shown}) > 1)
        qtbot.waitUntil(lambda: all(one.geometry().intersected(other.geometry()).isEmpty() for one, other in pairs))
    bar.resize(bar.sizeHint().width(), 200)
    qtbot.waitUntil(
        lambda: all(abs(widget.geometry().center().y() - bar.direction.geometry().center().y()) <= 4 for widget in shown)
    )


def test_before_there_is_a_sweep_only_what_can_be_chosen_takes_room(qtbot):
    bar = ViewBar()
    qtbot.addWidget(bar)
    hidden = [part.isHidden() for part in (bar.mode, bar.provider, bar.overlays, bar.files)]
    assert hidden == [True] * 4
    assert not bar.quantity.isHidden()


def test_how_long_a_sweep_still_takes_can_be_read_in_a_narrow_pane(qtbot):
    pane = SweepPane()
    qtbot.addWidget(pane)
    pane.resize(920, 560)
    pane.show()
    pane.set_state("running")
    pane.show_progress(12, 512, 130.0)
    pane.set_state("paused")
    pane.show_progress(13, 512, 130.0)
    assert pane.bar.said.text() == "13 of 512 · about 2 min left · paused"
    qtbot.waitUntil(lambda: pane.bar.said.width() >= pane.bar.said.fontMetrics().horizontalAdvance(pane.bar.said.text()))
    assert pane.bar.pause.isVisible()
    pane.show_end("cancelled", "", 30.0)
    qtbot.waitUntil(lambda: pane.bar.said.width() >= pane.bar.said.fontMetrics().horizontalAdvance(pane.bar.said.text()))
    assert pane.bar.kept.isVisible()
