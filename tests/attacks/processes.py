"""Attacks by moment: signals at random times, random command lines, and I/O errors at each write,
fsync and rename.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from lnexplorer.cli.commands import INVALID, OK
from lnexplorer.store.kernels import new_kernel_text
from lnexplorer.store.paths import HOME_VARIABLE
from tests.attacks.command_lines import SMALL, random_words
from tests.attacks.failing_calls import compiled_shim
from tests.attacks.files import RECORDINGS, ROOT, Summary, full_home
from tests.attacks.kept import Row, State, count_lost, held_by_history, told_by_writer
from tests.attacks.running import command_of, ends_within, heeds_termination, processes_of, send

LONGEST_END_S = 60.0  # on a machine with other work
GIVEN_UP_S = 60.0  # a process that compiles and does not answer
ACTIONS_PER_HOME = 8  # before the next run, which takes as long as some of them
FULL_HOMES = 0.7  # of the homes: those that hold runs from the begin
WINDOW_GAP_S = 0.8  # between its signals, in the mean: a worker takes about 2 s to start
STATUSES = {0, 1, 2, 3, 129, 130, 143}
SWEEP = "sweep --m 4 --n 8,16,24 --device interpreter --strategy locked,atomic"
SWEEP_ROWS = 6
RUN, NOTE = "RUN", "NOTE"  # the number of a kept run, and words that were never used


@dataclass(frozen=True)
class Action:
    """What is started; how long it takes at first (later moments are drawn from the time that it
    was seen to take); its share.
    """

    line: str
    seconds: float
    share: float = 1.0
    module: str = "lnexplorer"


ACTIONS = {
    "run": Action(f"run {SMALL} --json", 6),
    "sweep": Action(f"{SWEEP} --csv rows.csv", 8),
    "experiment": Action(f"experiment order {SMALL} --json", 6, 0.5),
    "window": Action("--device interpreter", 8, 2.0),
    "export": Action("export all.csv", 2),
    "list": Action("history list --json", 1),
    "note": Action(f"history note {RUN} {NOTE}", 1, 2.0),
    "delete": Action(f"history delete {RUN}", 1),
    "recorded": Action(
        f"sweep --recorded {RECORDINGS}/h200_sweep_group_size.lnsweep --json", 1, 0.5
    ),
    "writer": Action("", 2, 1.5, "tests.attacks.writer"),
    "writers": Action("also", 3, 1.5, "tests.attacks.writer"),
}
GO_ON = ("window", "sweep")  # with another worker
WITH_JSON = "run sweep trace experiment touch compile compare"  # and no file after it
SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP)


@dataclass
class Hits:
    """The signals to one action so far, in words, and what may follow from them."""

    what: str
    statuses: set[int] = field(default_factory=lambda: set(STATUSES))
    program: bool = False  # whether it was asked to end
    early: bool = False  # before its first line
    interpreter: bool = False  # a worker was interrupted, perhaps before its first line
    stays: bool = False  # a process of its stays stopped


class ProcessAttack:
    """Commands and windows of the program, disturbed."""

    def __init__(self, folder: Path, rng: random.Random, summary: Summary) -> None:
        self._folder = folder
        self._rng = rng
        self._summary = summary
        self.ends = float("inf")  # when no other action of a home is begun
        self._count = 0
        self._seconds = {name: action.seconds for name, action in ACTIONS.items()}
        self._kept: dict[Row, State] = {}  # what the history of a home was seen to hold
        self._shim = compiled_shim(folder)
        self._full_home = full_home(folder)

    def fault_point(self) -> None:
        """Signals at random moments of some actions in one home: what was acknowledged is there
        after each, and the next run is right.
        """
        place, done = self._place(), [""]
        if self._rng.random() < FULL_HOMES:
            shutil.copytree(self._full_home, place / "home", dirs_exist_ok=True)
            self._kept, _ = held_by_history(place / "home")
        while len(done) <= ACTIONS_PER_HOME and time.monotonic() < self.ends:
            done.append(self._disturbed(place))
        self._check_next_run("; ".join(done[1:]), place)
        shutil.rmtree(place, ignore_errors=True)

    def _disturbed(self, place: Path) -> str:
        """One action with one or more signals to its processes, of which each is a fault point;
        what was done.
        """
        name = self._rng.choices(list(ACTIONS), [action.share for action in ACTIONS.values()])[0]
        self._count += 1
        row, note = (
            self._rng.choice([row for row in self._kept if row[0] == "runs"] or [("runs", 1, 0)]),
            f"note {self._count}",
        )
        words = [
            {RUN: str(row[1]), NOTE: note}.get(word, word) for word in ACTIONS[name].line.split()
        ]
        was = self._kept.get(row, ("", False))
        change = {"note": (row, (note, was[1])), "delete": (row, (was[0], True))}.get(name)
        moments = self._moments(name)
        (place / "rows.csv").unlink(missing_ok=True)
        began = time.monotonic()
        with (place / "out").open("wb") as out, (place / "err").open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", ACTIONS[name].module, *words],
                cwd=place,
                env=self._environment(place),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        hits = Hits(name)
        for at in moments:
            ended = ends_within(process, began + at - time.monotonic())
            if name != "window" and hits.what == name:  # which ends by itself, and was let
                self._seconds[name] = (
                    1.1 * (time.monotonic() - began) if ended else 1.01 * self._seconds[name]
                )
            if ended:
                break
            self._hit(process.pid, at, place, hits)
        if name == "window" and not hits.program:
            ends_within(process, 0.5)
            process.terminate()
        what = hits.what
        if not ends_within(
            process, LONGEST_END_S + self._seconds[name] + (GIVEN_UP_S if hits.stays else 0)
        ):
            self._fault("processes that did not end", f"{what}: it did not end", place)
        self._await_orphans(what, place)
        status = process.wait()
        if status not in hits.statuses:
            self._fault("exit statuses", f"{what}: exit status {status}", place)
        self._look_for_tracebacks(what, place, hits)
        printed = (place / "out").read_bytes()
        if "--json" in words and status in STATUSES and (printed or not hits.early):
            self._check_document(printed, f"{what}: status {status}", place)
        self._check_kept(name, status, what, place, change)
        return what

    def _moments(self, name: str) -> list[float]:
        """When signals are sent; a window, which goes on, gets many in a row, so that workers are
        struck while they start.
        """
        if name != "window":
            count = self._rng.randrange(1, 7) if name in GO_ON else self._rng.choice((1, 1, 2, 3))
            return sorted(self._rng.random() * self._seconds[name] for _ in range(count))
        first = self._rng.random() * self._seconds[name]
        gaps = [self._rng.expovariate(1 / WINDOW_GAP_S) for _ in range(self._rng.randrange(10))]
        return list(accumulate(gaps, initial=first))

    def _hit(self, program: int, at: float, place: Path, hits: Hits) -> None:
        """One signal to the program, or to a process that it started, which some outlive."""
        others = [pid for pid in processes_of(place) if pid != program]
        share = 0.9 if hits.what.startswith(GO_ON) else 0.5
        victim = self._rng.choice(others) if others and self._rng.random() < share else program
        number = self._rng.choice(SIGNALS)
        hit = "the program" if victim == program else command_of(victim)
        early = not heeds_termination(program)
        send(victim, number)
        self._summary.count("fault points")
        self._summary.count(f"at {hits.what.partition(',')[0]}")
        self._summary.count(f"{number.name} to {hit}")
        hits.what += f", {number.name} to {hit} after {at:.2f} s"
        if victim == program:
            hits.program |= number is not signal.SIGSTOP
            hits.early |= early and number is not signal.SIGSTOP
            if number is signal.SIGKILL or early:
                hits.statuses.add(-number)
        elif number is signal.SIGINT:  # the interpreter's own words are told
            hits.interpreter = True
        # A process that the program started may stay stopped: it is given up. The program itself
        # goes on after a while.
        may_stay = victim != program and not hits.stays and not hits.what.startswith("writer")
        if number is signal.SIGSTOP and may_stay and self._rng.random() < 0.2:
            hits.stays = True
            self._summary.count("processes that stayed stopped")
        elif number is signal.SIGSTOP:
            time.sleep(self._rng.random())
            send(victim, signal.SIGCONT)

    def disk_error(self) -> None:
        """One failing write, fsync or rename of the store; nothing acknowledged is lost, and the
        next run is right.
        """
        if self._shim is None:
            return
        place = self._place()
        name = self._rng.choice(("run", "sweep", "export"))
        at, error = self._rng.randrange(1, 60), self._rng.choice((28, 5))  # ENOSPC, EIO
        self._summary.count(f"I/O errors of {name}")
        what = f"{name}, write {at} fails with errno {error}"
        extra = {
            "LD_PRELOAD": str(self._shim),
            "ATTACK_HOME": str(place),
            "ATTACK_COUNT": str(self._folder / f"count-{self._count}"),
            "ATTACK_AT": str(at),
            "ATTACK_ERROR": str(error),
        }
        done = self._command(ACTIONS[name].line, place, extra)
        self._check_ended(done.returncode, STATUSES, what, place)
        self._look_for_tracebacks(what, place)
        self._check_kept(name, done.returncode, what, place)
        self._check_next_run(what, place)
        shutil.rmtree(place, ignore_errors=True)

    def command_line(self) -> None:
        """Random words: a documented status, no traceback, and exactly one document where JSON was
        asked for.
        """
        place = self._place()
        (place / "mine.py").write_text(new_kernel_text(place / "mine.py"))
        words = random_words(self._rng)
        self._summary.count("command lines")
        done = self._command(words, place)
        what = f"lnexplorer {' '.join(words)!r}"
        asked = words[0] in WITH_JSON.split() and "--json" in words and "--help" not in words
        self._check_ended(done.returncode, STATUSES, what, place, json=asked)
        self._look_for_tracebacks(what, place)
        shutil.rmtree(place, ignore_errors=True)

    def _place(self) -> Path:
        self._count += 1
        self._kept = {}
        place = self._folder / f"place-{self._count}"
        (place / "home").mkdir(parents=True)
        return place

    @staticmethod
    def _environment(place: Path) -> dict[str, str]:
        return os.environ | {
            HOME_VARIABLE: str(place / "home"),
            "TRITON_INTERPRET": "1",
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONPATH": os.pathsep.join(
                filter(None, (str(ROOT / "kernels"), str(ROOT), os.environ.get("PYTHONPATH")))
            ),
        }

    def _command(
        self, line: str | list[str], place: Path, extra: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[bytes]:
        words = line.split() if isinstance(line, str) else line
        with (place / "out").open("ab") as out, (place / "err").open("ab") as err:
            try:
                return subprocess.run(
                    [sys.executable, "-m", "lnexplorer", *words],
                    cwd=place,
                    env=self._environment(place) | extra,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    timeout=180,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                self._fault(
                    "processes that did not end", f"{words}: it did not end within 180 s", place
                )
                return subprocess.CompletedProcess(words, 3)

    def _check_ended(
        self, status: int, wanted: set[int], what: str, place: Path, *, json: bool = False
    ) -> None:
        if status not in wanted:
            self._fault("exit statuses", f"{what}: exit status {status}", place)
        printed = (place / "out").read_bytes()
        if json:
            self._check_document(printed, f"{what}: status {status}", place)
        if b"\x1b" in printed + (place / "err").read_bytes():
            self._fault("escape sequences", f"{what}: one reached the terminal", place)
        if f"{ROOT}/lnexplorer/cli".encode() in (place / "err").read_bytes():
            self._fault("tracebacks", f"{what}: a traceback of the program", place)
        if b"unexpected went wrong" in (place / "err").read_bytes():
            self._fault("tracebacks", f"{what}: a report of what nobody expected", place)

    def _await_orphans(self, what: str, place: Path) -> None:
        ends = time.monotonic() + 10
        while (left := processes_of(place)) and time.monotonic() < ends:
            time.sleep(0.05)
        if left:
            self._fault(
                "processes that stayed",
                f"{what}: {', '.join(map(command_of, left))} stayed",
                place,
            )
            for each in left:
                send(each, signal.SIGKILL)

    def _look_for_tracebacks(self, what: str, place: Path, hits: Hits | None = None) -> None:
        """Whether there is one; where a worker was interrupted, one with a line of the program."""
        if hits is not None and hits.early:
            return
        for name in ("out", "err"):
            printed = (place / name).read_bytes()
            ours = hits is None or not hits.interpreter or bytes(ROOT / "lnexplorer") in printed
            if b"Traceback (most recent call last)" in printed and ours:
                self._fault("tracebacks", f"{what}: a traceback on {name}", place)
            if (
                b"unexpected went wrong" in printed
            ):  # the last handler's sentence, with its traceback in a report
                self._fault("tracebacks", f"{what}: a report of what nobody expected", place)

    def _check_document(self, printed: bytes, what: str, place: Path) -> None:
        try:
            json.loads(printed)
        except ValueError:
            self._fault("cut documents", f"{what}: stdout is not one JSON document", place)

    def _check_kept(
        self,
        name: str,
        status: int | None,
        what: str,
        place: Path,
        change: tuple[Row, State] | None = None,
    ) -> None:
        """What the history held, it holds, but for what a command was to change; a run whose status
        is that of success is in it, and what a writer was told; a row of the CSV is there once, and
        resuming ends it.
        """
        told = told_by_writer((place / "out").read_bytes()) if name.startswith("writer") else {}
        self._check_history(
            name == "run" and status == OK, what, place, told, change, done=status == OK
        )
        rows = place / "rows.csv"
        if name != "sweep" or not rows.exists():
            return
        before = _whole_rows(rows)
        # What the history could not take is told, and is in the file alone, which nobody can
        # resume.
        alone = b"Its rows are in rows.csv" in (place / "err").read_bytes()
        if alone and status == OK:
            self._fault("losses", f"{what}: status 0, and the history has no rows", place)
        alone |= _is_elsewhere(place)
        done = self._command(f"{SWEEP} --resume rows.csv", place)
        after = _whole_rows(rows)
        ended = (
            done.returncode == INVALID
            if alone
            else done.returncode == OK and len(after) == SWEEP_ROWS
        )
        self._acknowledge(len(before), len(set(before) - set(after)), what, place)
        if not ended:
            self._fault(
                "sweeps that did not go on",
                f"{what}: --resume gave {done.returncode} and {len(after)} rows",
                place,
            )
        self._check_history(False, what, place)

    def _check_history(
        self,
        a_run: bool,
        what: str,
        place: Path,
        told: Mapping[Row, str] | None = None,
        change: tuple[Row, State] | None = None,
        *,
        done: bool = False,
    ) -> None:
        held, damaged = held_by_history(place / "home")
        new = held.keys() - self._kept.keys()
        if a_run and not any(table == "runs" for table, _, _ in new) and not _is_elsewhere(place):
            self._acknowledge(0, 1, what, place)
        if damaged:
            self._fault("damaged rows", f"{what}: {damaged} are damaged", place)
        self._acknowledge(
            len(new), count_lost(self._kept, held, told or {}, change, done=done), what, place
        )
        self._kept = held

    def _acknowledge(self, rows: int, lost: int, what: str, place: Path) -> None:
        self._summary.count("rows acknowledged", rows)
        if lost:
            self._summary.count("rows lost", lost)
            self._fault("losses", f"{what}: {lost} rows were lost", place)

    def _check_next_run(self, what: str, place: Path) -> None:
        self._summary.count("next runs")
        done = self._command(f"run {SMALL}", place)
        if done.returncode:
            self._summary.count("next runs that failed")
            self._fault("next runs", f"{what}: the next run ended with {done.returncode}", place)

    def _fault(self, kind: str, sentence: str, place: Path) -> None:
        copy = self._folder / f"fault-{len(self._summary.faults)}"
        shutil.copytree(place, copy, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        self._summary.fault(kind, f"{sentence} ({copy.name})")


def _is_elsewhere(place: Path) -> bool:
    """Whether it was told that the home could not be written, and another folder is used."""
    return b"settings and history are kept in" in (place / "err").read_bytes()


def _whole_rows(path: Path) -> list[str]:
    """The lines of values of a sweep's CSV that are whole."""
    lines = path.read_bytes().decode("utf-8", "replace").splitlines(keepends=True)
    return [line for line in lines if not line.startswith("#") and line.endswith("\n")][1:]
