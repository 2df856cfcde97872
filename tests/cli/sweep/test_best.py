"""What is best along a curve, and by which times."""

from dataclasses import replace

from lnexplorer.cli.sweep import sweep_text
from lnexplorer.domain.request import resolve
from lnexplorer.domain.sweep.best import best, best_runs, measures
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import TUTORIAL, SweepRequest
from lnexplorer.report.documents import sweep_document
from tests.gui.sample_sweeps import invented_rows

RIVALS = replace(TUTORIAL.sweep, strategies=("locked", "persistent"), providers=())


def times_two(row: CellResult) -> CellResult:
    slower = tuple(replace(f, samples_ms=f.samples_ms * 2, p50_ms=f.p50_ms * 2) for f in row.figures)
    return replace(row, figures=slower)


def raced() -> list[CellResult]:
    """Up to 4096 columns `locked` is the faster one, from there on `persistent`."""
    rows = invented_rows(RIVALS)
    return [times_two(r) if ((r.cell.request.n or 0) <= 4096) == (r.cell.provider == "persistent") else r for r in rows]


def test_neighbours_with_the_same_best_setting_are_told_together() -> None:
    runs = best_runs(RIVALS, best(raced(), ("backward",)))
    assert [(run.result.cell.provider, run.first, run.last, run.sure) for run in runs] == [
        ("locked", 1024, 4096, True),
        ("persistent", 4608, 15872, True),
    ]


def test_where_the_first_two_are_within_noise_none_is_named() -> None:
    rows = raced()
    by_cell = {(row.cell.request.n, row.cell.provider): row for row in rows}
    undecided = (3584, 4096)
    same = [replace(r, figures=by_cell[r.cell.request.n, "locked"].figures) if r.cell.request.n in undecided else r for r in rows]
    runs = best_runs(RIVALS, best(same, ("backward",)))
    assert [(run.first, run.last) for run in runs if not run.sure] == [undecided]
    assert "within noise 3584–4096" in sweep_text(RIVALS, same)


def test_auto_and_what_it_chose_are_one_setting() -> None:
    rows = [
        replace(row, resolved=resolve(row.cell.request.changed(strategy="persistent"), "cuda"))
        for row in invented_rows(replace(RIVALS, strategies=("auto", "persistent")))
    ]
    (run,) = best_runs(RIVALS, best(rows, ("backward",)))
    assert (run.first, run.last, run.sure) == (1024, 15872, True)


def test_unlike_gpus_have_runs_of_their_own() -> None:
    rows = raced()
    other = [replace(row, environment=replace(row.environment, gpu="NVIDIA A100")) for row in rows]
    runs = best_runs(RIVALS, best([*rows, *other], ("backward",)))
    assert [run.hardware for run in runs] == ["NVIDIA H200"] * 2 + ["NVIDIA A100"] * 2


def test_the_text_of_a_curve_says_what_is_best_where() -> None:
    rows = raced()
    text = sweep_text(RIVALS, rows)
    words = "NVIDIA H200, along N: locked 1024–4096; persistent 4608–15872."
    assert f"Best forward, {words}" in text
    assert f"Best backward, {words}" in text


def test_of_a_search_the_passes_together_are_the_measure_everywhere() -> None:
    search = replace(RIVALS, axes=(), search=4)
    assert measures(search) == [(("forward", "backward"), "kernel_cold")]
    one, other = (replace(row, cell=replace(row.cell, point=())) for row in invented_rows(RIVALS)[:2])
    slow_forward = replace(other, figures=(times_two(other).figures[0], *other.figures[1:]))
    rows = [one, slow_forward]
    document = sweep_document(search, rows, ("finished", ""), {})
    (found,) = document["best"]
    assert (found["mode"], found["cell"]) == ("forward,backward", 0)
    text = sweep_text(search, rows)
    assert text.count("Best ") == 1
    assert "Best forward and backward, M = 4096, N = 1024" in text


def test_of_a_grid_each_pass_has_its_best_in_each_mode() -> None:
    grid: SweepRequest = replace(RIVALS, modes=("kernel_cold", "autograd"))
    assert len(measures(grid)) == 4


def test_each_way_of_timing_has_its_best_and_names_it_in_text_and_json() -> None:
    """By the kernels alone `locked` is faster, through autograd `persistent`."""
    grid = replace(RIVALS, axes=(), modes=("kernel_cold", "autograd"))
    slower = {"locked": "autograd", "persistent": "kernel_cold"}
    pair = [replace(row, cell=replace(row.cell, point=())) for row in invented_rows(RIVALS)[:2]]
    quick = pair[0].figures[0]
    rows = []
    for row in pair:
        provider = row.cell.provider
        figures = [replace(quick, direction=direction, mode=mode) for direction in grid.directions for mode in grid.modes]
        late = times_two(replace(row, figures=tuple(figures))).figures
        chosen = [slow if slow.mode == slower[provider] else fast for slow, fast in zip(late, figures, strict=True)]
        rows.append(replace(row, figures=tuple(chosen)))
    told = [line for line in sweep_text(grid, rows).splitlines() if line.startswith("Best ")]
    assert [line.partition(", M = ")[0] for line in told] == [
        "Best forward (kernels alone, cold L2)",
        "Best forward (through autograd, cold L2)",
        "Best backward (kernels alone, cold L2)",
        "Best backward (through autograd, cold L2)",
    ]
    assert [line.partition("NVIDIA H200: ")[2].partition(",")[0] for line in told] == ["locked", "persistent"] * 2
    document = sweep_document(grid, rows, ("finished", ""), {})
    assert [(each["mode"], each["timing"], each["provider"]) for each in document["best"]] == [
        ("forward", "kernel_cold", "locked"),
        ("forward", "autograd", "persistent"),
        ("backward", "kernel_cold", "locked"),
        ("backward", "autograd", "persistent"),
    ]
