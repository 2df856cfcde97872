"""What is left of a batch whose measurement broke."""

from dataclasses import replace

from lnexplorer.domain.measuring import CandidateOutcome
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.table import row as table_row
from lnexplorer.engine.batches import batch_of, damage
from lnexplorer.engine.sources import Grid
from lnexplorer.protocol.messages import Broken, JobPart, decode_event, encode_message
from lnkernels.values.environment import Environment
from lnkernels.values.sentence import verbatim
from tests.domain.sweep.results import row
from tests.sample_results import make_device, make_environment

SWEEP = SweepRequest(base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(4, 8)),))


def states() -> tuple[Environment, Environment]:
    cool = replace(
        make_environment(), sm_clock_mhz=1980, temperature_c=40, power_w=120.0, throttle_reasons=()
    )
    return cool, replace(
        cool, sm_clock_mhz=1500, temperature_c=80, power_w=690.0, throttle_reasons=("power cap",)
    )


def test_a_row_that_survives_has_the_state_of_the_device_around_its_timing() -> None:
    cells = all_cells(SWEEP)
    batch = batch_of(cells, Grid(SWEEP), "cuda")
    timed = row(cells[0])
    told = CandidateOutcome(
        label=batch.request.labels[0],
        status="ok",
        setting=cells[0].request,
        errors=timed.errors,
        figures=timed.figures,
        around=states(),
    )
    event = decode_event(encode_message(JobPart(1, told)))
    assert isinstance(event, JobPart)
    batch.outcomes[event.part.label] = event.part
    rows, again = damage(
        batch, Broken("run", verbatim("The worker was killed."), ""), "cuda:0", make_device()
    )
    survivor, guilty = rows
    assert again == []
    assert (survivor.cell, survivor.status, guilty.status) == (cells[0], "ok", "failed")
    found = table_row(SWEEP, survivor)
    assert (found["sm_clock_mhz_before"], found["sm_clock_mhz_after"], found["power_w_after"]) == (
        1980,
        1500,
        690.0,
    )
    assert any("clock fell by 24 %" in str(note) for note in survivor.notes)
    assert guilty.before is None
    assert guilty.notes == ()
