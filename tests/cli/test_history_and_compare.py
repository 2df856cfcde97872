"""`lnexplorer history` and `lnexplorer compare`."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.cli.main import main
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


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_a_home_that_cannot_be_written_is_named_where_there_is_no_history(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with folder_to_close() as home:
        monkeypatch.setenv(HOME_VARIABLE, str(home / "new"))
        close_folder(home)
        assert main(["history"]) == 3
        said = capsys.readouterr().err
    assert f"there is no history, and {home} cannot be written (" in said
    assert "no history yet" not in said


def test_runs_are_listed_newest_first_and_filtered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", "3", "2", "1"]
    assert main(["history", "--filter", "slow", "--json"]) == 0
    assert [run["id"] for run in printed(capsys)["runs"]] == [2]  # type: ignore[attr-defined]
    for settings, found in (("num_warps=1", [2, 1]), ("barrier=off", []), ("num_warps>1", [3])):
        assert main(["history", "--filter", settings, "--json"]) == 0
        assert [run["id"] for run in printed(capsys)["runs"]] == found  # type: ignore[attr-defined]
    assert main(["history", "--filter", "num_wraps=8"]) == 2
    assert "no such column" in capsys.readouterr().err
    assert main(["history", "--filter", "n>=banana"]) == 2
    assert "take a number" in capsys.readouterr().err


def test_a_run_is_shown_annotated_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "show", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Run 2, ")
    assert "largest error" in shown
    assert "slow" in shown
    assert main(["history", "note", "2", "slow", "clocks", "--json"]) == 0
    assert printed(capsys) == {"schema_version": 1, "run": 2, "note": "slow clocks"}
    assert main(["history", "delete", "1,3", "--json"]) == 0
    assert printed(capsys) == {"schema_version": 1, "deleted": [1, 3]}
    assert main(["history", "--json"]) == 0
    assert [(run["id"], run["note"]) for run in printed(capsys)["runs"]] == [(2, "slow clocks")]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "arguments",
    [
        ["delete", "1,,2"],
        ["note", "-1"],
        ["--last", "-5"],
    ],
)
def test_what_is_no_run_is_refused_and_nothing_is_done(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", *arguments]) == 2
    capsys.readouterr()
    assert main(["history", "--json"]) == 0
    assert len(printed(capsys)["runs"]) == 3  # type: ignore[arg-type]


def test_a_slower_run_is_told_with_its_uncertainty_and_fails_where_that_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", "1", "2"]) == 0
    assert "slower" in capsys.readouterr().out
    assert main(["compare", "1", "2", "--fail-if-slower", "3%"]) == 1
    assert main(["compare", "1", "2", "--fail-if-slower", "20%"]) == 0
    assert main(["compare", "2", "1", "--fail-if-slower"]) == 0
    capsys.readouterr()
    assert main(["compare", "1", "2", "--json"]) == 0
    figures = printed(capsys)["figures"]
    own = next(each for each in figures if each["provider"] == "kernels")  # type: ignore[attr-defined]
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
    other: RunResult, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(other)
    assert main(["compare", "1", "4", "--fail-if-slower"]) == 0
    assert verdict in capsys.readouterr().out


def test_a_drift_is_told_and_taken_out_and_not_looked_for_where_the_libraries_changed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    slow = at_speed(1.1, lambda _: True)
    environment = replace(slow.provenance.environment, torch="9.9")
    keep(slow, replace(slow, provenance=replace(slow.provenance, environment=environment)))
    assert main(["compare", "1", "4"]) == 0
    out = capsys.readouterr().out
    assert "Drift: −9.1 %, the median of 4 figures of other libraries' kernels" in out
    assert out.startswith("A: run 1 · 64×128 float16 · GROUP_SIZE_M = ")
    assert "\nB: run 4 · " in out
    assert main(["compare", "1", "5", "--fail-if-slower"]) == 1
    assert "Drift: not known (driver, PyTorch or Triton changed" in capsys.readouterr().out


def test_passes_timings_and_providers_are_chosen_and_what_is_missing_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = ["--mode", "backward", "--timing", "kernel_cold", "--who", "kernels"]
    assert main(["compare", "1", "2", *chosen, "--json"]) == 0
    (figure,) = printed(capsys)["figures"]  # type: ignore[misc]
    names = ("mode", "timing", "provider", "judged")
    assert [figure[name] for name in names] == ["backward", "kernel_cold", "kernels", True]
    keep(make_result(4096, 8192))
    for words, why in (
        (["1", "3"], "3 has no times that could be compared: the interpreter gives none"),
        (["1", "4"], "have no problem in common: 64×128 float16 | 4096×8192 float16"),
        (["1", "2", "--who", "liger"], "is of these --mode, --timing and --who"),
        (["1", "2", "--mode", "sideways"], "mode = sideways is not possible"),
    ):
        assert main(["compare", *words]) == 2
        assert why in capsys.readouterr().err


def test_files_of_runs_sweeps_and_benchmarks_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording, sweep, bench = tmp_path / "a.lnrec", tmp_path / "a.lnsweep", tmp_path / "bench.json"
    write_recording(recording, Recording(title="One", result=at_speed(1.1), timeline=None))
    write_recorded_sweep(sweep, recorded_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)))
    bench.write_text(file_text(benchmark_document(benchmark(1024))))
    assert main(["compare", "1", str(recording), "--fail-if-slower"]) == 1
    capsys.readouterr()
    for path in (sweep, bench):
        assert main(["compare", str(path), str(path), "--fail-if-slower"]) == 0
        assert "slower" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "other", ["9", "9" * 5000, "gone.lnrec", "notes.txt", "--fail-if-slower=101%"]
)
def test_what_cannot_be_compared_is_refused(other: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "1", *([other] if not other.startswith("-") else ["2", other])]) == 2
    assert capsys.readouterr().err


def test_a_history_that_cannot_be_written_is_read_and_what_would_change_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(Path("/tmp").glob("lnexplorer-*"))
    with folder_to_close() as home:
        shutil.copy(find_paths().history, home)
        monkeypatch.setenv(HOME_VARIABLE, str(home))
        close_folder(home)
        assert main(["history"]) == 0
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == list("321")
        assert main(["compare", "1", "2"]) == 0
        assert main(["history", "note", "1", "mine"]) == 3
        assert "lnexplorer.sqlite3 cannot be used" in capsys.readouterr().err
        assert [*home.iterdir()] == [home / "lnexplorer.sqlite3"]
        assert set(Path("/tmp").glob("lnexplorer-*")) - before == {home}
