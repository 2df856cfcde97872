"""The HTML report."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

from lnexplorer.domain.provenance import Kind
from lnexplorer.storage.export.pictures import errors, speeds
from lnexplorer.storage.export.report import report
from lnexplorer.storage.export.table import KeptRun
from tests.sample_results import make_correctness, make_result
from tests.storage.examples import small_result

WRITTEN = "2025-11-20T10:00:00+00:00"
VOID = {"meta"}


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
