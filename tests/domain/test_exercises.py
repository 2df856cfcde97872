"""Lab sheets: how one is written, and what is refused of one that somebody else wrote."""

import contextlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.lecture.checks import (
    CHECKS,
    OPEN,
    RIGHT,
    WRONG,
    AnswerVerdict,
    Evidence,
    ExerciseError,
)
from lnexplorer.domain.lecture.exercises import LONGEST, Exercise, gift, read_exercise
from lnexplorer.domain.timeline import summarize
from lnexplorer.domain.wording import microseconds
from lnexplorer.store.exercises import load_evidence, load_exercises
from lnexplorer.store.resources import resource

SHEET = (
    "---\ntitle: Sums\ncheck: example_sum result=dw column=2\nhint: first\nhint: second\n---\nAdd"
    " **them** up.\n"
)


def refusal(text: str) -> str:
    with pytest.raises(ExerciseError) as caught:
        read_exercise("sheet", text)
    return str(caught.value)


def test_a_sheet_is_a_title_a_check_hints_and_a_task() -> None:
    exercise = read_exercise("sheet", SHEET)
    assert (exercise.name, exercise.title, exercise.task) == ("sheet", "Sums", "Add **them** up.")
    assert (exercise.check, dict(exercise.parameters)) == (
        "example_sum",
        {"result": "dw", "column": 2},
    )
    assert exercise.hints == ("first", "second")
    assert (
        exercise.judge(Evidence(), " −2 ").state
        == exercise.judge(Evidence(), "-2.0").state
        == RIGHT
    )
    assert exercise.judge(Evidence(), "2").state == WRONG


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("---\ntitle", "title", "a sheet begins with title and check between two lines of ---"),
        ("title: Sums", "title: Sums\ntitle: Sums", "title = 2 is not possible: take one"),
        (
            "hint: first",
            "script: rm",
            "line = script: rm is not possible: take title, check, hint",
        ),
        (
            "example_sum",
            "os.system",
            "check = os.system is not possible: take one of example_sum, number",
        ),
        ("column=2", "column=2 column=3", "each once"),
        ("column=2", "column=4", "column = 4 is not possible: take a whole number from 0 to 3"),
        ("result=dw", "result=__class__", "result = __class__ is not possible: take one of dw, db"),
        ("hint: first", "run: m=4", "run = m=4 is not possible: take m=… n=… group_size_m=…"),
        (
            "example_sum result=dw column=2",
            "choice right=3\noption: a\noption: b",
            "option = 2 is not possible: take 3 to 26",
        ),
        (
            "example_sum result=dw column=2",
            "order\noption: a\noption: b\noption: a",
            "option = 3 is not possible: take 3 to 26, no two alike",
        ),
        ("Add **them** up.", "x" * LONGEST, "is not possible: take at most 20000 characters"),
    ],
)
def test_a_bad_sheet_is_told_by_field_value_and_what_is_allowed(
    old: str, new: str, told: str
) -> None:
    assert old in SHEET
    assert told in refusal(SHEET.replace(old, new, 1))


@pytest.mark.parametrize("name", ["../secret", ".hidden", "", "x" * 200])
def test_a_sheet_names_no_file_outside_of_the_recordings(name: str) -> None:
    head = SHEET.replace("example_sum result=dw column=2", f"same_bits file={name}")
    assert "file" in refusal(head)


def test_what_commands_a_terminal_is_blanks() -> None:
    exercise = read_exercise("sheet", SHEET.replace("Add", "\x1b[2JAdd\u202e\x07"))
    assert exercise.task == " [2JAdd   **them** up.".strip()


@given(st.text(max_size=100))
def test_any_text_is_a_sheet_or_a_sentence(text: str) -> None:
    for sheet in (text, f"---\ntitle: x\ncheck: {text}\n---\n{text}", f"---\n{text}\n---\n{text}"):
        with contextlib.suppress(ExerciseError):
            assert read_exercise("sheet", sheet).check in CHECKS


@pytest.mark.parametrize("answer", ["", "two", "nan", "1e9", "1 parsec", "1" * 40])
def test_an_answer_that_is_no_number_is_told_so(answer: str) -> None:
    with pytest.raises(ExerciseError, match=r"answer = .* is not possible: take a number"):
        read_exercise("sheet", SHEET).judge(Evidence(), answer)


def sheet(check: str, *lines: str) -> Exercise:
    head = "\n".join(("---", "title: T", f"check: {check}", *lines, "---", "Which?"))
    return read_exercise("own", head)


def state(exercise: Exercise, answer: str) -> str:
    return exercise.judge(Evidence(), answer).state


def test_a_number_of_a_teacher_has_a_tolerance_in_per_cent() -> None:
    own = sheet("number value=12.5 within=10")
    told = {answer: state(own, answer) for answer in ("11.3 µs", "13.7", "11.2", "0.0125 ms")}
    assert told == {"11.3 µs": RIGHT, "13.7": RIGHT, "11.2": WRONG, "0.0125 ms": RIGHT}
    assert state(sheet("number value=-2 within=0"), "−2") == RIGHT


def test_a_choice_is_answered_by_its_letter() -> None:
    own = sheet("choice right=2", "option: one", "option: two", "option: three")
    assert own.shown == "Which?\n\n- A: one\n- B: two\n- C: three"
    assert [state(own, answer) for answer in ("B", " b)", "A")] == [RIGHT, RIGHT, WRONG]
    for answer in ("D", "", "4", "two"):
        with pytest.raises(ExerciseError, match="take letters from A to C"):
            own.judge(Evidence(), answer)


@pytest.mark.parametrize("texts", [("load", "add", "store"), ("c", "b", "a"), tuple("abcdefg")])
def test_an_order_is_mixed_up_and_answered_by_its_letters(texts: tuple[str, ...]) -> None:
    own = sheet("order", *(f"option: {text}" for text in texts))
    letters = {line[5:]: line[2] for line in own.shown.split("\n") if line.startswith("- ")}
    shown = list(letters)
    assert sorted(shown) == sorted(texts)
    assert shown != list(texts), "the sheet does not give it away"
    right = [letters[text] for text in texts]
    for answer in (" ".join(right), "".join(right).lower(), ", ".join(right)):
        assert state(own, answer) == RIGHT
    assert state(own, "".join(reversed(right))) == WRONG
    assert state(own, right[0]) == WRONG
    with pytest.raises(ExerciseError):
        own.judge(Evidence(), right[0] * 2)


def test_halving_leads_to_a_hint_and_hints_to_the_way() -> None:
    own = sheet("number value=7 within=0", "hint: one", "hint: two", "way: it is", "solution: Yes.")
    wrong, right = (own.judge(Evidence(), answer) for answer in ("9", "7"))
    told = [str(own.told(wrong, count).sentence) for count in range(1, 8)]
    assert told == [
        "9 is too large.",
        "9 is too large.",
        "Take a hint: one",
        "Take a hint: two",
        *["The way: it is"] * 3,
    ]
    assert str(own.told(right, 5).sentence) == "7 is right. Yes."
    bare = sheet("number value=7 within=0")
    assert str(bare.told(wrong, 3).sentence) == "The way: Which?"
    open_ = AnswerVerdict(OPEN, wrong.sentence)
    assert own.told(open_, 9) == open_


def test_questions_for_moodle_have_their_answers_and_no_markup_of_its_own() -> None:
    """As Moodle's question/format/gift/format.php reads it: signs that mean something are escaped,
    and no line is blank, which would end a question.
    """
    own = sheet("choice right=2", "option: a = b", "option: {c}", "solution: x~y")
    assert gift(own, Evidence()) == ("::T::[markdown]Which? {\n~a \\= b\n=\\{c\\}\n####x\\~y\n}")
    assert gift(sheet("number value=50 within=10"), Evidence()) == (
        "::T::[markdown]Which? {\n#50:5\n}"
    )
    own = sheet("order", "option: x", "option: y", "option: z", "run: m=4 n=8 group_size_m=2")
    assert gift(own, Evidence()) == ("::T::[markdown]Which? {\n=1. -> x\n=2. -> y\n=3. -> z\n}")
    assert gift(sheet("uncontended rows=4"), Evidence()) is None
    shipped = load_evidence(None, resource("none"))
    signs, escaped = r"\a = b, {c} ~d #e :f \n", r"\\a \= b, \{c\} \~d \#e \:f \\n"
    own = sheet("choice right=2", f"option: 1 {signs}", f"option: 2 {signs}", f"solution: {signs}")
    assert gift(replace(own, title=signs, task=f"{signs}\n\n{signs}"), Evidence()) == (
        f"::{escaped}::[markdown]{escaped}\\n\\n{escaped} {{\n"
        f"~1 {escaped}\n=2 {escaped}\n####{escaped}\n}}"
    )
    recorded = sheet("recorded file=h200_4096x1024_g16 figure=stage1_us within=25")
    body = gift(recorded, shipped)
    assert body is not None
    assert body.startswith("::T::[markdown]Which? (µs) {")
    right, within = map(float, body.split("#")[1].split("\n")[0].split(":"))
    figure = summarize(shipped.recordings["h200_4096x1024_g16"][0]).stage1_ns / 1e3
    assert (right, within) == pytest.approx((figure, figure / 4))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_numbers_for_moodle_are_judged_as_here(language: str) -> None:
    evidence = load_evidence(None, resource("none"))
    sheets = load_exercises(Path("/nonexistent"), language)[0]
    written = {each: gift(each, evidence) or "" for each in sheets}
    numbers = {each: re.search(r"\n#(\S+):(\S+)\n", text) for each, text in written.items()}
    assert sum(found is not None for found in numbers.values()) >= 9
    for each, found in numbers.items():
        assert "\n\n" not in written[each]
        if found is not None:
            right, off = map(float, found.groups())
            for answer, state in ((right, RIGHT), (right + 1.01 * off + 1, WRONG)):
                assert replace(each, run=()).judge(evidence, f"{answer:g}").state == state


@pytest.mark.parametrize(
    ("sheet", "figure", "sizes"),
    [
        ("exercises/05-predict-32", "stage1_ns", (128, 64)),
        ("exercises/06-second-stage", "stage2_ns", (128, 256)),
        ("manual/lecturing", "stage1_ns", (16,)),
    ],
)
def test_the_times_that_a_sheet_quotes_are_the_recorded_ones(
    sheet: str, figure: str, sizes: tuple[int, ...]
) -> None:
    recordings = load_evidence(None, resource("none")).recordings
    texts = [
        resource(f"{sheet}{language}.md").read_text(encoding="utf-8") for language in ("", ".zh_CN")
    ]
    for size in sizes:
        time = microseconds(
            getattr(summarize(recordings[f"h200_4096x1024_g{size}"][0]), figure) / 1e3
        )
        assert all(time in text for text in texts), time


def test_the_manual_names_every_check_with_its_parameters_and_its_sheet_is_one() -> None:
    manual = resource("manual/lecturing.md").read_text(encoding="utf-8")
    rows = {
        line.split("|")[1].strip(" `"): line.split("|")[2]
        for line in manual.split("\n")
        if line.startswith("| `")
    }
    assert {name: tuple(re.findall("`([a-z0-9_]+)`", rows[name])) for name in CHECKS} == {
        name: tuple(check.parameters) for name, check in CHECKS.items()
    }
    sheet = read_exercise("manual", manual.split("```\n")[1])
    assert sheet.judge(load_evidence(None, resource("none")), "1.2 ms").state == RIGHT


def test_what_whole_lines_gave_is_what_was_measured() -> None:
    notes = (Path(__file__).parents[2] / "kernels/notes.md").read_text(encoding="utf-8")
    lines = [line.split("|") for line in notes.split("\n") if line.startswith("| 16384×100")]
    measured = [(cells[2].strip(), cells[3].strip()) for cells in lines]
    assert len(measured) == 2
    for language in ("en", "zh_CN"):
        sheets = load_exercises(Path("/nonexistent"), language)[0]
        (told,) = (each.solution for each in sheets if each.name == "11-width-1001")
        assert re.findall(r"([\d.]+) µs", told) == [time for time, _ in measured]
        assert re.findall(r"0\.\d+", told) == [share for _, share in measured]
