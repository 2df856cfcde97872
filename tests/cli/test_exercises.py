"""`lnexplorer exercises`: each of the thirteen sheets tells a right answer from a wrong one, by what
was run or recorded.
"""

import contextlib
import csv
import json
import os
import subprocess
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from lnexplorer.cli.main import main
from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.lecture.checks import (
    OPEN,
    RIGHT,
    WRONG,
    AnswerVerdict,
    Evidence,
)
from lnexplorer.domain.lecture.exercises import Exercise
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.store.exercises import load_evidence, load_exercises
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import HOME_VARIABLE, find_paths
from lnexplorer.store.recordings import read_experiment
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import load_settings
from tests.sample_results import make_correctness, make_result
from tests.store.examples import close_folder, folder_to_close

NONE = Path("/nonexistent")
SHEETS = {each.name: each for each in load_exercises(NONE)[0]}
LOCKED = Path(__file__).parents[2] / "kernels/lnkernels/passes/locked.py"
BARRIER = LOCKED.read_text(encoding="utf-8").split("\n").index("        wait_for_all_threads()") + 1
_LOST = next(
    side
    for side in read_experiment(resource("recordings/h200_barrier.lnexperiment"))
    .findings_of(Barriers)
    .without
    if side.wrong_runs
)
NEEDED = next(k for k in count() if (1 - _LOST.wrong_runs / _LOST.runs) ** k <= 0.01)
# Right and wrong answers. Those of recordings were read in the window; the others follow from the
# sheet.
ANSWERS = {
    "01-by-hand": (("-2", "−2"), ("2", "0")),
    "04-who-comes-first": (("2",), ("0", "1")),
    "05-predict-32": (("303 µs", "0.28 ms", "370"), ("150 µs", "600", "0.303")),
    "06-second-stage": (("26 µs",), ("13.2 µs", "50")),
    "07-enough-buffers": (("256",), ("128", "512")),
    "08-missing-barrier": ((str(BARRIER),), (str(BARRIER + 3), "1", "100000")),
    "09-how-many-runs": ((str(NEEDED),), (str(NEEDED - 1), "1", "100000")),
    "11-width-1001": (("2", "2 bytes"), ("16", "8", "1")),
    "12-same-bits": (("persistent", "Split"), ("locked", "atomic")),
}
RUN = ("02-rows-a-lock", "03-no-queue", "10-rounding")


def judge(exercise: Exercise, answer: str) -> AnswerVerdict:
    return exercise.judge(load_evidence(None, NONE), answer)


def test_there_are_thirteen_and_each_is_tried_here() -> None:
    assert len(SHEETS) == 13
    assert {*ANSWERS, *RUN, "13-write-the-lock"} == set(SHEETS)
    assert all(each.hints for each in SHEETS.values())


def test_the_chinese_sheets_ask_the_same() -> None:
    chinese, wrong = load_exercises(NONE, "zh_CN")
    assert not wrong
    assert len(list(resource("exercises").glob("*.zh_CN.md"))) == 13
    for sheet in chinese:
        english = SHEETS[sheet.name]
        assert (sheet.check, sheet.parameters, len(sheet.hints)) == (
            english.check,
            english.parameters,
            len(english.hints),
        )
        assert sheet.title != english.title


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_recording_tells_a_right_answer_from_a_wrong_one(name: str) -> None:
    right, wrong = ANSWERS[name]
    assert {judge(SHEETS[name], answer).state for answer in right} == {RIGHT}
    assert {judge(SHEETS[name], answer).state for answer in wrong} == {WRONG}
    sentence = str(judge(SHEETS[name], wrong[0]).sentence)
    assert not any(answer in sentence.split() for answer in right), (
        "who is wrong is not told the answer"
    )


def keep_run(
    m: int, n: int, group_size_m: int, partial_dtype: str = "float32", error: float = 0.0
) -> None:
    """A run in the history, whose dw is off by an error."""
    resolved = resolve(
        RunRequest.of(
            m=m, n=n, dtype="float16", group_size_m=group_size_m, partial_dtype=partial_dtype
        ),
        "cuda",
    )
    correctness = make_correctness(4, 8)
    checks = tuple(
        (
            replace(check, kernel_vs_truth=replace(check.kernel_vs_truth, max_abs=error))
            if check.name == "dw"
            else check
        )
        for check in correctness.checks
    )
    result = replace(
        make_result(m, n, correctness=replace(correctness, checks=checks)), resolved=resolved
    )
    with open_history(find_paths().history, pytest.fail) as history:
        history.runs.add(result)


def test_what_has_to_be_run_is_checked_by_the_runs_of_the_history(
    worker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(name: str, answer: str) -> str:
        status = main(["exercises", "check", name, "--answer", answer])
        state, _, sentence = capsys.readouterr().out.partition(": ")
        assert status == (0 if state == RIGHT else 1)
        return state if state == OPEN else f"{state}: {sentence.strip()}"

    assert {told(*asked) for asked in (("02", "16"), ("03", ""), ("10", "5"))} == {OPEN}, (
        "nothing was run yet"
    )
    keep_run(64, 512, 4)
    keep_run(33, 8, 32)
    keep_run(64, 512, 1, "same", 5e-3)
    assert {told(*asked) for asked in (("03", ""), ("10", "5"))} == {OPEN}, (
        "two rows share a lock; one run of two"
    )
    keep_run(32, 8, 32)
    keep_run(64, 512, 1, "float32", 1e-3)
    assert told("02", "64") == f"{WRONG}: 64 is too large."
    assert [told("10", answer).partition(":")[0] for answer in ("5", "1", "50")] == [
        RIGHT,
        WRONG,
        WRONG,
    ]
    assert "0.005 against 0.001: 5 times" in told("10", "5")
    assert told("02", "16").startswith(RIGHT)
    assert told("03", "").startswith(RIGHT)
    assert load_settings(worker / "settings.json")[0].solved == (
        "10-rounding",
        "02-rows-a-lock",
        "03-no-queue",
    )
    assert main(["exercises"]) == 0
    assert capsys.readouterr().out.count("solved") == len(RUN)


def test_tries_are_kept_and_after_three_wrong_ones_help_comes(
    worker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(answer: str) -> str:
        main(["exercises", "check", "01", "--answer", answer])
        return capsys.readouterr().out.partition(": ")[2].strip()

    hints = [f"Take a hint: {hint}" for hint in SHEETS["01-by-hand"].hints]
    told = [check(answer) for answer in ("1", "2", "3", "4", "-2", "5")]
    assert told[:4] == ["1 is too large.", "2 is too large.", *hints]
    assert told[5].startswith("The way: "), "hints are at their end"
    main(["exercises", "check", "04", "--answer", "2"])
    with contextlib.suppress(SystemExit):
        main(["exercises", "check", "01", "--answer", "=cmd()"])
    capsys.readouterr()
    assert main(["exercises", "log"]) == 0
    lines = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert lines[0] == ["time", "exercise", "answer", "verdict"]
    assert [line[1:] for line in lines[1:]] == [
        *(["01-by-hand", answer, WRONG] for answer in "1234"),
        ["01-by-hand", "'-2", RIGHT],
        ["01-by-hand", "5", WRONG],
        ["04-who-comes-first", "2", RIGHT],
    ]
    assert main(["exercises", "log", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tries"]) == 7
    (worker / "tries.csv").write_bytes(b"\xff broken, line\n" * 3)
    assert check("1") == "1 is too large.", "a damaged log counts nothing"


def test_a_lock_is_written_in_a_file_that_is_run_and_compiled(
    worker: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_evidence(None, NONE).command("exercises")["exercises"], "a process of its own"

    def in_this_process(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        status = main(command[3:])
        return subprocess.CompletedProcess(command, status, *capsys.readouterr())

    monkeypatch.setattr("lnexplorer.store.exercises.subprocess.run", in_this_process)
    file = tmp_path / "my_lock.py"
    assert main(["new-kernel", "--lock", str(file)]) == 0
    start = file.read_text(encoding="utf-8")
    assert 'NAME = "my_lock"' in start
    before, between, after = start.split("    pass\n")
    take = "    while tl.atomic_cas(lock_ptr, 0, 1) == 1:\n        pass\n"
    give_back = "    tl.debug_barrier()\n    tl.atomic_xchg(lock_ptr, 0)\n"
    file.write_text(f"{before}{take}{between}{give_back}{after}", encoding="utf-8")
    capsys.readouterr()
    assert main(["exercises", "check", "13", "--answer", str(file)]) == 0
    solution = SHEETS["13-write-the-lock"].solution
    assert solution in capsys.readouterr().out
    assert main(["exercises", "check", "13", "--answer", str(tmp_path / "none.py")]) == 2
    assert "none.py cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verdict", "locks", "told"),
    [
        ("right", [(False, "bar")], "right: Its results are right, and the rule for locks holds."),
        ("right", [(False, "bar"), (True, "no bar")], "wrong: no bar"),
        ("right", [], "wrong: Its results are right, but no lock is taken and given back."),
        (None, [], "wrong: Its results are not right."),
    ],
)
def test_a_lock_of_ones_own_needs_right_results_and_the_rule(
    verdict: str | None, locks: list[tuple[bool, str]], told: str
) -> None:
    asked: list[tuple[str, ...]] = []

    def command(*words: str) -> dict[str, object]:
        asked.append(words)
        if words[0] == "run":
            return {"verdicts": None if verdict is None else {"my_lock": verdict}}
        found = [{"fault": fault, "sentence": sentence} for fault, sentence in locks]
        return {"kernels": [{"locks": []}, {"locks": found}]}

    found = SHEETS["13-write-the-lock"].judge(Evidence(command=command), "--json")
    assert f"{found.state}: {found.sentence}" == told
    assert "--provider=--json" in asked[0], "what is typed is no option"


def test_moodle_gets_every_sheet_whose_answer_it_can_check(
    worker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["exercises", "moodle"]) == 0
    out, err = capsys.readouterr()
    questions = out.strip().split("\n\n::")
    assert len(questions) == len(SHEETS) - 4
    for name in ("03-no-queue", "10-rounding", "12-same-bits", "13-write-the-lock"):
        assert f"{name} is left out" in err
    assert "#-2:0" in questions[0]
    assert all(question.endswith("}") for question in questions)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["check", "14"], "exercise = 14 is not possible: take a name"),
        (["check", "05", "--answer", "long"], "answer = long is not possible: take a number"),
        (
            ["check", "12", "--answer", "none"],
            "answer = none is not possible: take one of locked, atomic",
        ),
    ],
)
@pytest.mark.usefixtures("worker")
def test_what_is_not_possible_is_refused_by_name(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["exercises", *arguments]) == 2
    assert named in capsys.readouterr().err


def test_a_teachers_sheet_is_a_file_and_a_bad_one_a_sentence(
    worker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = worker / "exercises"
    own.mkdir(parents=True)
    sheet = (
        "---\ntitle: My own\ncheck: recorded file={file} figure=last_row within=0\n---\nWhich row"
        " is the last?\n"
    )
    (own / "own.md").write_text(sheet.format(file="mine"), encoding="utf-8")
    (own / "12-same-bits.md").write_text(sheet.format(file="h200_lecture"), encoding="utf-8")
    (own / "bad.md").write_text(sheet.format(file="../mine"), encoding="utf-8")
    (own / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (own / "large.md").write_bytes(b"x" * (2 << 20))
    os.mkfifo(own / "pipe.md")
    (own / "mine.lnrec").write_bytes(resource("recordings/h200_lecture.lnrec").read_bytes())
    assert main(["exercises", "--json"]) == 0
    out, err = capsys.readouterr()
    names = [each["exercise"] for each in json.loads(out)["exercises"]]
    assert names == sorted([*SHEETS, "own"])
    assert "bad.md is left out: file = ../mine is not possible: name a file" in err
    assert "bytes.md is left out: it is no text in UTF-8." in err
    assert "large.md cannot be opened: it is larger than 1 MiB." in err
    assert "pipe.md cannot be read" in err
    assert len(err.strip().split("\n")) == 4
    for name in ("own", "12"):
        assert main(["exercises", "check", name, "--answer", "0", "-q"]) == 0
        assert main(["exercises", "check", name, "--answer", "3", "-q"]) == 1
    (own / "mine.lnrec").unlink()
    assert main(["exercises", "check", "own", "--answer", "0"]) == 2
    assert "There is no file mine.lnrec among the recordings." in capsys.readouterr().err


def test_a_home_that_cannot_be_read_is_told_and_the_sheets_of_the_program_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with folder_to_close() as home:
        monkeypatch.setenv(HOME_VARIABLE, str(home))
        close_folder(home, 0o000)
        assert main(["exercises"]) == 0
    captured = capsys.readouterr()
    assert "01-by-hand" in captured.out
    assert f"{home}/exercises cannot be read (Permission denied)" in captured.err
    assert f"The settings in {home}/settings.json cannot be read" in captured.err
