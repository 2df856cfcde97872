import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from lnexplorer.domain.ordered_sums import ordered_sums, rounding_losses
from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit.theme import DARK
from lnexplorer.gui.timeline.colours import PictureColours
from lnexplorer.gui.timeline.facts import agreement_text
from lnexplorer.gui.timeline.frame import Scene, cell_numbers
from lnexplorer.gui.timeline.number_frame import NumberFrame
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import TracedSums
from tests.domain.timelines import request, simulated

pytestmark = pytest.mark.usefixtures("qapp")


def partial_rows(m=4, n=8):
    dw, db = np.random.default_rng(1).normal(size=(2, m, n)).astype(np.float32)
    return PartialRows(dw=dw, db=db, dw_total=dw.sum(0), db_total=db.sum(0))


def scene_of(timeline, numbers, **changed):
    return Scene(
        timeline=timeline,
        colours=PictureColours(DARK),
        size=QSizeF(1200, 800),
        font=QFont(),
        end_ns=timeline.end_ns * 1.01,
        numbers=numbers,
        **changed,
    )


@pytest.fixture
def timeline():
    return simulated(4, 8, 2, resident_programs=4)


def late_in_hold(timeline, row):
    return float(timeline.held_ns[row] + 0.8 * (timeline.released_ns[row] - timeline.held_ns[row]))


def test_what_a_narrow_buffer_loses_is_shown_while_it_is_stored(timeline):
    for dtype in ["float16", "bfloat16"]:
        numbers = cell_numbers(
            timeline,
            partial_rows(),
            request(m=4, n=8, group_size_m=2, dtype=dtype, partial_dtype="same"),
        )
        scene = scene_of(timeline, numbers)
        row = int(np.flatnonzero((timeline.lock == 0) & (timeline.order == 1))[0])
        now = moment(timeline, late_in_hold(timeline, row))
        line = NumberFrame(scene).lines.buffer(0, now)
        exact = numbers.sums.dw_after[numbers.sums.previous[row]] + numbers.rows.dw[row]
        change = numbers.sums.dw_after[row].astype(np.float64) - exact
        assert np.abs(change).max() > 0
        for text, lost in zip(line.lost, change, strict=True):
            assert float(text.replace("−", "-") or 0) == pytest.approx(lost, rel=0.5, abs=1e-12)
        assert line.note == f"→ {dtype}"
        assert all(len(cell.split("\n")) == 2 for cell in line.cells)


def test_a_wide_buffer_loses_nothing_that_is_shown(timeline):
    numbers = cell_numbers(timeline, partial_rows(), request(m=4, n=8, group_size_m=2))
    scene = scene_of(timeline, numbers)
    row = int(np.flatnonzero((timeline.lock == 0) & (timeline.order == 1))[0])
    now = moment(timeline, late_in_hold(timeline, row))
    frame = NumberFrame(scene)
    line = frame.lines.buffer(0, now)
    assert line.lost == ()
    assert line.cells == frame.lines.numbers(numbers.sums.dw_after[row])


def as_recorded(timeline, rows, sums):
    after = {"dw_after": sums.dw_after, "db_after": sums.db_after, "dw": sums.dw, "db": sums.db}
    traced = TracedSums(partial_dtype="float16", row_dw=rows.dw, row_db=rows.db, **after)
    return dataclasses.replace(timeline, kind=Kind.RECORDED, sums=traced)


def test_stored_numbers_are_shown_as_they_were_stored(timeline):
    rows = partial_rows()
    right = ordered_sums(rows, timeline, "float16")
    stored = dataclasses.replace(
        right, dw_after=right.dw_after + np.float32(0.5)
    )  # as nobody would compute it
    recorded = as_recorded(timeline, rows, stored)
    numbers = cell_numbers(recorded, None, request(m=4, n=8, group_size_m=2))
    assert numbers.stored
    assert not numbers.other_run
    assert numbers.buffer_dtype == "float16"
    np.testing.assert_array_equal(numbers.sums.previous, right.previous)
    frame = NumberFrame(scene_of(recorded, numbers))
    end = moment(recorded, recorded.end_ns)
    last = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 1))[0])
    assert frame.lines.buffer(1, end).cells == frame.lines.numbers(stored.dw_after[last])


def test_dw_of_another_run_is_not_called_that_of_the_run(timeline):
    rows = partial_rows()
    right = ordered_sums(rows, timeline, "float16")
    recorded = as_recorded(timeline, rows, right)
    asked = request(m=4, n=8, group_size_m=2)
    numbers = cell_numbers(recorded, rows, asked)
    assert numbers.other_run
    lines = NumberFrame(scene_of(recorded, numbers)).lines
    summed, other = lines.results(moment(recorded, recorded.end_ns))
    assert summed.cells == lines.numbers(right.dw)
    assert str(other.label) == "dw, untraced"
    assert "another run" in str(other.note)
    assert "without tracing" in str(
        agreement_text(numbers.sums, numbers.rows, asked, other_run=True)
    )
    (_, own) = NumberFrame(scene_of(recorded, cell_numbers(recorded, None, asked))).lines.results(
        moment(recorded, 0)
    )
    assert str(own.label) == "dw of the run"
    assert own.cells == lines.numbers(right.dw)


def test_what_is_not_finite_is_no_loss():
    exact = np.array([70000.0, np.nan, 1.0], np.float32)
    stored = np.array([np.inf, np.nan, 1.0], np.float32)
    assert rounding_losses(exact, stored) == [0.0, 0.0, 0.0]


def test_numbers_that_are_not_finite_are_painted(timeline):
    for bad in [np.nan, np.inf, -np.inf]:
        rows = partial_rows()
        for array in (rows.dw, rows.db):
            array[1, 2] = bad
        scene = scene_of(timeline, cell_numbers(timeline, rows, request(m=4, n=8, group_size_m=2)))
        image = QImage(1200, 800, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        NumberFrame(scene).paint(painter, moment(timeline, late_in_hold(timeline, 1)))
        painter.end()
        finite = NumberFrame(
            scene_of(
                timeline, cell_numbers(timeline, partial_rows(), request(m=4, n=8, group_size_m=2))
            )
        )
        assert NumberFrame(scene).layout.digits == finite.layout.digits


def test_the_frame_with_losses_is_painted_in_every_size(timeline):
    for size in [(700, 420), (1200, 800), (2400, 1300)]:
        numbers = cell_numbers(
            timeline,
            partial_rows(),
            request(m=4, n=8, group_size_m=2, dtype="float16", partial_dtype="same"),
        )
        scene = dataclasses.replace(
            scene_of(timeline, numbers, followed_lock=0), size=QSizeF(*size)
        )
        image = QImage(*size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        frame = NumberFrame(scene)
        frame.paint(painter, moment(timeline, late_in_hold(timeline, 2)))
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint32)
        assert (pixels == QColor(DARK.bad).rgb()).any()
        assert frame.legible


def test_large_type_on_a_low_page_gives_its_headings_up_before_its_numbers(timeline):
    numbers = cell_numbers(timeline, partial_rows(), request(m=4, n=8, group_size_m=2))
    font = QFont()
    font.setPixelSize(24)
    scene = dataclasses.replace(scene_of(timeline, numbers), size=QSizeF(1160, 506), font=font)
    frame = NumberFrame(scene)
    assert frame.legible
    assert frame.layout.heading == 0
    assert NumberFrame(dataclasses.replace(scene, size=QSizeF(1160, 900))).layout.heading
