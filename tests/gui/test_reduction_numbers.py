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


@pytest.fixture
def timeline():
    return simulated(4, 8, 2, resident_programs=4)


@pytest.fixture
def numbers(timeline):
    return cell_numbers(timeline, partial_rows(), LAUNCH)


def frame_of(timeline, numbers, width=1200, height=800, **changed):
    return NumberFrame(scene(timeline, width, height, numbers=numbers, **changed))


def row_of(timeline, lock, order):
    return int(np.flatnonzero((timeline.lock == lock) & (timeline.order == order))[0])


def late_in_hold(timeline, row):
    return float(timeline.held_ns[row] + 0.8 * (timeline.released_ns[row] - timeline.held_ns[row]))


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
    return [float(cell.replace("−", "-")) for cell in cells]


def test_the_cells_hold_the_rows_the_buffers_and_the_sum(timeline, numbers):
    lines, end = frame_of(timeline, numbers).lines, moment(timeline, timeline.end_ns)
    rows = numbers.rows
    for row in range(4):
        assert lines.row(row, end).cells == lines.numbers(rows.dw[row])
    for lock in range(2):
        line = lines.buffer(lock, end)
        expected = (rows.dw[lock] + rows.dw[lock + 2]).tolist()
        assert values(line.cells) == pytest.approx(expected, abs=6e-4)
        assert str(line.note) == "count 2"
    total, run = lines.results(end)
    assert total.cells == run.cells == lines.numbers(rows.dw_total)


def test_a_buffer_shows_what_is_added_while_it_is_added(timeline, numbers):
    lines, second = frame_of(timeline, numbers, result="db").lines, row_of(timeline, 0, 1)
    line = lines.buffer(0, moment(timeline, float(timeline.held_ns[second])))
    assert line.closed
    assert str(line.note) == f"row {second} adds"
    old, sign, new = line.cells[3].split()
    db = numbers.rows.db[:, 3]
    assert values([old]) == pytest.approx(db[[2 - second]], abs=6e-4)
    assert float(new) * (1 if sign == "+" else -1) == pytest.approx(db[second], abs=6e-4)
    first = row_of(timeline, 1, 0)
    line = lines.buffer(1, moment(timeline, float(timeline.held_ns[first])))
    assert line.cells == lines.numbers(numbers.rows.db[first]), "it only stores"


def test_without_numbers_a_buffer_names_its_rows(timeline):
    lines = NumberFrame(scene(timeline)).lines
    assert lines.buffer(1, moment(timeline, timeline.end_ns)).cells[0] == "Σ 1, 3"


def test_what_a_narrow_buffer_loses_is_shown_while_it_is_stored(timeline):
    launch = request(m=4, n=8, group_size_m=2, dtype="float16", partial_dtype="same")
    numbers, row = cell_numbers(timeline, partial_rows(), launch), row_of(timeline, 0, 1)
    now = moment(timeline, late_in_hold(timeline, row))
    line = frame_of(timeline, numbers).lines.buffer(0, now)
    exact = numbers.sums.dw_after[numbers.sums.previous[row]] + numbers.rows.dw[row]
    change = numbers.sums.dw_after[row].astype(np.float64) - exact
    assert np.abs(change).max() > 0
    lost = values(text or "0" for text in line.lost)
    assert lost == pytest.approx(change.tolist(), rel=0.5, abs=1e-12)
    assert line.note == "→ float16"
    assert all(len(cell.split("\n")) == 2 for cell in line.cells)


def test_a_wide_buffer_loses_nothing_that_is_shown(timeline, numbers):
    row, lines = row_of(timeline, 0, 1), frame_of(timeline, numbers).lines
    line = lines.buffer(0, moment(timeline, late_in_hold(timeline, row)))
    assert line.lost == ()
    assert line.cells == lines.numbers(numbers.sums.dw_after[row])


def test_stored_numbers_are_shown_as_they_were_stored(timeline):
    recorded, right = recorded_sums_of(timeline, 0.5)  # as nobody would compute it
    numbers = cell_numbers(recorded, None, LAUNCH)
    assert (numbers.stored, numbers.other_run, numbers.buffer_dtype) == (True, False, "float16")
    np.testing.assert_array_equal(numbers.sums.previous, right.previous)
    lines, last = frame_of(recorded, numbers).lines, row_of(timeline, 1, 1)
    cells = lines.buffer(1, moment(recorded, recorded.end_ns)).cells
    assert cells == lines.numbers(recorded.sums.dw_after[last])


def test_dw_of_another_run_is_not_called_that_of_the_run(timeline):
    recorded, right = recorded_sums_of(timeline)
    numbers = cell_numbers(recorded, partial_rows(), LAUNCH)
    assert numbers.other_run
    lines = frame_of(recorded, numbers).lines
    summed, other = lines.results(moment(recorded, recorded.end_ns))
    assert summed.cells == lines.numbers(right.dw)
    assert (str(other.label), str(other.note)) == ("dw, untraced", "another run")
    agreement = agreement_text(numbers.sums, numbers.rows, LAUNCH, other_run=True)
    assert "without tracing" in str(agreement)
    own_lines = frame_of(recorded, cell_numbers(recorded, None, LAUNCH)).lines
    (_, own) = own_lines.results(moment(recorded, 0))
    assert str(own.label) == "dw of the run"
    assert own.cells == lines.numbers(right.dw)


def test_what_is_not_finite_is_no_loss():
    exact = np.array([70000.0, np.nan, 1.0], np.float32)
    stored = np.array([np.inf, np.nan, 1.0], np.float32)
    assert rounding_losses(exact, stored) == [0.0, 0.0, 0.0]


def test_numbers_that_are_not_finite_are_painted(timeline, numbers):
    rows = partial_rows()
    rows.dw[1, :3] = rows.db[1, :3] = np.nan, np.inf, -np.inf
    frame = frame_of(timeline, cell_numbers(timeline, rows, LAUNCH))
    painted(frame, late_in_hold(timeline, 1))
    assert frame.layout.digits == frame_of(timeline, numbers).layout.digits


@pytest.mark.parametrize("size", [(700, 420), (2400, 1300)])
def test_the_frame_with_losses_is_painted_in_every_size(timeline, size):
    launch = request(m=4, n=8, group_size_m=2, dtype="float16", partial_dtype="same")
    numbers = cell_numbers(timeline, partial_rows(), launch)
    frame = frame_of(timeline, numbers, *size, followed_lock=0)
    image = painted(frame, late_in_hold(timeline, 2))
    assert (np.frombuffer(image.constBits(), np.uint32) == QColor(DARK.bad).rgb()).any()
    assert frame.layout.legible


def test_a_heading_without_room_is_cut_and_not_left_out(timeline, numbers, monkeypatch):
    written = []
    monkeypatch.setattr(wording, "write_text", lambda *given: written.append(given[3]))
    frame = frame_of(timeline, numbers, 300, 420)
    painted(frame, 0.0)
    assert any(str(text).startswith("Stage 2: ") and str(text).endswith("…") for text in written)


def test_large_type_on_a_low_page_gives_its_headings_up_before_its_numbers(timeline, numbers):
    font = QFont()
    font.setPixelSize(24)
    frame = frame_of(timeline, numbers, 1160, 506, font=font)
    assert frame.layout.legible
    assert frame.layout.heading == 0
    assert frame_of(timeline, numbers, 1160, 900, font=font).layout.heading
