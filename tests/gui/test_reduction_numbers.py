import dataclasses

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFont

from lnexplorer.domain.ordered_sums import ordered_sums, rounding_losses
from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit.theme import DARK
from lnexplorer.gui.timeline import wording
from lnexplorer.gui.timeline.facts import agreement_text
from lnexplorer.gui.timeline.frame import cell_numbers
from lnexplorer.gui.timeline.number_frame import NumberFrame
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import TracedSums
from tests.domain.timelines import partial_rows, request, simulated
from tests.gui.scenes import painted, scene

pytestmark = pytest.mark.usefixtures("qapp")
LAUNCH = request(m=4, n=8, group_size_m=2)
NARROW = request(m=4, n=8, group_size_m=2, dtype="float16", partial_dtype="same")


@pytest.fixture
def timeline():
    return simulated(4, 8, 2, resident_programs=4)


@pytest.fixture
def numbers(timeline):
    return cell_numbers(timeline, partial_rows(), LAUNCH)


@pytest.fixture
def narrow(timeline):
    return cell_numbers(timeline, partial_rows(), NARROW)


def frame_of(timeline, numbers, width=1200, height=800, **changed):
    return NumberFrame(scene(timeline, width, height, numbers=numbers, **changed))


def row_of(timeline, lock, order):
    return int(np.flatnonzero((timeline.lock == lock) & (timeline.order == order))[0])


def in_hold(timeline, row, share=0.0):
    """The time so far in a row's hold of its lock."""
    held = int(timeline.held_ns[row])
    released = int(timeline.released_ns[row])
    return held + share * (released - held)


def recorded_sums_of(timeline, more=0.0):
    """The timeline as recorded with the sums of half precision, each so much more."""
    rows = partial_rows()
    right = ordered_sums(rows, timeline, "float16")
    after = {"dw_after": right.dw_after + np.float32(more), "db_after": right.db_after}
    sums = TracedSums(
        partial_dtype="float16", row_dw=rows.dw, row_db=rows.db, dw=right.dw, db=right.db, **after
    )
    return dataclasses.replace(timeline, kind=Kind.RECORDED, sums=sums), right


def values(cells):
    return [float(cell.replace("−", "-") or 0) for cell in cells]


def test_the_cells_hold_the_rows_the_buffers_and_the_sum(timeline, numbers):
    lines = frame_of(timeline, numbers).lines
    end = moment(timeline, timeline.end_ns)
    rows = numbers.rows
    for row in range(4):
        assert lines.row(row, end).cells == lines.numbers(rows.dw[row])
    for lock in range(2):
        line = lines.buffer(lock, end)
        assert values(line.cells) == pytest.approx(rows.dw[lock] + rows.dw[lock + 2], abs=6e-4)
        assert str(line.note) == "count 2"
    total, run = lines.results(end)
    assert total.cells == run.cells == lines.numbers(rows.dw_total)
    alone = NumberFrame(scene(timeline)).lines
    assert alone.buffer(1, end).cells[0] == "Σ 1, 3", "without numbers a buffer names its rows"


def test_a_buffer_shows_what_is_added_while_it_is_added(timeline, numbers):
    lines = frame_of(timeline, numbers, result="db").lines
    second = row_of(timeline, 0, 1)
    line = lines.buffer(0, moment(timeline, in_hold(timeline, second)))
    assert line.closed
    assert str(line.note) == f"row {second} adds"
    old, sign, new = line.cells[3].split()
    db = numbers.rows.db[:, 3]
    assert values([old]) == pytest.approx(db[[2 - second]], abs=6e-4)
    assert values([new if sign == "+" else f"-{new}"]) == pytest.approx(db[[second]], abs=6e-4)
    first = row_of(timeline, 1, 0)
    line = lines.buffer(1, moment(timeline, in_hold(timeline, first)))
    assert line.cells == lines.numbers(numbers.rows.db[first]), "it only stores"


def test_what_a_narrow_buffer_loses_is_shown_while_it_is_stored(timeline, numbers, narrow):
    row = row_of(timeline, 0, 1)
    sums = narrow.sums
    now = moment(timeline, in_hold(timeline, row, 0.8))
    line = frame_of(timeline, narrow).lines.buffer(0, now)
    exact = sums.dw_after[sums.previous[row]] + narrow.rows.dw[row]
    change = sums.dw_after[row].astype(np.float64) - exact
    assert np.abs(change).max() > 0
    assert values(line.lost) == pytest.approx(change, rel=0.5, abs=1e-12)
    assert line.note == "→ float16"
    assert all(len(cell.split("\n")) == 2 for cell in line.cells)
    lines = frame_of(timeline, numbers).lines
    line = lines.buffer(0, now)
    assert line.lost == (), "a wide one loses nothing that is shown"
    assert line.cells == lines.numbers(numbers.sums.dw_after[row])


def test_stored_numbers_are_shown_as_they_were_stored(timeline):
    recorded, right = recorded_sums_of(timeline, 0.5)  # as nobody would compute it
    numbers = cell_numbers(recorded, None, LAUNCH)
    assert numbers.stored
    assert not numbers.other_run
    assert numbers.buffer_dtype == "float16"
    np.testing.assert_array_equal(numbers.sums.previous, right.previous)
    lines = frame_of(recorded, numbers).lines
    last = row_of(timeline, 1, 1)
    cells = lines.buffer(1, moment(recorded, recorded.end_ns)).cells
    assert cells == lines.numbers(recorded.sums.dw_after[last])


def test_dw_of_another_run_is_not_called_that_of_the_run(timeline):
    recorded, right = recorded_sums_of(timeline)
    numbers = cell_numbers(recorded, partial_rows(), LAUNCH)
    assert numbers.other_run
    lines = frame_of(recorded, numbers).lines
    end = moment(recorded, recorded.end_ns)
    summed, other = lines.results(end)
    dw = lines.numbers(right.dw)
    assert summed.cells == dw
    assert str(other.label) == "dw, untraced"
    assert str(other.note) == "another run"
    agreement = agreement_text(numbers.sums, numbers.rows, LAUNCH, other_run=True)
    assert "without tracing" in str(agreement)
    _, own = frame_of(recorded, cell_numbers(recorded, None, LAUNCH)).lines.results(end)
    assert str(own.label) == "dw of the run"
    assert own.cells == dw


def test_numbers_that_are_not_finite_are_painted_and_no_loss(timeline, numbers):
    rows = partial_rows()
    rows.dw[1, :3] = rows.db[1, :3] = np.nan, np.inf, -np.inf
    frame = frame_of(timeline, cell_numbers(timeline, rows, LAUNCH))
    painted(frame, in_hold(timeline, 1, 0.8))
    assert frame.layout.digits == frame_of(timeline, numbers).layout.digits
    exact, stored = np.array([[7e4, np.nan, 1.0], [np.inf, np.nan, 1.0]], np.float32)
    assert rounding_losses(exact, stored) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("size", [(700, 420), (2400, 1300)])
def test_the_frame_with_losses_is_painted_in_every_size(timeline, narrow, size):
    frame = frame_of(timeline, narrow, *size, followed_lock=0)
    image = painted(frame, in_hold(timeline, 2, 0.8))
    assert (np.frombuffer(image.constBits(), np.uint32) == QColor(DARK.bad).rgb()).any()
    assert frame.layout.legible


def test_headings_without_room_are_cut_or_given_up_before_the_numbers(
    timeline, numbers, monkeypatch
):
    written = []
    monkeypatch.setattr(wording, "write_text", lambda *given: written.append(str(given[3])))
    painted(frame_of(timeline, numbers, 300, 420), 0.0)
    assert any(text.startswith("Stage 2: ") and text.endswith("…") for text in written)
    font = QFont()
    font.setPixelSize(24)
    low, high = (frame_of(timeline, numbers, 1160, size, font=font).layout for size in (506, 900))
    assert low.legible
    assert low.heading == 0
    assert high.heading
