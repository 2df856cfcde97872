"""A sweep over the real worker, on the interpreter: what hangs or crashes there is really ended."""

from pathlib import Path

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.engine.sweep import SweepRunner
from lnkernels.values.environment import Kind
from tests.engine.bench import DEADLINES, FAULTY_WORKER
from tests.engine.sweep.hearing import Hearing

SWEEP = SweepRequest(base=RunRequest(m=8, n=16), axes=(Axis(name="group_size_m", values=(1, 2, 4)),), providers=("torch",))


def test_a_lock_that_is_never_given_back_costs_its_own_row_and_nothing_else(fault_file: Path) -> None:
    fault_file.write_text("leave-a-lock-taken:run")
    hearing = Hearing()
    runner = SweepRunner(SWEEP, hearing, devices=("interpreter",), step_seconds=4, command=FAULTY_WORKER, deadlines=DEADLINES)
    runner.start()
    assert hearing.end().how == "finished"
    assert runner.join(10)
    by_number = {row.cell.number: row for row in hearing.rows()}
    assert sorted(by_number) == [0, 1, 2, 3]
    first, *others = [by_number[event.result.cell.number] for event in hearing.events if hasattr(event, "result")]
    assert (first.cell.number, first.status) == (0, "timed_out")
    assert "took longer than 4 s for one step of the run" in str(first.reason)
    for row in others:
        assert (row.status, row.reason, row.kind, row.figures) == ("ok", None, Kind.INTERPRETED, ())
        assert {error.name for error in row.errors} == {"y", "dx", "dw", "db"}
        assert all(error.passed for error in row.errors)
