"""The lecture as one page of HTML, in a real browser."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from lnexplorer.cli.commands import run_command
from lnexplorer.domain.lecture.checks import RIGHT
from lnexplorer.domain.lecture.paper import explained
from lnexplorer.domain.lecture.scenes import LectureStep, Playback, QuestionScene, Scheduling
from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.lecture.loading import lecture_steps
from lnexplorer.lecture.page import PageState, said
from lnexplorer.lecture.web import right_answers
from lnexplorer.report.replay import chinese
from lnexplorer.store.exercises import load_evidence, load_exercises
from lnkernels.values.sentence import translated
from tests import browser

LONGEST = 90  # minutes
MOMENTS = 10  # of each timeline


@pytest.fixture(scope="module")
def steps() -> Sequence[LectureStep]:
    return lecture_of(lecture_steps(), LONGEST)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lecture") / "lecture.html"
    assert run_command(["lecture", "--html", str(path), "--minutes", str(LONGEST)]) == 0
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory, page: Path) -> Iterator[browser.Browser]:
    if browser.program() is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    opened = browser.Browser(tmp_path_factory.mktemp("browser"))
    opened.open(page)
    yield opened
    assert opened.errors == []
    assert all(address.startswith(("data:", page.as_uri())) for address in opened.requests)
    opened.close()


def test_the_longest_lecture_has_at_most_three_megabytes(page: Path) -> None:
    assert page.stat().st_size <= 3_000_000


# All in one call: the browser paints none of them.
SHOWN = """step => {
    lnexplorer.lecture.show(step);
    const shown = document.querySelector(".shown");
    return [shown.innerText, [...shown.querySelectorAll(".note")].map(note => note.textContent)];
}"""


def test_each_step_says_what_it_says_in_the_window_in_both_languages(
    chromium: browser.Browser, steps: Sequence[LectureStep]
) -> None:
    for language, look_up in (("zh", chinese()), ("en", str)):
        chromium.run(f"lnexplorer.changeLanguage('{language}')")
        shown = chromium.run(f"{[step.number - 1 for step in steps]}.map({SHOWN})")
        for step, (told, notes) in zip(steps, shown, strict=True):
            text = " ".join(told.split())
            scene = step.scene
            sentences = [step.title, step.aside]
            if isinstance(scene, QuestionScene):
                sentences += scene.question.options
            if not isinstance(scene, Playback):
                sentences.append(step.caption)
            for sentence in filter(None, sentences):
                assert " ".join(translated(sentence, look_up).split()) in text
            note = explained(translated(step.note or "", look_up))
            assert notes == [] if not note else note in notes
            assert not any("【" in each or each.startswith("[") for each in notes)


def test_what_plays_tells_what_it_tells_in_the_window(
    chromium: browser.Browser, steps: Sequence[LectureStep]
) -> None:
    random = Random("lecture")
    for step in steps:
        if not isinstance(step.scene, Playback):
            continue
        end = step.scene.end_ns
        times = [*step.scene.halts, *(random.randint(0, end) for _ in range(MOMENTS))]
        chromium.run(f"lnexplorer.lecture.show({step.number - 1})")
        told = chromium.run(
            f"{json.dumps(times)}.map(time => {{ const replay = lnexplorer.replays.find(each =>"
            f" each.section.id === 'step-{step.number}'); replay.time = time; replay.paint();"
            " return replay.parts.told.innerText; })"
        )
        for text, time in zip(told, times, strict=True):
            assert text.strip() == said(PageState(step=step, time_ns=time))


def test_answers_are_checked_and_what_needs_a_kernel_says_so(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    evidence = load_evidence(None, tmp_path)

    def is_right(name: str, answer: str) -> bool:
        form = f"document.querySelector('[data-exercise=\"{name}\"]')"
        chromium.run(f"{form}.querySelector('input').value = {json.dumps(answer)}")
        chromium.run(f"{form}.requestSubmit()")
        shown: str = chromium.run(f"{form}.querySelector('output').textContent")
        assert shown in ("✓ Right", "✗ Not right")
        return shown == "✓ Right"

    checked = 0
    for exercise in load_exercises(tmp_path)[0]:
        answers = [answer.removeprefix("~") for answer in right_answers(exercise, evidence)]
        for answer in answers[:: max(len(answers) // 4, 1)]:
            assert exercise.judge(evidence, answer).state == RIGHT
            assert is_right(exercise.name, answer)
        for wrong in ("7.77", "nothing") if answers else ():
            assert not is_right(exercise.name, wrong)
        checked += bool(answers)
    assert checked >= 8
    needs = "This one needs a kernel to run"
    assert chromium.run("document.getElementById('exercises').textContent").count(needs) >= 2


def test_an_address_keys_and_a_guess_lead_through_it(
    chromium: browser.Browser, page: Path, steps: Sequence[LectureStep]
) -> None:
    chromium.open(page, "#step=24&lang=en")
    shown = "document.querySelector('.shown').id"
    assert chromium.run(shown) == "step-24"
    chromium.open(page, "#step=2")
    for key, then in (("ArrowRight", 3), ("PageDown", 4), ("ArrowLeft", 3)):
        chromium.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        assert chromium.run(shown) == f"step-{then}"
        assert chromium.run("location.hash") == f"#step={then}"
    noted = "document.querySelector('.shown .note').offsetHeight > 0"
    assert not chromium.run(noted)
    chromium.call("Input.dispatchKeyEvent", type="keyDown", key="n", text="n")
    assert chromium.run(noted)
    asked = next(step for step in steps if isinstance(step.scene, QuestionScene))
    right = asked.scene.question.correct
    chromium.run(f"lnexplorer.lecture.show({asked.number - 1})")
    for place, sign in ((right, "✓"), (right - 1, "✗")):
        option = f"[...document.querySelectorAll('.shown .option')].at({place})"
        chromium.run(f"{option}.click()")
        assert chromium.run(f"{option}.textContent")[0] == sign
    chromium.open(page, scripts=False)
    seen = "[...document.querySelectorAll('.step')].filter(step => step.offsetHeight).length"
    assert chromium.run(seen) == len(steps) + 1


def test_the_reader_orders_the_turns_of_two_programs_and_loses_an_update(
    chromium: browser.Browser, page: Path, steps: Sequence[LectureStep]
) -> None:
    chromium.open(page, "#lang=en")
    plain, locked = (step for step in steps if isinstance(step.scene, Scheduling))
    for step, order in ((plain, "0101"), (plain, "0011"), (locked, "01011"), (locked, "10100")):
        moves = step.scene.played(list(map(int, order)))
        assert moves.through
        chromium.run(f"lnexplorer.lecture.show({step.number - 1})")
        for turn in ("", *order):
            chromium.run(f"document.querySelector('.shown [data-turn=\"{turn}\"]').click()")
        shown = chromium.run("document.querySelector('.shown tbody').innerText").splitlines()
        told = [line.split("\t")[0].strip() for line in shown]
        assert told == [str(move.text) for move in moves.moves]
        sign = "✓" if moves.moves[-1].buffer == moves.right else "✗"
        assert shown[-1].endswith(sign)
    assert sign == "✓"
