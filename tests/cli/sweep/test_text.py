"""What a finished sweep says in words: what is best along a curve, by which times."""

from dataclasses import replace

import pytest

from lnexplorer.cli.sweep_text import row_words, show_event, sweep_text
from lnexplorer.cli.terminal import Progress
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.best import best, best_runs
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.engine.sweep_events import SweepStarted
from lnexplorer.report.documents import sweep_document
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.sentence import verbatim
from tests.domain.sweep.results import figure, row
from tests.gui.sample_sweeps import invented_rows


def test_a_curve_says_where_one_overtakes_the_other() -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048)),), providers=("torch",)
    )
    times = {
        ("locked", 1024): 2.0,
        ("torch", 1024): 1.0,
        ("locked", 2048): 1.0,
        ("torch", 2048): 2.0,
    }
    results = [
        row(cell, time_ms=times[cell.provider, cell.request.n or 0]) for cell in all_cells(sweep)
    ]
    text = sweep_text(sweep, results)
    assert "forward: locked overtakes PyTorch between N = 1024 and 2048" in text
    assert "forward GB/s  forward requested  forward of ceiling" in text
    assert "GROUP_SIZE_M 256 → 128 from N = 2048" in text
    assert "Best" not in text, "there is one setting of each problem"


def test_what_makes_figures_doubtful_is_told_with_the_number_of_rows() -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(2, 4, 8)),)
    )
    results = [row(cell, time_ms=1.0 + cell.number) for cell in all_cells(sweep)]
    hot = verbatim("Something held the GPU's clocks down: power cap.")
    results = [replace(each, notes=(hot,) if each.cell.number else ()) for each in results]
    assert f"{hot} (rows like this: 2 of 3)" in sweep_text(sweep, results)
    calm = [replace(result, notes=()) for result in results]
    assert "clocks" not in sweep_text(sweep, calm)


RIVALS = replace(TUTORIAL.sweep, strategies=("locked", "persistent"), providers=())


def times_two(row: CellResult) -> CellResult:
    slower = tuple(
        replace(f, samples_ms=f.samples_ms * 2, p50_ms=f.p50_ms * 2) for f in row.figures
    )
    return replace(row, figures=slower)


def raced() -> list[CellResult]:
    """Up to 4096 columns `locked` is the faster one, from there on `persistent`."""
    rows = invented_rows(RIVALS)
    return [
        times_two(r)
        if ((r.cell.request.n or 0) <= 4096) == (r.cell.provider == "persistent")
        else r
        for r in rows
    ]


def test_where_the_first_two_are_within_noise_none_is_named() -> None:
    rows = raced()
    by_cell = {(row.cell.request.n, row.cell.provider): row for row in rows}
    undecided = (3584, 4096)
    same = [
        replace(r, figures=by_cell[r.cell.request.n, "locked"].figures)
        if r.cell.request.n in undecided
        else r
        for r in rows
    ]
    runs = best_runs(RIVALS, best(same, ("backward",)))
    assert [(run.first, run.last) for run in runs if not run.sure] == [undecided]
    assert "within noise 3584–4096" in sweep_text(RIVALS, same)


def test_each_way_of_timing_has_its_best_and_names_it_in_text_and_json() -> None:
    """By the kernels alone `locked` is faster, through autograd `persistent`."""
    grid = replace(RIVALS, axes=(), base=RunRequest(m=4096, n=1024))
    grid = replace(grid, modes=("kernel_cold", "autograd"))
    slower = {"locked": "autograd", "persistent": "kernel_cold"}
    rows = [
        replace(
            row(cell),
            figures=tuple(
                figure(direction, 2.0 if slower[cell.provider] == mode else 1.0, mode=mode)
                for direction in grid.directions
                for mode in grid.modes
            ),
        )
        for cell in all_cells(grid)
    ]
    told = [line for line in sweep_text(grid, rows).splitlines() if line.startswith("Best ")]
    assert [line.partition(", M = ")[0] for line in told] == [
        "Best forward (kernels alone, cold L2)",
        "Best forward (through autograd, cold L2)",
        "Best backward (kernels alone, cold L2)",
        "Best backward (through autograd, cold L2)",
    ]
    assert [line.partition("NVIDIA H200: ")[2].partition(",")[0] for line in told] == [
        "locked",
        "persistent",
    ] * 2
    document = sweep_document(grid, rows, ("finished", ""), {})
    assert [(each["mode"], each["timing"], each["provider"]) for each in document["best"]] == [
        ("forward", "kernel_cold", "locked"),
        ("forward", "autograd", "persistent"),
        ("backward", "kernel_cold", "locked"),
        ("backward", "autograd", "persistent"),
    ]


def test_how_many_settings_there_are_and_have_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    show_event(SweepStarted(total=5, kept=3), SweepRequest(), Progress())
    assert capsys.readouterr().err == "5 settings, 3 with a row already\n"


def test_rows_that_are_inexact_or_launch_no_kernel_are_told_so_in_text_and_json() -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024)),), providers=("torch",)
    )
    first, second, third, last = (row(cell) for cell in all_cells(sweep))
    plain = LaunchedKernels(verbatim("it launches none"), own=False)
    rows = [replace(first, inexact=True), replace(second, launched=plain), third, last]
    lines = [line.rstrip() for line in sweep_text(sweep, rows).splitlines()]
    assert [line.rpartition("  ")[2] for line in lines[1:5]] == ["inexact", "no kernel", "ok", "ok"]
    assert "N = 512 inexact, forward " in row_words(sweep, rows[0])
    reason = verbatim("inexact: dw up to 9 times as far off as float32 allows")
    told = sweep_text(sweep, [replace(rows[0], reason=reason), *rows[1:]])
    assert f"  {reason}\n" in told, "the word stands once"
    document = sweep_document(sweep, rows, ("finished", ""), {})
    assert [each["status"] for each in document["rows"]] == ["ok"] * 4
    assert [each["verdict"] for each in document["rows"]] == [
        "inexact",
        "no kernel",
        "right",
        "right",
    ]
