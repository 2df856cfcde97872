"""Settings one step away, what is said of them, and what limits a launch."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.comparison import Interval, gain_text
from lnexplorer.domain.experiments.catalogue import check_experiment
from lnexplorer.domain.experiments.experiment import Change, ExperimentRequest, Step
from lnexplorer.domain.experiments.neighbours import (
    UNKNOWN,
    Limit,
    Neighbour,
    Neighbours,
    changes_beside,
    kernel_changes,
    limits_of,
    taken,
    values_beside,
)
from lnexplorer.domain.request import RunRequest, plan_run, resolve, written_out
from lnexplorer.domain.timeline import summarize
from lnexplorer.store.recordings import read_experiment
from lnexplorer.store.resources import resource
from lnkernels.launch import limits_for_architecture
from lnkernels.launch.limits import Occupancy
from lnkernels.launch.settings import SETTING
from lnkernels.launch.source import KernelSource, SettingValue
from lnkernels.values.compiled import KernelFacts
from tests.domain.timelines import simulated
from tests.sample_experiments import sample
from tests.sample_results import figure_of

LIMITS = limits_for_architecture("sm_90")


@pytest.mark.parametrize(
    ("name", "value", "beside"),
    [
        ("num_warps", 8, [4, 16]),
        ("num_warps", 32, [16]),
        ("num_stages", 1, [2]),
        ("group_size_m", 96, [48, 192]),
        ("slices", 8, [7, 9]),
        ("partial_dtype", "float32", ["same"]),
        ("forward_held", True, [False]),
    ],
)
def test_a_value_has_the_values_one_step_away(
    name: str, value: SettingValue, beside: list[SettingValue]
) -> None:
    assert values_beside(SETTING[name], value) == beside


def changes(request: RunRequest) -> list[Change]:
    launch = plan_run(request, "cuda", LIMITS).resolved.launch
    return changes_beside(whole(request), launch, "cuda", LIMITS)


def whole(request: RunRequest) -> ExperimentRequest:
    """Ask for what is beside a request with all settings written out."""
    resolved = plan_run(request, "cuda", LIMITS).resolved
    return ExperimentRequest(name="neighbours", problem=written_out(request, resolved))


@pytest.mark.parametrize(
    "request_",
    [
        RunRequest(),
        RunRequest.of(m=4096, n=1000, strategy="atomic", dtype="float32"),
        RunRequest.of(m=4096, n=65536, strategy="split"),
        RunRequest(m=64, n=512, norm="rms_norm"),
    ],
)
def test_every_change_is_possible_and_changes_one_setting_alone(request_: RunRequest) -> None:
    resolved = plan_run(request_, "cuda", LIMITS).resolved
    asked = whole(request_)
    found = changes(request_)
    assert len({str(change.text) for change in found}) == len(found) >= 10
    named = {change.name for change in found}
    assert not {"barrier", "atomic_count"} & named, "no race"
    assert resolved.dtype != "float32" or "partial_dtype" not in named, "the same kernel"
    for change in found:
        plan = plan_run(asked.changed(change).problem, "cuda", LIMITS)
        assert not plan.problems
        assert (plan.resolved.m, plan.resolved.n) == (resolved.m, resolved.n)
        if change.name != "strategy":
            before, after = asked.problem.flat(), plan.request.flat()
            assert {name for name in before if before[name] != after[name]} == {change.name}


def test_a_kernel_of_ones_own_has_the_values_beside_the_present_ones() -> None:
    kernel = KernelSource(
        name="mine",
        place="/mine.py",
        settings=(("block", 1024), ("fast", True), ("rows", 1)),
        offered=(("block", (512, 1024, 2048, 4096)), ("fast", (True, False)), ("rows", (1, 2))),
    )
    assert [str(change.text) for change in kernel_changes(kernel)] == [
        "block 1024 → 512",
        "block 1024 → 2048",
        "fast on → off",
        "rows 1 → 2",
    ]


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        (Interval(1.054, 1.061, 1.068), "6.1 % faster (5.4 to 6.8)"),
        (Interval(0.953, 0.962, 0.971), "3.8 % slower (2.9 to 4.7)"),
        (Interval(0.997, 1.001, 1.004), "no difference (−0.3 to 0.4 %)"),
        (UNKNOWN, "too few times"),
    ],
)
def test_a_difference_is_told_with_its_interval(gain: Interval, said: str) -> None:
    assert str(gain_text(gain)) == said


def test_what_is_faster_can_be_taken_and_the_path_is_kept() -> None:
    result = sample("neighbours")
    (step,) = result.findings.steps()
    assert str(step.text) == "num_warps 8 → 4: 6.1 % faster (5.4 to 6.8)"
    request = taken(result, step, None)
    assert request is not None
    assert request.problem.launch.num_warps == 4
    assert request.problem.launch.group_size_m == result.resolved.launch.group_size_m
    assert request.path == (Step(Change("num_warps", 8, 4), Interval(1.054, 1.061, 1.068)),)
    assert check_experiment(request, "cuda") == []
    again = replace(result, request=request)
    assert "The path so far: num_warps 8 → 4: 6.1 % faster (5.4 to 6.8)." in again.seen()
    further = taken(again, step, None)
    assert further is not None
    assert len(further.path) == 2


def test_a_step_of_ones_own_kernel_goes_into_its_settings() -> None:
    result = sample("neighbours")
    (step,) = result.findings.steps()
    result = replace(result, findings=replace(result.findings_of(Neighbours), kernel="mine"))
    kernel = KernelSource(name="mine", place="/mine.py", settings=(("num_warps", 8), ("b", 1)))
    request = taken(result, step, kernel)
    assert request is not None
    assert request.problem == result.request.problem
    assert request.kernel is not None
    assert request.kernel.name == "mine"
    assert request.kernel.settings == (("num_warps", 4), ("b", 1))
    assert taken(result, step, None) is None
    assert taken(result, step, replace(kernel, name="other")) is None


def test_the_shipped_recording_has_the_steps_of_today() -> None:
    result = read_experiment(resource("recordings/h200_neighbours.lnexperiment"))
    steps = changes(written_out(result.request.problem, result.resolved))
    assert [row.change for row in result.findings_of(Neighbours).rows] == steps


def test_a_small_gain_is_not_taken() -> None:
    change = Change("num_warps", 8, 4)

    def row(*gain: float, right: bool = True) -> Neighbour:
        return Neighbour(change=change, rounds=30, gain=Interval(*gain), right=right, reason=None)

    assert not row(1.001, 1.004, 1.008).is_faster
    assert not row(0.999, 1.02, 1.05).is_faster
    assert not row(1.1, 1.2, 1.3, right=False).is_faster
    assert row(1.002, 1.006, 1.01).is_faster


def test_where_nothing_is_faster_or_timed_it_says_so() -> None:
    result = sample("neighbours")
    slower = replace(result.findings_of(Neighbours), rows=result.findings_of(Neighbours).rows[1:])
    assert (
        "No setting one step away is known to be faster." in replace(result, findings=slower).seen()
    )
    checked = sample("neighbours", gpu=False)
    assert checked.seen().startswith(
        "Settings one step away that were checked: 5; wrong or failed: 1."
    )
    assert "times mean nothing" in checked.seen()
    assert checked.findings.steps() == []
    assert checked.charts() == (), "the table has the verdicts"
    assert {str(row[1]) for row in checked.table()[2:]} == {"within tolerance", "no time"}


def test_files_name_no_code_and_no_unknown_setting() -> None:
    result = sample("neighbours")
    assert list(result.findings.faults(result)) == []
    kernel = KernelSource(name="mine", place="/mine.py")
    named = replace(result, request=replace(result.request, kernel=kernel))
    assert len(list(named.findings.faults(named))) == 1
    row = Neighbour(change=Change("launch", 1, 2), right=True, reason=None)
    odd = replace(result, findings=Neighbours(rows=(row,)))
    assert len(list(odd.findings.faults(odd))) == 1


FIGURES = [
    figure_of(np.full(30, ms), 1.0, "locked", direction, share=share)
    for direction, ms, share in (("forward", 0.1, 0.8), ("backward", 0.3, 0.4))
]


def parts(found: tuple[Limit, ...]) -> dict[str, float | None]:
    return {str(limit.name): limit.share for limit in found}


def test_bytes_have_the_share_of_the_ceilings_in_the_time_of_both_passes() -> None:
    found = limits_of(resolve(RunRequest(), "cuda"), FIGURES, (), None)
    assert list(parts(found).values()) == [pytest.approx(0.5)]  # 0.2 of 0.4 ms
    assert limits_of(resolve(RunRequest(), "cuda"), (), (), None) == ()


def test_a_trace_tells_queue_tries_stage_2_and_the_last_wave() -> None:
    """All that a simulated trace of known times has, as shares of three quarters of the time."""
    locked = replace(simulated(20, 256, 2), tries=np.repeat(np.array([1, 2], np.int32), 10))
    summary = summarize(locked)
    found = parts(limits_of(resolve(RunRequest(), "cuda"), FIGURES, (), locked))
    backward = 0.75 / locked.end_ns
    queue = found.pop("waiting for locks that others hold, or for sums of others")
    assert queue == pytest.approx(summary.share_queued * summary.stage1_ns * backward)
    tries = found.pop("trying free locks, 1.50 tries a row")
    assert tries == pytest.approx(summary.share_trying * summary.stage1_ns * backward)
    stage2 = found.pop("stage 2 and its launch")
    assert stage2 == pytest.approx((summary.gap_ns + summary.stage2_ns) * backward)
    last = int(locked.start_ns.max())
    ends = [max(int(end) - last, 0) for end in locked.released_ns]
    whole = int(locked.released_ns.max()) - last
    idle = (8 * whole - sum(ends)) / 8  # of 8 programs at once
    wave = found.pop("places for programs that stay empty in the last wave")
    assert wave == pytest.approx(idle * backward)
    assert list(found.values()) == [pytest.approx(0.5)]


def test_what_the_compiler_counts_is_named_without_a_time_and_only_where_there_is_some() -> None:
    facts = KernelFacts(
        name="backward_stage1",
        architecture="sm_90",
        grid=(4096,),
        num_warps=8,
        registers=255,
        spill_bytes=16,
        shared_bytes=0,
        occupancy=Occupancy(1, "registers", 0.125),
    )
    found = limits_of(resolve(RunRequest(m=64, n=1000), "cuda"), FIGURES, (facts,), None)
    assert [str(limit.text) for limit in found if limit.share is None] == [
        "stage 1: 2 % of lanes masked",
        "stage 1: 16 B a thread spilled",
        "stage 1: 12 % of warps resident, limited by registers",
    ]
    full = replace(facts, spill_bytes=0, occupancy=Occupancy(8, "warps", 1.0))
    found = limits_of(resolve(RunRequest(m=64, n=1024), "cuda"), FIGURES, (full,), None)
    assert [limit for limit in found if limit.share is None] == []
