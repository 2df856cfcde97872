"""Each figure of a run beside that of A."""

from dataclasses import replace

import numpy as np

from lnexplorer.domain.history import history_row
from lnexplorer.domain.pinned import FigureBeside, PinnedRun, figures_beside
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.simulation.prediction import default_model
from lnexplorer.gui.panes.history.columns import difference
from lnkernels.launch import Occupancy
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline
from tests.sample_results import make_correctness, make_resolved, make_result

RIGHT = make_correctness(64, 128)


def fact(name: str, registers: int, spilled: int = 0, share: float = 0.75) -> KernelFacts:
    full = Occupancy(programs_per_sm=6, limited_by="registers", share_of_warps=share)
    return KernelFacts(
        name=name,
        architecture="sm_90",
        grid=(64,),
        num_warps=4,
        registers=registers,
        spill_bytes=spilled,
        shared_bytes=0,
        occupancy=full,
        instructions=10 * registers,
    )


def run(factor: float = 1.0, *facts: KernelFacts, torch: float = 1.0) -> RunResult:
    """A run whose own kernels, and PyTorch's, take so many times as long."""
    result = make_result(4096, 1024, correctness=RIGHT)
    assert result.throughput is not None
    longer = {"locked": factor, "torch": torch}
    rng = np.random.default_rng(7)
    figures = []
    for each in result.throughput.figures:
        samples = each.p50_ms * longer.get(each.provider, 1.0) * rng.normal(1, 0.002, 60)
        ms = float(np.median(samples))
        gbps = each.gbps * each.p50_ms / ms
        figures.append(replace(each, samples_ms=samples, p50_ms=ms, gbps=gbps))
    throughput = replace(result.throughput, figures=tuple(figures))
    return replace(result, throughput=throughput, compiled=facts)


def traced(hold_ns: float, kind: Kind = Kind.MEASURED) -> ReductionTimeline:
    model = replace(default_model(make_resolved(64, 128), 32, 4), hold_ns=hold_ns)
    return replace(simulate(64, 128, 4, 32, 32, model), kind=kind)


def beside(
    a: PinnedRun | RunResult, b: PinnedRun | RunResult
) -> dict[tuple[str, str], FigureBeside]:
    runs = (each if isinstance(each, PinnedRun) else PinnedRun(each) for each in (a, b))
    return {(each.group, str(each.label)): each for each in figures_beside(*runs)}


def test_a_speed_has_its_difference_with_its_uncertainty() -> None:
    found = beside(run(), run(0.8))
    for label, change, better in (("GB/s", "+25.", True), ("time", "−20.", True)):
        each = found["forward", label]
        assert str(each.difference).startswith(change)
        assert " % ± " in str(each.difference)
        assert each.better is better
    assert found["backward", "share"].difference == found["backward", "GB/s"].difference


def test_a_difference_within_noise_is_called_so_and_a_drift_is_taken_out() -> None:
    assert str(beside(run(), run(1.01))["forward", "GB/s"].difference) == "within noise"
    assert str(beside(run(), run(1.1, torch=1.1))["forward", "GB/s"].difference) == "within noise"
    assert str(beside(run(), run(1.1))["forward", "GB/s"].difference).startswith("−")


def test_the_history_tells_the_same_difference() -> None:
    a = run()
    changed = (run(1.1), run(1.1, torch=1.1), run(0.8, torch=0.9))
    for b in changed:
        row, before = (history_row(number, "", each) for number, each in enumerate((b, a)))
        for direction in ("forward", "backward"):
            told = beside(a, b)[direction, "GB/s"].difference
            assert str(difference(direction, row, before)[0]) == str(told)
    assert b.throughput is not None
    figures = (replace(each, settled=False) for each in b.throughput.figures)
    restless = replace(b, throughput=replace(b.throughput, figures=tuple(figures)))
    assert difference("forward", history_row(2, "", restless), before)[0] == "–"


def test_what_is_no_sample_differs_by_its_own_unit() -> None:
    one = run(1.0, fact("forward", 40), fact("backward_stage1", 96, 16, 0.25))
    other = run(1.0, fact("forward", 40), fact("backward_stage1", 40, 0, 0.75))
    found = beside(one, other)
    texts = {key: str(each.difference) for key, each in found.items()}
    assert texts["forward", "registers"] == "±0"
    assert texts["backward_stage1", "registers"] == "−56"
    assert texts["backward_stage1", "spills"] == "−16 B"
    assert texts["backward_stage1", "instructions"] == "−560"
    assert texts["backward_stage1", "occupancy"] == "+50 %"
    assert found["backward_stage1", "occupancy"].better
    assert found["backward_stage1", "registers"].better
    assert texts["error", "dw"] == "±0"


def test_queues_are_those_of_traces_that_happened() -> None:
    one, other = PinnedRun(run(), traced(1000.0)), PinnedRun(run(), traced(2000.0))
    queued = beside(one, other)["backward", "queued"]
    assert str(queued.difference).startswith("+")
    assert queued.better is False
    model = PinnedRun(run(), traced(1000.0, Kind.SIMULATED))
    assert ("backward", "queued") not in beside(one, model)
    assert str(beside(model, other)["backward", "queued"].difference) == "–"


def test_a_wrong_run_has_no_speed_beside_it() -> None:
    other = make_result(4096, 1024, correctness=make_correctness(64, 128, failing=("dw",)))
    assert ("forward", "GB/s") not in beside(run(), other)
    found = beside(other, run())
    assert str(found["forward", "GB/s"].difference) == "–"


def test_a_pinned_run_says_its_setting_and_what_was_chosen() -> None:
    result = run()
    chosen = RunRequest.of(m=4096, n=1024, barrier=False, reduce_num_warps=4)
    launch = replace(result.resolved.launch, barrier=False)
    other = replace(result, request=chosen, resolved=replace(result.resolved, launch=launch))
    assert str(PinnedRun(other).setting).endswith("barrier off · num_warps (stage 2) 4")
    assert not PinnedRun(result).is_of(other)
    assert PinnedRun(result).is_of(replace(result, compiled=()))
