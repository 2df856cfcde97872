"""The HTML report."""

import html
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.experiments.words import seen
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.report.pictures import errors, speeds
from lnexplorer.report.report import report
from lnexplorer.report.table import KeptRun
from lnexplorer.store.sweep_values import recorded_sweep
from lnkernels.values.environment import Kind
from tests.gui.sample_sweeps import invented_rows
from tests.sample_experiments import sample
from tests.sample_results import make_correctness, make_result
from tests.store.examples import small_result
from tests.store.session_examples import SWEEP, small_sweep

WRITTEN = "2025-11-20T10:00:00+00:00"
VOID = {"meta"}
MAP = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(Axis(name="block_size", values=(256, 1024, 2048)), Axis(name="num_warps", values=(1, 4, 8))),
    strategies=("locked",),
    directions=("backward",),
)


class Balance(HTMLParser):
    """Checks that every tag that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag, attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_report_is_one_page_that_loads_nothing() -> None:
    runs = [
        KeptRun(1, "the <slow> one & its note", make_result()),
        KeptRun(2, "", make_result(wobble=1.1)),
        KeptRun(3, "", small_result(Kind.INTERPRETED)),
    ]
    page = report(runs, runs[0], WRITTEN)
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert not re.search(r"(src|href)=[\"'](?!#)", page)
    assert not re.search(r"<script|@import|url\(", page)
    assert "the &lt;slow&gt; one &amp; its note" in page
    assert "+10.0 %" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert page.count("<svg") == 3 * 4 + 2 * 2
    assert "No speeds" in page
    assert "NVIDIA H200" in page
    assert "lnexplorer run --m 4096 --n 8192" in page


def test_speeds_have_those_of_all_bytes_and_their_share_of_the_ceiling_beside_them() -> None:
    result = make_result()
    page = report([KeptRun(1, "", result)], None, WRITTEN, [small_sweep()])
    overview = page.split("<h2")[0]
    assert overview.count(">share</th>") == 2
    assert result.throughput is not None
    for direction in ("forward", "backward"):
        figure = result.throughput.find(result.resolved.launch.strategy, direction, "kernel_cold")
        assert figure is not None
        assert f'{wording.gbps(figure.gbps)} <span class="muted">({wording.gbps(figure.counted_gbps)})</span>' in overview
    curve = section(page, "sweep-1").split("<table")[-1]
    assert curve.count(">share</th>") == curve.count("GB/s</th>") == 6
    figure = small_sweep().results[0].figure("forward")
    assert figure is not None
    assert f"({wording.gbps(figure.counted_gbps)})" in curve


def test_a_baseline_that_was_not_chosen_comes_first() -> None:
    page = report([KeptRun(5, "", make_result(wobble=1.001))], KeptRun(2, "", make_result()), WRITTEN)
    assert page.index("Run 2:") < page.index("Run 5:")
    assert "within noise" in page


def test_pictures_are_well_formed_and_no_speed_is_drawn_without_correctness() -> None:
    right, wrong = make_result(), make_result(correctness=make_correctness(64, 128, failing=("dw",)))
    for result in (right, wrong):
        for picture in (speeds(result) + errors(result)).split("</svg>")[:-1]:
            ET.fromstring(picture + "</svg>")
    assert ">locked<" in speeds(right)
    assert ">locked<" not in speeds(wrong)
    assert ">torch<" in speeds(wrong)


def test_a_run_without_errors_says_so() -> None:
    result = small_result()
    exact = tuple(replace(h, kernel=h.kernel * 0, torch=h.torch * 0) for h in result.correctness.histograms)
    assert "every element is exact" in errors(replace(result, correctness=replace(result.correctness, histograms=exact)))


def section(page: str, anchor: str) -> str:
    """The part of the page that begins with a heading."""
    return page[page.index(f'id="{anchor}"') :].split("<h2 ", maxsplit=1)[0]


def test_a_report_holds_sweeps_and_experiments_and_still_loads_nothing() -> None:
    experiments = [sample(name) for name in EXPERIMENTS]
    page = report([KeptRun(1, "", make_result())], None, WRITTEN, [small_sweep(), small_sweep(MAP)], experiments)
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert not re.search(r"(src|href)=[\"'](?!#)", page)
    assert not re.search(r"<script|@import|url\(", page)
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(picture)
    assert "LayerNorm: 1 run, 2 sweeps, 4 experiments" in page
    for anchor in ("sweep-1", "sweep-2", "experiment-4"):
        assert f'<a href="#{anchor}">' in page
    for number, result in enumerate(experiments, 1):
        assert html.escape(seen(result).strip()) in section(page, f"experiment-{number}")


def test_a_sweep_over_one_parameter_has_a_line_each_and_a_table_of_its_values() -> None:
    page = section(report([], None, WRITTEN, [small_sweep()]), "sweep-1")
    assert page.count("<svg") == 2
    assert page.count("<polyline") == 6
    assert "9 of 9 settings" in page
    assert "measured · NVIDIA H200 · 2025-11-20T10:00:00+00:00" in page.split("<svg")[1]
    assert "<td" in page
    assert "lnexplorer sweep --n 1024,2048,8192" in html.unescape(page)


def test_a_map_marks_the_best_setting_and_says_what_is_wrong_with_the_others() -> None:
    page = section(report([], None, WRITTEN, [small_sweep(MAP)]), "sweep-1")
    assert page.count('class="best"') == 1
    assert "surely: the next takes" in page
    assert ">too slow</text>" in page
    assert "Its compilation took longer than 60 s." in page
    assert "1 wrong" not in page


def test_a_sweep_of_the_interpreter_shows_errors_and_no_speeds() -> None:
    rows = invented_rows(SWEEP, gpu=None)
    page = section(report([], None, WRITTEN, [recorded_sweep(SWEEP, rows[:4], ended="cancelled")]), "sweep-1")
    assert "4 of 9 settings" in page
    assert "It was cancelled." in page
    assert "times and contention mean nothing" in page
    assert "GB/s" not in page
    assert "largest error" in page


def test_of_many_problems_the_best_settings_are_counted() -> None:
    many = replace(SWEEP, axes=(Axis(name="n", values=tuple(range(1024, 12289, 1024))),))
    page = section(report([], None, WRITTEN, [small_sweep(many)]), "sweep-1")
    assert "of 12 problems" in page


def test_a_search_and_a_sweep_without_a_time_are_reported() -> None:
    search = replace(MAP, search=5)
    rows = [replace(row, status="failed", reason="It fell over.", figures=()) for row in invented_rows(MAP)[:3]]
    page = section(report([], None, WRITTEN, [recorded_sweep(search, rows)]), "sweep-1")
    assert "3 failed" in page
    assert "It fell over." in page
    assert "<svg" not in page


def test_of_a_search_the_best_is_that_of_its_passes_together() -> None:
    both = replace(MAP, directions=("forward", "backward"))
    page = section(report([], None, WRITTEN, [recorded_sweep(replace(both, search=50), invented_rows(both))]), "sweep-1")
    assert page.count("<td>forward and backward, kernel_cold</td>") == 1
    assert "<td>backward, kernel_cold</td>" not in page


def test_runs_of_other_problems_are_not_compared_with_the_baseline() -> None:
    page = report(
        [KeptRun(1, "", make_result()), KeptRun(2, "", make_result(4096, 1024, wobble=1.5))],
        KeptRun(1, "", make_result()),
        WRITTEN,
    )
    assert "+50.0 %" not in page
    assert "another problem" in page


def test_a_line_is_broken_where_a_setting_is_wrong() -> None:
    sizes = SweepRequest(base=RunRequest(m=4096, n=8192), axes=(Axis(name="group_size_m", values=(1, 2, 4, 8)),))
    page = section(report([], None, WRITTEN, [small_sweep(replace(sizes, directions=("backward",)))]), "sweep-1")
    # GROUP_SIZE_M = 1 stands alone before 2, which is wrong, so that the one line is from 4 to 8.
    (points,) = re.findall(r'<polyline[^>]*points="([^"]*)"', page)
    assert len(points.split()) == 2
    assert page.count('class="wrong"') == 1
    assert "dw is beyond its tolerance." in page
