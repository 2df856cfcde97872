"""`lnexplorer history` and `lnexplorer compare`."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.request import TUTORIAL
from lnexplorer.report.benchmark_file import benchmark_document, file_text
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import HOME_VARIABLE, find_paths
from lnexplorer.store.recordings import (
    Recording,
    recorded_sweep,
    write_recorded_sweep,
    write_recording,
)
from lnkernels.values.environment import Kind
from lnkernels.values.figures import Figure
from tests.cli.conftest import Command, Refused
from tests.gui.sample_sweeps import invented_rows
from tests.sample_benchmark import benchmark
from tests.sample_results import make_correctness, make_result
from tests.store.examples import close_folder, folder_to_close


def at_speed(
    factor: float, slowed: Callable[[Figure], bool] = lambda figure: figure.provider == "locked"
) -> RunResult:
    """A run whose kernels, or whose figures of another kind, take so many times as long."""
    result = make_result(64, 128, correctness=make_correctness(64, 128))
    assert result.throughput is not None
    figures = tuple(
        replace(each, samples_ms=each.samples_ms * (factor if slowed(each) else 1.0))
        for each in result.throughput.figures
    )
    return replace(result, throughput=replace(result.throughput, figures=figures))


def keep(*results: RunResult) -> None:
    with open_history(find_paths().history, pytest.fail) as history:
        for result in results:
            history.runs.add(result)


def with_figures(result: RunResult, **changes: Any) -> RunResult:
    assert result.throughput is not None
    figures = tuple(replace(each, **changes) for each in result.throughput.figures)
    return replace(result, throughput=replace(result.throughput, figures=figures))


@pytest.fixture(autouse=True)
def _history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    with open_history(find_paths().history, pytest.fail) as history:
        for result in (at_speed(1.0), at_speed(1.1), make_result(64, 512, kind=Kind.INTERPRETED)):
            history.runs.add(result)
        history.runs.annotate(2, "slow")


def test_a_home_that_cannot_be_written_is_named_where_there_is_no_history(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    with folder_to_close() as home:
        monkeypatch.setenv(HOME_VARIABLE, str(home / "new"))
        close_folder(home)
        said = lnexplorer("history", status=3).err
    assert f"there is no history, and {home} cannot be written (" in said
    assert "no history yet" not in said


def test_runs_are_listed_newest_first_and_filtered(lnexplorer: Command, refused: Refused) -> None:
    lines = lnexplorer("history").out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", "3", "2", "1"]
    assert [run["id"] for run in lnexplorer("history --filter slow --json").document["runs"]] == [2]
    for settings, found in (("num_warps=1", [2, 1]), ("barrier=off", []), ("num_warps>1", [3])):
        assert [
            run["id"] for run in lnexplorer(f"history --filter {settings} --json").document["runs"]
        ] == found
    assert "no such column" in refused("history --filter num_wraps=8")
    assert "take a number" in refused("history --filter n>=banana")


def test_a_run_is_shown_annotated_and_deleted(lnexplorer: Command) -> None:
    shown = lnexplorer("history show 2").out
    assert shown.startswith("Run 2, ")
    assert "largest error" in shown
    assert "slow" in shown
    assert lnexplorer("history note 2 slow clocks --json").document == {
        "schema_version": 1,
        "run": 2,
        "note": "slow clocks",
    }
    assert lnexplorer("history delete 1,3 --json").document == {
        "schema_version": 1,
        "deleted": [1, 3],
    }
    assert [(run["id"], run["note"]) for run in lnexplorer("history --json").document["runs"]] == [
        (2, "slow clocks")
    ]


def test_a_long_note_leaves_the_speeds_in_sight(lnexplorer: Command) -> None:
    note = ("long " * 2000).strip()
    lnexplorer(f"history note 1 {note}")
    assert max(map(len, lnexplorer("history").out.splitlines())) < 250
    assert note in lnexplorer("history show 1").out


def test_what_is_no_run_is_refused_and_nothing_is_done(
    lnexplorer: Command, refused: Refused
) -> None:
    for words in ("delete 1,,2", "note -1", "--last -5"):
        refused(f"history {words}")
    assert len(lnexplorer("history --json").document["runs"]) == 3


def test_a_slower_run_is_told_with_its_uncertainty_and_fails_where_that_is_asked(
    lnexplorer: Command,
) -> None:
    assert "slower" in lnexplorer("compare 1 2").out
    lnexplorer("compare 1 2 --fail-if-slower 3%", status=1)
    lnexplorer("compare 1 2 --fail-if-slower 20%")
    lnexplorer("compare 2 1 --fail-if-slower")
    figures = lnexplorer("compare 1 2 --json").document["figures"]
    own = next(each for each in figures if each["provider"] == "kernels")
    low, high = own["speed_ratio_interval"]
    assert own["speed_ratio"] == pytest.approx(1 / 1.1)
    assert low < own["speed_ratio"] < high < 1
    assert own["verdict"] == "slower"


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (at_speed(1.1, lambda _: True), "within noise"),  # slower clocks: PyTorch's are, too
        (at_speed(1.5, lambda figure: figure.mode == "autograd"), ""),
        (with_figures(at_speed(1.5), settled=False), "not settled"),
        (
            replace(at_speed(1.5), request=RunRequest.of(m=64, n=128, strategy="auto")),
            "other settings: locked, auto",
        ),
        (
            replace(
                at_speed(1.5, lambda figure: figure.direction == "backward"),
                request=RunRequest.of(m=64, n=128, strategy="locked", group_size_m=2),
            ),
            "other settings",
        ),
    ],
)
def test_what_says_nothing_of_the_kernels_is_shown_and_never_fails_a_gate(
    other: RunResult, verdict: str, lnexplorer: Command
) -> None:
    keep(other)
    assert verdict in lnexplorer("compare 1 4 --fail-if-slower").out


def test_a_drift_is_told_and_taken_out_and_not_looked_for_where_the_libraries_changed(
    lnexplorer: Command,
) -> None:
    slow = at_speed(1.1, lambda _: True)
    environment = replace(slow.provenance.environment, torch="9.9")
    keep(slow, replace(slow, provenance=replace(slow.provenance, environment=environment)))
    out = lnexplorer("compare 1 4").out
    assert "Drift: −9.1 %, the median of 4 figures of other libraries' kernels" in out
    assert out.startswith("A: run 1 · 64×128 float16 · GROUP_SIZE_M = ")
    assert "\nB: run 4 · " in out
    assert (
        "Drift: not known (driver, PyTorch or Triton changed"
        in lnexplorer("compare 1 5 --fail-if-slower", status=1).out
    )


def test_passes_timings_and_providers_are_chosen_and_what_is_missing_is_named(
    lnexplorer: Command,
) -> None:
    chosen = "--mode backward --timing kernel_cold --who kernels"
    (figure,) = lnexplorer(f"compare 1 2 {chosen} --json").document["figures"]
    names = ("mode", "timing", "provider", "judged")
    assert [figure[name] for name in names] == ["backward", "kernel_cold", "kernels", True]
    keep(make_result(4096, 8192))
    for words, why in (
        ("1 3", "3 has no times that could be compared: the interpreter gives none"),
        ("1 4", "have no problem in common: 64×128 float16 | 4096×8192 float16"),
        ("1 2 --who liger", "is of these --mode, --timing and --who"),
        ("1 2 --mode sideways", "mode = sideways is not possible"),
    ):
        assert why in lnexplorer(f"compare {words}", status=2).err


def test_files_of_runs_sweeps_and_benchmarks_are_compared(
    tmp_path: Path, lnexplorer: Command
) -> None:
    recording, sweep, bench = tmp_path / "a.lnrec", tmp_path / "a.lnsweep", tmp_path / "bench.json"
    write_recording(recording, Recording(title="One", result=at_speed(1.1), timeline=None))
    write_recorded_sweep(sweep, recorded_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)))
    bench.write_text(file_text(benchmark_document(benchmark(1024))))
    lnexplorer(f"compare 1 {recording} --fail-if-slower", status=1)
    for path in (sweep, bench):
        assert "slower" not in lnexplorer(f"compare {path} {path} --fail-if-slower").out


@pytest.mark.parametrize(
    "other", ["9", "9" * 5000, "gone.lnrec", "notes.txt", "2 --fail-if-slower=101%"]
)
def test_what_cannot_be_compared_is_refused(other: str, refused: Refused) -> None:
    assert refused(f"compare 1 {other}")


def test_a_history_that_cannot_be_written_is_read_and_what_would_change_it_says_so(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    before = set(Path("/tmp").glob("lnexplorer-*"))
    with folder_to_close() as home:
        shutil.copy(find_paths().history, home)
        monkeypatch.setenv(HOME_VARIABLE, str(home))
        close_folder(home)
        lines = lnexplorer("history").out.splitlines()[1:]
        assert [line.split()[0] for line in lines] == list("321")
        lnexplorer("compare 1 2")
        told = lnexplorer("history note 1 mine", status=3).err
        assert "lnexplorer.sqlite3 cannot be used" in told
        assert [*home.iterdir()] == [home / "lnexplorer.sqlite3"]
        assert set(Path("/tmp").glob("lnexplorer-*")) - before == {home}
