"""What a finished sweep says in words."""

from dataclasses import replace

from lnexplorer.cli.sweep import sweep_text
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.report.documents import sweep_document
from lnkernels.sentence import verbatim
from tests.domain.sweep.results import row


def test_a_curve_says_where_one_overtakes_the_other() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048)),), providers=("torch",))
    times = {("locked", 1024): 2.0, ("torch", 1024): 1.0, ("locked", 2048): 1.0, ("torch", 2048): 2.0}
    results = [row(cell, time_ms=times[cell.provider, cell.request.n or 0]) for cell in all_cells(sweep)]
    text = sweep_text(sweep, results)
    assert "forward: locked overtakes PyTorch between N = 1024 and 2048" in text
    assert "forward GB/s  forward requested  forward of ceiling" in text
    assert "GROUP_SIZE_M 256 → 128 from N = 2048" in text
    assert "Best" not in text, "there is one setting of each problem"


def test_what_makes_figures_doubtful_is_told_with_the_number_of_rows() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(2, 4, 8)),))
    results = [row(cell, time_ms=1.0 + cell.number) for cell in all_cells(sweep)]
    hot = verbatim("Something held the GPU's clocks down: power cap.")
    results = [replace(each, notes=(hot,) if each.cell.number else ()) for each in results]
    assert f"{hot} (rows: 2 of 3)" in sweep_text(sweep, results)
    calm = [replace(result, notes=()) for result in results]
    assert "clocks" not in sweep_text(sweep, calm)


def test_the_best_of_few_times_is_not_surely_so() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(4, 8)),))
    results = [row(cell, time_ms=1.0 + cell.number) for cell in all_cells(sweep)]
    few = [replace(each, figures=tuple(replace(one, samples_ms=one.samples_ms[:5]) for one in each.figures)) for each in results]
    assert "fewer than 6 times" in sweep_text(sweep, few)
    (named, *_) = sweep_document(sweep, few, ("finished", ""), {})["best"]
    assert (named["sure"], named["p50_ms_interval"], named["advantage_interval"]) == (False, None, None)
    assert named["advantage"] > 1
