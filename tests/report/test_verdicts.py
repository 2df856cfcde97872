"""A provider that is inexact, or wrong and timed all the same, is marked wherever its speed is."""

import csv
import io
from dataclasses import replace

import pytest

from lnexplorer.cli.bench import point_text
from lnexplorer.cli.history import _version_line
from lnexplorer.cli.run import run_text
from lnexplorer.cli.sweep_text import sweep_text
from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.kernel_versions import compare_versions, version_of_run
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.views import SweepTable, View
from lnexplorer.gui.charts.speed_runs import Run, legend_of, point_sentence
from lnexplorer.gui.charts.sweep_pictures import setting_grid, sweep_picture
from lnexplorer.gui.kit.theme import LIGHT
from lnexplorer.report.benchmark_file import benchmark_csv, benchmark_document
from lnexplorer.report.documents import run_document
from lnexplorer.report.tables import csv_of, table_of_figures
from lnkernels.launch.source import KernelSource
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.figures import Figure, Refusal, Verdict
from lnkernels.values.sentence import verbatim
from tests.gui.sample_sweeps import GROUPS, MAP, invented_rows
from tests.sample_benchmark import benchmark, figure
from tests.sample_results import make_result, make_throughput

MARKS = {"right": None, "inexact": "inexact", "no kernel": "no kernel", "wrong": "WRONG"}
WHY = verbatim("dw is wrong in 3 elements")
CELLS = {
    sweep: [row.cell.number for row in invented_rows(sweep) if row.figures][1]
    for sweep in (GROUPS, MAP)
}
every_verdict = pytest.mark.parametrize("verdict", MARKS)


def judged(figures: tuple[Figure, ...], verdict: Verdict) -> tuple[Figure, ...]:
    return tuple(
        replace(one, provider="mine", verdict=verdict) if one.provider == "torch" else one
        for one in figures
    )


def run_of(verdict: Verdict) -> RunResult:
    """A run with a kernel of one's own beside the strategy."""
    result = make_result()
    times = make_throughput(result.resolved)
    refusals = (Refusal(provider="mine", reason=WHY, kind="incorrect"),)
    times = replace(
        times,
        figures=judged(times.figures, verdict),
        refusals=refusals if verdict == "wrong" else (),
    )
    inexact = ("mine",) if verdict == "inexact" else ()
    return replace(
        result,
        throughput=times,
        providers=("mine",),
        inexact=inexact,
        launched={"mine": launched_by(verdict)},
    )


def launched_by(verdict: Verdict) -> LaunchedKernels:
    return LaunchedKernels(verbatim("it launched"), own=verdict != "no kernel")


def rows_of(verdict: Verdict, sweep: SweepRequest) -> list[CellResult]:
    """Rows of a sweep of which one, the second of those with a time, has a verdict."""
    rows = invented_rows(sweep)
    own = tuple(replace(one, verdict=verdict) for one in rows[CELLS[sweep]].figures)
    status = "incorrect" if verdict == "wrong" else "ok"
    reason = None if verdict == "right" else WHY
    inexact = verdict == "inexact"
    rows[CELLS[sweep]] = replace(
        rows[CELLS[sweep]],
        status=status,
        reason=reason,
        figures=own,
        inexact=inexact,
        launched=launched_by(verdict),
    )
    return rows


def marked(text: str, verdict: Verdict) -> bool:
    """Return whether a text has the mark of a verdict and no other."""
    found = [mark for mark in MARKS.values() if mark is not None and mark in text]
    return found == [mark for mark in [MARKS[verdict]] if mark is not None]


@every_verdict
def test_a_run_says_it_beside_the_speeds_and_in_its_files(verdict: Verdict) -> None:
    result = run_of(verdict)
    lines = [one for one in run_text(result).splitlines() if one.startswith("mine")]
    assert all(marked(line, verdict) for line in lines)
    assert marked(run_text(result), verdict)
    document = run_document(result)
    assert document["verdicts"] == {"mine": verdict}
    assert document["throughput"]["mine"]["forward"]["kernel_cold"]["verdict"] == verdict
    table = csv.DictReader(io.StringIO(csv_of(table_of_figures([KeptRun(1, "", result)]))))
    assert {row["verdict"] for row in table if row["provider"] == "mine"} == {verdict}


@every_verdict
def test_the_chart_of_a_run_says_it_in_legend_and_words_and_what_is_wrong_is_red(
    verdict: Verdict,
) -> None:
    points = Run.of(run_of(verdict)).points("kernel_cold")
    (entry,) = (each for each in legend_of(points, named=False) if "mine" in each.text)
    assert marked(entry.text, verdict)
    assert (entry.colour == LIGHT.bad) == (verdict == "wrong")
    (point,) = (each for each in points if each.provider == "mine" and each.direction == "forward")
    assert marked(str(point_sentence(point, None)), verdict)


def test_a_strategy_that_is_wrong_is_on_the_chart_where_somebody_insisted() -> None:
    run = Run.of(run_of("right"))
    run.failed = ("dw",)
    assert "locked" not in run.providers()
    for figure_ in list(run.figures.values()):
        run.add(replace(figure_, verdict="wrong"))
    assert "locked" in run.providers()


@every_verdict
def test_a_sweep_marks_the_cell_and_no_line_leads_through_what_is_wrong(verdict: Verdict) -> None:
    rows = rows_of(verdict, GROUPS)
    picture = sweep_picture(SweepTable(GROUPS, rows), View(direction="backward"))
    (line,) = picture.lines
    assert line.label.partition(" (")[2] == ("" if verdict in {"right", "wrong"} else f"{verdict})")
    assert line.hollow is not None
    assert list(line.cells[line.hollow]) == ([CELLS[GROUPS]] if verdict == "inexact" else [])
    red = [each.cell for each in picture.foot if each.y > 0]
    assert red == ([CELLS[GROUPS]] if verdict == "wrong" else [])
    assert any("WRONG" in each.text for each in picture.legend()) == (verdict == "wrong")
    told = sweep_text(GROUPS, rows)
    assert (f"WRONG: {WHY}" in told) == (verdict == "wrong")
    assert (f"{verdict}: {WHY}" in told) == (verdict in {"inexact", "no kernel"})
    assert (f"1 {verdict}" in told) == (verdict in {"inexact", "no kernel"})
    table = SweepTable(MAP, rows_of(verdict, MAP))
    key = next(iter(table.rows))
    grid = setting_grid(table, View(direction="backward"), key)
    text = str(grid.texts[grid.cells == CELLS[MAP]][0])
    starts = {"right": "", "inexact": "≈ ", "no kernel": "∅ ", "wrong": "wrong "}[verdict]
    assert text.startswith(starts)
    assert text.removeprefix(starts).replace(",", "").isdigit()


@every_verdict
def test_a_benchmark_marks_the_row_and_its_files_have_the_verdict(verdict: Verdict) -> None:
    found = benchmark(64)
    ours, theirs = found.points[64][0]
    own = (replace(figure("torch"), verdict=verdict),)
    status = "incorrect" if verdict == "wrong" else "ok"
    row = replace(theirs, status=status, figures=own, inexact=verdict == "inexact")
    row = replace(row, launched=launched_by(verdict))
    found.points[64][0][:] = [ours, row]
    assert marked(point_text(found, 64), verdict)
    (line,) = (
        each
        for each in csv.DictReader(io.StringIO(benchmark_csv(found)))
        if each["provider"] == "torch"
    )
    assert line["verdict"] == verdict
    candidates = benchmark_document(found)["points"][0]["candidates"]
    assert candidates["torch"]["verdict"] == verdict


@every_verdict
def test_a_version_says_it_and_is_not_compared_where_it_is_wrong(verdict: Verdict) -> None:
    source = KernelSource(place="/mine.py", name="mine")
    version = replace(version_of_run(source, run_of(verdict)), version=2)
    line = " ".join(_version_line(version))
    assert marked(line, verdict)
    assert (str(WHY) in line) == (verdict == "wrong")
    before = replace(version_of_run(source, run_of("right")), version=1)
    assert bool(compare_versions(version, before)) == (verdict != "wrong")
