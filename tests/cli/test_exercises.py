"""`lnexplorer exercises`: each of the thirteen sheets tells a right answer from a wrong one, by what
was run or recorded.
"""

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
from tests.cli.conftest import Command
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
    worker: Path, lnexplorer: Command
) -> None:
    def told(name: str, answer: str, status: int = 1) -> str:
        return lnexplorer(f"exercises check {name} --answer", answer, status=status).out

    # Nothing was run yet.
    assert all(told(*asked).startswith(OPEN) for asked in (("02", "16"), ("03", ""), ("10", "5")))
    keep_run(64, 512, 4)
    keep_run(33, 8, 32)
    keep_run(64, 512, 1, "same", 5e-3)
    # Two rows share a lock; one run of two.
    assert all(told(*asked).startswith(OPEN) for asked in (("03", ""), ("10", "5")))
    keep_run(32, 8, 32)
    keep_run(64, 512, 1, "float32", 1e-3)
    assert told("02", "64") == f"{WRONG}: 64 is too large.\n"
    assert all(told("10", answer).startswith(WRONG) for answer in ("1", "50"))
    assert "0.005 against 0.001: 5 times" in told("10", "5", 0)
    assert told("02", "16", 0).startswith(RIGHT)
    assert told("03", "", 0).startswith(RIGHT)
    assert load_settings(worker / "settings.json")[0].solved == (
        "10-rounding",
        "02-rows-a-lock",
        "03-no-queue",
    )
    assert lnexplorer("exercises").out.count("solved") == len(RUN)


def test_tries_are_kept_and_after_three_wrong_ones_help_comes(
    worker: Path, lnexplorer: Command
) -> None:
    def check(answer: str) -> str:
        status = 0 if answer == "-2" else 1
        told = lnexplorer("exercises check 01 --answer", answer, status=status).out
        return told.partition(": ")[2].strip()

    hints = [f"Take a hint: {hint}" for hint in SHEETS["01-by-hand"].hints]
    told = [check(answer) for answer in ("1", "2", "3", "4", "-2", "5")]
    assert told[:4] == ["1 is too large.", "2 is too large.", *hints]
    assert told[5].startswith("The way: "), "hints are at their end"
    lnexplorer("exercises check 04 --answer 2")
    lnexplorer("exercises check 01 --answer =cmd()", status=2)
    lines = list(csv.reader(lnexplorer("exercises log").out.splitlines()))
    assert lines[0] == ["time", "exercise", "answer", "verdict"]
    assert [line[1:] for line in lines[1:]] == [
        *(["01-by-hand", answer, WRONG] for answer in "1234"),
        ["01-by-hand", "'-2", RIGHT],
        ["01-by-hand", "5", WRONG],
        ["04-who-comes-first", "2", RIGHT],
    ]
    assert len(lnexplorer("exercises log --json").document["tries"]) == 7
    (worker / "tries.csv").write_bytes(b"\xff broken, line\n" * 3)
    assert check("1") == "1 is too large.", "a damaged log counts nothing"


def test_a_lock_is_written_in_a_file_that_is_run_and_compiled(
    worker: Path,
    tmp_path: Path,
    lnexplorer: Command,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_evidence(None, NONE).command("exercises")["exercises"], "a process of its own"

    def in_this_process(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        status = main(command[3:])
        return subprocess.CompletedProcess(command, status, *capsys.readouterr())

    monkeypatch.setattr("lnexplorer.store.exercises.subprocess.run", in_this_process)
    file = tmp_path / "my_lock.py"
    lnexplorer(f"new-kernel --lock {file}")
    start = file.read_text(encoding="utf-8")
    assert 'NAME = "my_lock"' in start
    before, between, after = start.split("    pass\n")
    take = "    while tl.atomic_cas(lock_ptr, 0, 1) == 1:\n        pass\n"
    give_back = "    tl.debug_barrier()\n    tl.atomic_xchg(lock_ptr, 0)\n"
    file.write_text(f"{before}{take}{between}{give_back}{after}", encoding="utf-8")
    solution = SHEETS["13-write-the-lock"].solution
    assert solution in lnexplorer(f"exercises check 13 --answer {file}").out
    assert (
        "none.py cannot be read"
        in lnexplorer(f"exercises check 13 --answer {tmp_path}/none.py", status=2).err
    )


@pytest.mark.parametrize(
    ("verdict", "locks", "told"),
    [
        ("right", [(False, "bar")], "right: Its results are right, and the rule for locks holds."),
        ("right", [(False, "bar"), (True, "no bar")], "wrong: no bar"),
        ("right", [], "wrong: Its results are right, but no lock is taken and given back."),
        ("no kernel", [], "wrong: Its results are right, but no lock is taken and given back."),
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
    worker: Path, lnexplorer: Command
) -> None:
    out, err = lnexplorer("exercises moodle")
    questions = out.strip().split("\n\n::")
    assert len(questions) == len(SHEETS) - 4
    for name in ("03-no-queue", "10-rounding", "12-same-bits", "13-write-the-lock"):
        assert f"{name} is left out" in err
    assert "#-2:0" in questions[0]
    assert all(question.endswith("}") for question in questions)


def test_a_teachers_sheet_is_a_file_and_a_bad_one_a_sentence(
    worker: Path, lnexplorer: Command
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
    out, err = lnexplorer("exercises --json")
    names = [each["exercise"] for each in json.loads(out)["exercises"]]
    assert names == sorted([*SHEETS, "own"])
    assert "bad.md is left out: file = ../mine is not possible: name a file" in err
    assert "bytes.md is left out: it is no text in UTF-8." in err
    assert "large.md cannot be opened: it is larger than 1 MiB." in err
    assert "pipe.md cannot be read" in err
    assert len(err.strip().split("\n")) == 4
    for name in ("own", "12"):
        lnexplorer(f"exercises check {name} --answer 0 -q")
        lnexplorer(f"exercises check {name} --answer 3 -q", status=1)
    (own / "mine.lnrec").unlink()
    assert (
        "There is no file mine.lnrec among the recordings."
        in lnexplorer("exercises check own --answer 0", status=2).err
    )


def test_a_home_that_cannot_be_read_is_told_and_the_sheets_of_the_program_are_listed(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    with folder_to_close() as home:
        monkeypatch.setenv(HOME_VARIABLE, str(home))
        close_folder(home, 0o000)
        captured = lnexplorer("exercises")
    assert "01-by-hand" in captured.out
    assert f"{home}/exercises cannot be read (Permission denied)" in captured.err
    assert f"The settings in {home}/settings.json cannot be read" in captured.err
