"""What tuning tries, how it shares its time, what it takes for the best, and what it keeps."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from lnexplorer.domain.request import resolve
from lnexplorer.engine.tuning import (
    COMPARED,
    TOGETHER,
    Times,
    Trial,
    TuneRequest,
    Tuning,
    TuningTask,
    tune,
    tuning_tasks,
)
from lnkernels.launch import DeviceLimits, limits_for_architecture
from lnkernels.launch.candidates import candidates, launch_of
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.tuned import Entry, Kept, StrategyEntry
from tests.domain.sweep.results import row
from tests.sample_results import make_device

A100, H200 = limits_for_architecture("sm_80"), limits_for_architecture("sm_90")
Found = list[tuple[TuningTask, Kept, list[float]]]


def request(
    *widths: int, rows: tuple[int, ...] = (4096,), kinds: tuple[str, ...] = ("rows",)
) -> TuneRequest:
    return TuneRequest(widths=widths, rows=rows, dtypes=("float16",), kinds=kinds, minutes=1e5)


def tuned(
    asked: TuneRequest,
    limits: DeviceLimits,
    measure: Callable[[Trial], Times],
    now: Callable[[], float] = lambda: 0.0,
) -> Found:
    found: Found = []
    trials = tune(asked, limits, lambda *entry: found.append(entry), lambda _line: None, now)
    try:
        trial = next(trials)
        while True:
            trial = trials.send(measure(trial))
    except StopIteration:
        return found


def first_trial_alone(times: Callable[[Trial], Times]) -> Callable[[Trial], Times]:
    """Give times of the first candidates alone: the others could not be timed."""
    done: set[tuple[TuningTask, int]] = set()

    def measure(trial: Trial) -> Times:
        new = (trial.task, trial.m) not in done
        done.add((trial.task, trial.m))
        return times(trial) if new else {}

    return measure


def test_the_fastest_over_all_row_counts_wins_and_one_that_failed_anywhere_does_not() -> None:
    first, second, third, *_ = candidates("rows", 1024, "float16", A100)

    @first_trial_alone
    def measure(trial: Trial) -> Times:
        if trial.m == 8192:
            return {first: 2.0, second: 0.5}
        return {first: 1.0, second: 3.0, third: 0.1}

    ((task, best, times),) = tuned(request(1024, rows=(4096, 8192)), A100, measure)
    assert (task.n, times) == (1024, [3.0, 0.5])
    assert best == second


@pytest.mark.parametrize(("time", "place"), [(0.995, 0), (0.98, 3)])
def test_what_is_used_untuned_stays_unless_another_is_worth_it(time: float, place: int) -> None:
    measure = first_trial_alone(lambda trial: {trial.entries[0]: 1.0, trial.entries[3]: time})
    ((_, best, _times),) = tuned(request(4096), A100, measure)
    assert best == candidates("rows", 4096, "float16", A100)[place]


def test_the_forward_pass_gets_an_entry_for_few_rows_and_one_for_many() -> None:
    first, second, *_ = candidates("forward", 4096, "float16", A100)

    @first_trial_alone
    def measure(trial: Trial) -> Times:
        return {first: 1.0, second: 2.0} if trial.m == 4096 else {first: 8.0, second: 4.0}

    found = tuned(request(4096, rows=(4096, 32768), kinds=("forward",)), A100, measure)
    assert [times for *_, times in found] == [[1.0], [4.0]]
    (_, few, _), (_, many, _) = found
    assert few == first
    assert many == replace(second, many_rows=True)
    assert isinstance(many, ForwardEntry)


@pytest.mark.parametrize(("split", "faster"), [(0.5, "split"), (0.995, "persistent")])
def test_the_best_of_both_strategies_are_measured_in_turns_and_the_faster_one_is_kept(
    split: float, faster: str
) -> None:
    compared: list[list[Entry]] = []

    @first_trial_alone
    def measure(trial: Trial) -> Times:
        if trial.task.kind != COMPARED:
            return {trial.entries[2]: 1.0}
        compared.append(trial.entries)
        return {each: 1.0 if isinstance(each, RowsEntry) else split for each in trial.entries}

    found = tuned(request(8192, kinds=("rows", "split")), H200, measure)
    assert [task.kind for task, *_ in found] == ["rows", "split", COMPARED]
    assert compared == [[entry for _, entry, _ in found[:2]]]
    assert found[2][1] == StrategyEntry(element_bytes=2, up_to_n=8192, strategy=faster)


def test_candidates_wait_for_no_more_than_their_share_of_the_time() -> None:
    clock = 0.0
    trials: list[Trial] = []

    def measure(trial: Trial) -> Times:
        nonlocal clock
        clock += 4.0
        trials.append(trial)
        return dict.fromkeys(trial.entries, 1.0)

    asked = replace(request(1024, 2048, 4096, kinds=("rows", "split")), minutes=0.2)
    assert len(tuning_tasks(asked, A100)) == 3  # rows this narrow are not shared
    found = tuned(asked, A100, measure, lambda: clock)
    assert [(trial.task.n, len(trial.entries)) for trial in trials] == [
        (1024, TOGETHER),
        (2048, TOGETHER),
        (4096, TOGETHER),
    ]
    assert len(found) == 3
    late = tuned(replace(asked, minutes=0.1), A100, measure, lambda: clock)
    assert [task.n for task, *_ in late] == [1024, 2048]


@pytest.mark.parametrize(("kind", "m"), [("rows", 64), ("split", 32768), ("forward", 32768)])
def test_a_cell_launches_what_its_candidate_says_and_times_its_pass_alone(
    kind: str, m: int
) -> None:
    told: list[str] = []
    source = Tuning(request(8192, rows=(m,), kinds=(kind,)), lambda *_: None, told.append)
    source.begin(replace(make_device("cuda"), limits=H200))
    cells = source.take(1)
    entries = candidates(kind, 8192, "float16", H200)[:TOGETHER]
    assert [resolve(cell.request, "cuda", H200).launch for cell in cells] == [
        launch_of(entry, 8192, "float16", H200, m=m) for entry in entries
    ]
    assert source.sweep.directions == (("forward",) if kind == "forward" else ("backward",))
    for cell in cells:
        source.tell(replace(row(cell), status="incorrect", figures=(), reason=None))
    assert told[1] == f"  M = {m}, None, left out: {entries[0]}"
