"""Reads lab sheets, of the program and of a user's folder, and the evidence for answers."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import lnkernels.launch
from lnexplorer.domain.history import HistoryQuery
from lnexplorer.domain.lecture.checks import WRONG, AnswerVerdict, Evidence, ExerciseError
from lnexplorer.domain.lecture.exercises import Exercise, read_exercise
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.table import as_text
from lnexplorer.store.archive import EXPERIMENT, RECORDING, SWEEP
from lnexplorer.store.files import StoreError, read_at_most, reason
from lnexplorer.store.history import History
from lnexplorer.store.recordings import read_experiment, read_recorded_sweep, read_recording
from lnexplorer.store.resources import resource
from lnkernels.values import Sentence, Words, join_sentences, say, verbatim
from lnkernels.values.timeline import ReductionTimeline

SUFFIX = ".md"
ENGLISH = "en"
MAX_BYTES = 1 << 20  # of a sheet; its letters are counted when it is read
MOST_SHEETS = 500  # of a folder
LONGEST_ERROR = 300  # letters, its end
MOST_RUNS = 50  # of the history, the newest
_SOURCE = Path(lnkernels.launch.__file__).parents[1] / "passes" / "locked.py"
TRY = ("time", "exercise", "answer", "verdict")
T = TypeVar("T")


def load_exercises(own: Path, language: str = ENGLISH) -> tuple[list[Exercise], list[Sentence]]:
    """Return all sheets by name, and what is wrong with some.

    Sheets of a user's folder take the place of the program's of the same name.

    Args:
        own: a folder, which need not be there.
        language: NAME.zh_CN.md comes before NAME.md where the language is zh_CN.
    """
    exercises: dict[str, Exercise] = {}
    wrong = []
    for folder in (resource("exercises"), own):
        try:
            # Not by glob, which from Python 3.13 on finds nothing where a folder cannot be read.
            paths = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)[:MOST_SHEETS]
        except FileNotFoundError:
            continue
        except OSError as error:
            wrong.append(say("{path} cannot be read ({why}).", path=folder, why=reason(error)))
            continue
        sheets = {path.name.removesuffix(SUFFIX): path for path in paths}
        for name, path in sheets.items():
            if "." in name:  # a translation, read where its language is wanted
                continue
            try:
                exercises[name] = _read(name, sheets.get(f"{name}.{language}", path))
            except StoreError as error:
                wrong.append(error.sentence)
    return [exercises[name] for name in sorted(exercises)], wrong


def _read(name: str, path: Path) -> Exercise:
    try:
        return read_exercise(name, read_at_most(path, MAX_BYTES).decode("utf-8-sig"))
    except (ExerciseError, UnicodeDecodeError) as error:
        why = error.sentence if isinstance(error, ExerciseError) else say("it is no text in UTF-8")
        raise StoreError("{path} is left out: {why}.", path=path.name, why=why) from error


def load_evidence(history: History | None, own: Path) -> Evidence:
    """Return the newest runs, and files that are read when they are first asked for.

    Files beside a user's sheets come before the program's.
    """
    folders = (own, resource("recordings"))
    return Evidence(
        runs=[] if history is None else _newest_runs(history),
        recordings=_Files(folders, RECORDING.suffix, _recorded),
        sweeps=_Files(folders, SWEEP.suffix, _cells),
        experiments=_Files(folders, EXPERIMENT.suffix, read_experiment),
        source=_SOURCE.read_text(encoding="utf-8"),
        command=_document,
    )


def _document(*words: str) -> Any:
    """Return the JSON document of a command, which looks after its own time."""
    command = [sys.executable, "-m", "lnexplorer", *words, "--json", "--quiet"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: what it found is wrong
        raise StoreError(verbatim(done.stderr.strip()[-LONGEST_ERROR:]))
    return json.loads(done.stdout)


def judge(exercise: Exercise, answer: str, history: History | None, own: Path) -> AnswerVerdict:
    """Return the verdict on an answer, with help after several wrong ones, and keep the try.

    Raises:
        ExerciseError: the answer is no answer.
        StoreError: a file cannot be read.
    """
    verdict = exercise.judge(load_evidence(history, own), answer)
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):  # a verdict is worth more than its log
        own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tries_file(own).open("a", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerow((now, exercise.name, as_text(answer), verdict.state))
    tries = [line[1::2] for line in read_tries(own)]
    return exercise.told(verdict, tries.count([exercise.name, WRONG]))


def tries_file(own: Path) -> Path:
    """Return the log of tries beside the folder of a user's sheets: CSV with the columns TRY."""
    return own.with_name("tries.csv")


def read_tries(own: Path) -> list[list[str]]:
    """Return the tries, each with a text for every column of TRY; none where there is no log."""
    try:
        text = read_at_most(tries_file(own), MAX_BYTES).decode(errors="replace")
    except StoreError:
        return []
    return [line for line in csv.reader(text.splitlines()) if len(line) == len(TRY)]


class _Files(dict[str, T]):
    """Values of files of one kind, by name without suffix, each read when first asked for."""

    def __init__(self, folders: Sequence[Path], suffix: str, read: Callable[[Path], T]) -> None:
        super().__init__()
        self._folders = folders
        self._suffix = suffix
        self._read = read

    def __missing__(self, name: str) -> T:
        paths = [folder / f"{name}{self._suffix}" for folder in self._folders]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            raise StoreError("There is no file {name} among the recordings.", name=paths[-1].name)
        self[name] = self._read(path)
        return self[name]


def _newest_runs(history: History) -> list[RunResult]:
    query = HistoryQuery(sorted_by="date", descending=True)
    runs = []
    for number in history.runs.find(query)[:MOST_RUNS]:
        try:
            runs.append(history.runs.load(number))
        except StoreError:  # a damaged run proves nothing; the history tells of it
            continue
    return runs


def _recorded(path: Path) -> tuple[ReductionTimeline, Words]:
    recording = read_recording(path)
    if recording.timeline is None:
        raise StoreError("{path} holds no times of locks.", path=path.name)
    environment = recording.environment
    return (
        recording.timeline,
        ""
        if environment is None
        else join_sentences((environment.where, environment.date[:10]), ", "),
    )


def _cells(path: Path) -> Sequence[CellResult]:
    return read_recorded_sweep(path).results
