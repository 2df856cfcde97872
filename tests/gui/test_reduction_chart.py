"""The chart below the lanes: programs at work over the whole time, with the playhead of the animation."""

import pytest
from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.moments import RowState, moment
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import simulate
from lnexplorer.gui.charts.theme import DARK, with_text
from lnexplorer.gui.reduction.painter.colours import PictureColours
from lnexplorer.gui.reduction.painter.frame import Scene
from lnexplorer.gui.reduction.painter.schedule_frame import ScheduleFrame
from lnexplorer.gui.reduction.painter.timeline_index import timeline_index
from lnexplorer.gui.reduction.player import Player
from lnexplorer.gui.reduction.transport import Transport

M, G = 2048, 32
RESIDENT = 1320


@pytest.fixture
def scene(qapp: QApplication) -> Scene:
    request = resolve(RunRequest.of(m=M, n=1024, group_size_m=G), "cuda")
    timeline = simulate(M, 1024, G, 32, 128, default_model(request, RESIDENT, 132))
    return Scene(
        index=timeline_index(timeline),
        colours=PictureColours(DARK),
        size=QSizeF(1000, 600),
        font=QApplication.font(),
        end_ns=float(timeline.end_ns),
    )


def painted(frame: ScheduleFrame, time_ns: float) -> QImage:
    image = QImage(1000, 600, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    frame.paint(painter, time_ns)
    painter.end()
    return image


def accent_columns(image: QImage, frame: ScheduleFrame) -> list[int]:
    """Where the playhead's line is in the chart: columns that are accent from top to bottom."""
    area, accent = frame._strip.programs, PictureColours(DARK).accent.rgb()
    rows = [round(area.top() + share * area.height()) for share in (0.1, 0.4, 0.7, 0.95)]
    return [x for x in range(1000) if all(image.pixel(x, y) == accent for y in rows)]


def test_a_click_in_the_chart_is_a_time_and_the_playhead_goes_there(scene: Scene) -> None:
    for share in [0.2, 0.5, 0.8]:
        frame = ScheduleFrame(scene, 1.0)
        area = frame._strip.programs
        x = area.left() + share * area.width()
        hit = frame.hit(QPointF(x, area.center().y()))
        assert hit.whole
        assert hit.time_ns == pytest.approx(share * scene.last_ns, rel=0.005)
        columns = accent_columns(painted(frame, hit.time_ns), frame)
        assert columns
        assert min(abs(column - x) for column in columns) <= 2


def test_the_chart_shows_all_of_the_time_when_the_lanes_are_zoomed(scene: Scene) -> None:
    frame = ScheduleFrame(scene, 1.0)
    area = frame._strip.programs
    at = QPointF(area.left() + 0.75 * area.width(), area.center().y())
    before = frame.hit(at).time_ns
    frame.stretch(0.4 * scene.end_ns, 0.5 * scene.end_ns)
    assert frame.hit(at).time_ns == before
    assert frame.hit(QPointF(at.x(), frame._strip.lanes.center().y())).time_ns == pytest.approx(0.475 * scene.end_ns, rel=0.01)


def test_its_full_height_is_the_most_programs_at_once(scene: Scene) -> None:
    frame = ScheduleFrame(scene, 1.0)
    working = (RowState.COMPUTING, RowState.WAITING, RowState.HOLDING)
    moments = [moment(scene.timeline, scene.end_ns * share / 200) for share in range(200)]
    assert frame._strip.most == max(sum(now.count(state) for state in working) for now in moments)
    assert frame._strip.most <= RESIDENT


def test_the_buttons_that_save_give_way_to_one_where_it_is_narrow(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    transport = Transport(Player())
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(transport)
    holder.show()
    narrow = with_text(960) - 1
    for width in (narrow + 100, narrow, narrow + 1):
        holder.resize(width, 60)
        qtbot.waitUntil(lambda width=width: transport.width() == width)  # type: ignore[misc]
        assert transport.moment.isVisible() == (width > narrow)
        assert transport.film.isVisible() == (width > narrow)
        assert transport.more.isVisible() == (width == narrow)
