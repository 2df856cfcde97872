"""The HTML report."""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.gui.kit.languages import has_chinese_font
from lnexplorer.report import page
from lnexplorer.store.recordings import RecordedSweep, recorded_sweep
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.gui.sample_sweeps import invented_rows
from tests.sample_experiments import sample
from tests.sample_results import make_correctness, make_result
from tests.store.examples import small_result
from tests.store.session_examples import small_sweep

VOID = {"meta", "img", "input"}
MAP = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(
        Axis(name="block_size", values=(256, 1024, 2048)),
        Axis(name="num_warps", values=(1, 4, 8)),
    ),
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

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def report(
    runs: Sequence[KeptRun] = (),
    baseline: int | None = None,
    sweeps: Sequence[RecordedSweep] = (),
    experiments: Sequence[ExperimentResult] = (),
) -> str:
    """One that is whole and loads nothing."""
    text = page.report(
        page.Exported(runs=runs, baseline=baseline, sweeps=sweeps, experiments=experiments)
    )
    balance = Balance()
    balance.feed(text)
    assert balance.open == []
    assert not re.search(r"(src|href)=[\"'](?!#|data:image/png;base64,)", text)
    assert not re.search(r"@import|url\(", text)
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in html.unescape(text)
    return text


def section(text: str, anchor: str) -> str:
    """The part of the page that begins with a heading."""
    return text[text.index(f'id="{anchor}"') :].split("<h2 ", maxsplit=1)[0]


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Qt's libraries, which makes a page quickly."""
    monkeypatch.setattr(page, "missing_libraries", lambda _wanted: {"libEGL.so.1": "libegl1"})


@pytest.mark.usefixtures("no_pictures")
def test_a_report_is_one_page_that_loads_nothing() -> None:
    runs = [
        KeptRun(1, "the <slow> one & its note", make_result()),
        KeptRun(2, "", make_result(wobble=1.1)),
        KeptRun(3, "", small_result(Kind.INTERPRETED)),
    ]
    text = report(runs, runs[0].id)
    assert "the &lt;slow&gt; one &amp; its note" in text
    assert "+10.0 %" in text
    assert "A: run 1. " in text
    assert "baseline" not in text
    assert "@media print" in text
    assert "No speeds" in text
    assert "NVIDIA H200" in text
    assert "lnexplorer run --m 4096 --n 8192" in text
    assert ">peers<" not in text, "a fact that is not known has no line"


@pytest.mark.usefixtures("no_pictures")
def test_where_qt_cannot_start_the_page_says_that_its_pictures_are_missing() -> None:
    text = report([KeptRun(1, "", make_result())], None, [small_sweep()], [sample("order")])
    assert "<img" not in text
    assert "The pictures are missing. Qt cannot start: libEGL.so.1 is missing." in text


@pytest.mark.usefixtures("no_pictures")
def test_speeds_have_those_of_all_bytes_and_their_share_of_the_ceiling_beside_them() -> None:
    result = make_result()
    text = report([KeptRun(1, "", result)], None, [small_sweep()])
    assert result.throughput is not None
    for direction in ("forward", "backward"):
        figure = result.throughput.find(result.resolved.launch.strategy, direction, "kernel_cold")
        assert figure is not None
        shown = (
            f"{wording.figure(figure.gbps)} ({wording.figure(figure.requested_gbps)}),"
            f" {wording.share(figure.share_of_ceiling)}<"
        )
        assert shown in text.split("<h2")[0]
    assert section(text, "sweep-1").split("<table")[-1].count("GB/s</th>") == 2


@pytest.mark.usefixtures("no_pictures")
def test_no_speed_is_shown_without_correctness() -> None:
    wrong = make_result(correctness=make_correctness(64, 128, failing=("dw",)))
    part = section(report([KeptRun(1, "", wrong)]), "run-1")
    assert "<td>torch</td>" in part
    assert "<td>locked</td><td>forward</td>" not in part


def test_a_report_holds_pictures_and_still_loads_nothing() -> None:
    sweeps = [small_sweep(), small_sweep(MAP)]
    text = report([KeptRun(1, "", make_result())], None, sweeps, [sample("group_size")])
    assert "prefers-color-scheme: dark" in text
    assert text.count("<figure") == 2 + 2 + 1 + 1, "of the run, of each pass, of the experiment"
    in_chinese = text.count('<img alt="') - text.count("<figure")
    assert in_chinese == text.count(' lang="zh-Hans" src="data:image/png')
    assert bool(in_chinese) == has_chinese_font()


@pytest.mark.usefixtures("no_pictures")
def test_a_report_holds_sweeps_and_experiments() -> None:
    experiments = [sample(name) for name in EXPERIMENTS]
    text = report(
        [KeptRun(1, "", make_result())], None, [small_sweep(), small_sweep(MAP)], experiments
    )
    assert f"LayerNorm: 1 run, 2 sweeps, {len(EXPERIMENTS)} experiments" in text
    for anchor in ("sweep-1", "sweep-2", "experiment-4"):
        assert f'<a href="#{anchor}">' in text
    for number, result in enumerate(experiments, 1):
        told = html.unescape(section(text, f"experiment-{number}"))
        assert result.seen() in told
        assert f"{result.resolved.shape_text} · {result.provenance.kind.value} · " in told
    curve, heat = section(text, "sweep-1"), section(text, "sweep-2")
    assert "9 of 9 settings tried." in curve
    assert re.search("measured · NVIDIA H200 · .*2025-11-20T09:30:00", curve)
    assert "lnexplorer sweep --n 1024,2048,8192" in html.unescape(curve)
    assert "surely faster than" in heat
    assert "Its compilation took longer than 60 s." in heat


@pytest.mark.usefixtures("no_pictures")
def test_a_search_and_a_sweep_without_a_time_are_reported() -> None:
    search = replace(MAP, search=5)
    rows = [
        replace(row, status="failed", reason=verbatim("It fell over."), figures=())
        for row in invented_rows(MAP)[:3]
    ]
    part = section(report(sweeps=[recorded_sweep(search, rows)]), "sweep-1")
    assert "3 failed" in part
    assert "It fell over." in part
