"""The page that plays a recording, in a real browser: figures and sentences of the window, nothing
from outside, and texts of others as plain text.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.cli.commands import run_command
from lnexplorer.domain.request import ResolvedRequest, resolve
from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit.languages import CHINESE, ENGLISH, Languages, translate_message
from lnexplorer.gui.panes.reduction.pictures import FollowView
from lnexplorer.gui.timeline.captions import caption, described_row, in_stage2
from lnexplorer.gui.timeline.source import (
    KernelStep,
    kernel_source,
    step_of_adding,
    step_of_row,
)
from lnexplorer.gui.timeline.wording import time_text
from lnexplorer.report import page
from lnexplorer.store.archive import RECORDING
from lnexplorer.store.recordings import Recording, read_recording
from lnexplorer.store.resources import resource
from lnkernels.values.timeline import Clock, ReductionTimeline
from tests import browser
from tests.store.examples import REQUEST, small_timeline

MOMENTS = 12  # of each recording: more than 200 in all
LAUNCH = resolve(REQUEST, "cuda")
# But for those of counters, which have no timeline.
SHIPPED = sorted(
    path.stem
    for path in resource("recordings").glob(f"*{RECORDING.suffix}")
    if "counters" not in path.stem
)
ASK = """(asked => { const replay = lnexplorer.replays[0]; return asked.map(([time, row, lock]) => {
    Object.assign(replay, {time, row, lock}); replay.paint(); const {parts} = replay;
    const marked = [...document.querySelectorAll(".marked")].map(line => Number(line.dataset.line));
    return {
        time: parts.scrub.getAttribute("aria-valuetext"), caption: parts.caption.textContent,
        title: parts.title.textContent, marked,
        table: [...parts.table.rows].map(row => [...row.cells].map(cell => cell.textContent)),
    };
}); })"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    if browser.program() is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    opened = browser.Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[FollowView]:
    view = FollowView()
    qtbot.addWidget(view)
    yield view
    view.deleteLater()


@pytest.fixture
def languages(qapp: QApplication) -> Iterator[Languages]:
    found = Languages()
    yield found
    found.use(ENGLISH)


def page_of(recording: Recording, folder: Path) -> Path:
    path = folder / "page.html"
    path.write_text(page.report(page.Exported(recording=recording)))
    return path


def asked(timeline: ReductionTimeline, seed: str) -> list[tuple[int, int | None, int | None]]:
    """Random moments, half of them those of an event, with nothing, a row or a lock followed."""
    random = Random(seed)
    stamps = (timeline.wanted_ns, timeline.held_ns, timeline.released_ns, timeline.tile_end_ns)
    times = [int(time) for each in stamps for time in each]
    found: list[tuple[int, int | None, int | None]] = []
    for number in range(MOMENTS):
        time = random.choice(times) if number % 2 else random.randint(0, timeline.end_ns)
        row = random.randrange(timeline.m) if number % 3 == 1 else None
        used = min(timeline.group_size_m, timeline.m)
        found.append((time, row, random.randrange(used) if number % 3 == 2 else None))
    return found


def of_the_window(
    view: FollowView,
    timeline: ReductionTimeline,
    launch: ResolvedRequest | None,
    time: int,
    row: int | None,
    lock: int | None,
) -> dict[str, Any]:
    """What the window shows at a moment."""
    now = moment(timeline, time)
    barrier = launch is None or launch.launch.barrier
    if row is not None:
        view.show_row(now, row)
    elif lock is not None:
        atomic = launch is None or launch.launch.atomic_count
        view.show_lock(now, lock, atomic_count=atomic)
    else:
        view.show_nothing()
    step = None
    described = described_row(now, row, lock)
    if launch is not None and described is not None:
        adding = step_of_adding(launch, interpreted=timeline.counted)
        step = step_of_row(now, described, barrier=barrier, adding=adding)
    elif lock is None and in_stage2(now):
        step = KernelStep.SUM
    first, last = (0, -1) if step is None else kernel_source().steps[step]
    return {
        "time": translate_message(time_text(time, counted=timeline.counted)),
        "caption": translate_message(caption(now, row, lock)),
        "title": view.title.text(),
        "marked": [] if timeline.source else list(range(first, last + 1)),
        "table": [[translate_message(text) for text in line] for line in view.lines],
    }


def compare(
    chromium: browser.Browser,
    path: Path,
    recording: Recording,
    view: FollowView,
    languages: Languages,
    seed: str,
) -> None:
    timeline = recording.timeline
    assert timeline is not None
    questions = asked(timeline, seed)
    chromium.open(path)
    assert chromium.errors == []
    half = MOMENTS // 2
    for language, name, own in (
        (ENGLISH, "en", questions[:half]),
        (CHINESE, "zh", questions[half:]),
    ):
        languages.use(language)
        chromium.run(f"lnexplorer.changeLanguage('{name}')")
        answers = chromium.run(f"{ASK}({json.dumps(own)})")
        for question, answer in zip(own, answers, strict=True):
            assert answer == of_the_window(view, timeline, recording.launch, *question), question


@pytest.mark.parametrize("name", SHIPPED)
def test_a_page_shows_what_the_window_shows(
    chromium: browser.Browser,
    view: FollowView,
    languages: Languages,
    tmp_path: Path,
    name: str,
) -> None:
    recording = read_recording(resource(f"recordings/{name}{RECORDING.suffix}"))
    compare(chromium, page_of(recording, tmp_path), recording, view, languages, name)


def test_an_exported_page_of_4096_rows_has_less_than_a_megabyte_and_asks_for_nothing(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    source = resource(f"recordings/h200_4096x1024_g128{RECORDING.suffix}")
    assert run_command(["export", str(path), "--from", str(source)]) == 0
    assert path.stat().st_size < 1_000_000
    chromium.open(path)
    assert {address.partition(":")[0] for address in chromium.requests} <= {"file", "data"}
    assert chromium.errors == []


def test_the_times_of_an_address_are_read(chromium: browser.Browser, tmp_path: Path) -> None:
    recording = Recording(title="", result=None, timeline=small_timeline(), alone=LAUNCH)
    path = page_of(recording, tmp_path)
    for text, time in (("3.2us", 3200), ("250", 250)):
        chromium.open(path, f"#t={text}&row=3&lang=zh&theme=dark")
        ended = min(time, small_timeline().end_ns)
        assert chromium.run("[lnexplorer.replays[0].time, lnexplorer.replays[0].row]") == [ended, 3]
    assert chromium.run("document.documentElement.lang") == "zh-Hans"
    chromium.open(path, "#t=nonsense&row=99")
    assert chromium.run("lnexplorer.replays[0].row") is None
    assert chromium.errors == []


def test_keys_a_click_and_two_fingers_do_what_they_do_in_the_window(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    timeline = small_timeline(64, 16, 4)
    path = page_of(Recording(title="", result=None, timeline=timeline, alone=LAUNCH), tmp_path)
    chromium.size(390, 844)
    chromium.open(path, "#t=1us")
    chromium.run("scrollTo(0, 0)")

    def seen(value: str) -> Any:
        chromium.settle()
        return chromium.run(f"lnexplorer.replays[0].{value}")

    def press(key: str, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            chromium.call("Input.dispatchKeyEvent", type=kind, key=key, text=text)

    press("ArrowRight")
    assert seen("time") == 1040
    press("ArrowLeft")
    assert seen("time") == 1000
    press("End")
    assert seen("time") == timeline.end_ns
    press("Home")
    press(" ", " ")
    assert seen("playing") is True
    press(" ", " ")
    assert seen("playing") is False
    press("z", "z")
    assert seen("length") == pytest.approx(timeline.end_ns * 1.01 / 1.5)
    press("0", "0")
    press("l", "l")
    assert seen("lock") == 0
    press("Escape")
    assert seen("lock") is None
    place = chromium.run(
        "(({x, y, width, height}) => [x + width / 2, y + height / 4, height])"
        "(lnexplorer.replays[0].parts.rows.getBoundingClientRect())"
    )
    point = {"x": place[0], "y": place[1]}
    for kind in ("mousePressed", "mouseReleased"):
        chromium.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **point)
    by_lock = [row for lock in range(4) for row in range(lock, 64, 4)]
    axis = 22  # px
    assert seen("row") == by_lock[int(64 * place[2] / 4 / (place[2] - axis))]
    for kind, apart in (("touchStart", 20), ("touchMove", 80)):
        fingers = [
            {"x": point["x"] + side * apart, "y": point["y"], "id": side} for side in (-1, 1)
        ]
        chromium.call("Input.dispatchTouchEvent", type=kind, touchPoints=fingers)
    chromium.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    assert seen("length") == pytest.approx(timeline.end_ns * 1.01 / 4, rel=0.05)
    assert chromium.errors == []


def test_counted_events_are_told_as_in_the_window(
    chromium: browser.Browser, view: FollowView, languages: Languages, tmp_path: Path
) -> None:
    for rows in (6, 80):
        timeline = replace(small_timeline(rows, 16, 2), clock=Clock.STEPS)
        recording = Recording(title="", result=None, timeline=timeline, alone=LAUNCH)
        compare(chromium, page_of(recording, tmp_path), recording, view, languages, "steps")


@pytest.mark.parametrize("phases", [(), ("load <b>", "add &amp;", "</script><img src=x>")])
def test_what_others_wrote_is_plain_text(
    chromium: browser.Browser,
    view: FollowView,
    languages: Languages,
    tmp_path: Path,
    phases: tuple[str, ...],
) -> None:
    hostile = "</script><script>window.bad = 1</script><img src=http://a.b/c onerror=bad()>\u2028"
    timeline = replace(
        small_timeline(), source=hostile[:64], lanes=bool(phases), phases=phases, tries=None
    )
    recording = Recording(title=hostile, result=None, timeline=timeline, alone=LAUNCH)
    path = page_of(recording, tmp_path)
    compare(chromium, path, recording, view, languages, "hostile")
    assert chromium.run("typeof bad") == "undefined"
    assert chromium.run("document.querySelectorAll('img:not([src^=\"data:\"])').length") == 0
    assert chromium.requests[0] == path.as_uri()
    assert all(address.startswith("data:") for address in chromium.requests[1:])
    assert hostile.strip() in chromium.run("document.body.innerText")


def test_without_scripts_a_page_has_pictures_figures_and_text(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    path = page_of(
        Recording(title="", result=None, timeline=small_timeline(), alone=LAUNCH), tmp_path
    )
    chromium.open(path, scripts=False)
    seen = "[...document.querySelectorAll('img, button')].filter(part => part.offsetWidth)"
    assert chromium.run(f"{seen}.map(part => part.tagName)") == ["IMG"]
    assert "Stage 1 " in chromium.run("document.body.innerText")
    chromium.open(path)
    assert "IMG" not in chromium.run(f"{seen}.map(part => part.tagName)")
