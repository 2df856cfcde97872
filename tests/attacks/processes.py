"""Attacks by moment: signals at random times, random command lines, and I/O errors at each write, fsync and rename."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from lnexplorer.cli.commands import INVALID, OK
from lnexplorer.store.paths import HOME_VARIABLE
from tests.attacks.files import RECORDINGS, ROOT, Summary
from tests.attacks.mutations import HOSTILE_TEXTS

LONGEST_END_S = 60.0  # on a machine with other work
GIVEN_UP_S = 60.0  # a process that compiles and does not answer
STATUSES = {0, 1, 2, 3, 129, 130, 143}
SMALL = ("--m", "4", "--n", "8", "--group-size-m", "2", "--device", "interpreter")
SWEEP = ("sweep", "--m", "4", "--n", "8,16,24", "--device", "interpreter", "--strategy", "locked,atomic")
SWEEP_ROWS = 6
# What is started, and how long it takes at most on a machine with nothing else to do.
ACTIONS: dict[str, tuple[tuple[str, ...], float]] = {
    "run": (("run", *SMALL, "--json"), 6),
    "sweep": ((*SWEEP, "--csv", "rows.csv"), 8),
    "experiment": (("experiment", "order", *SMALL, "--json"), 6),
    "window": (("--device", "interpreter"), 6),
    "export": (("export", "all.csv"), 2),
}
WITH_JSON = ("run", "sweep", "trace", "experiment", "touch", "bench")
SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP)

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is_ours(int fd) {
    char link[64], path[4096];
    const char *home = getenv("ATTACK_HOME");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = home ? readlink(link, path, sizeof path - 1) : -1;
    if (n < 0) return 0;
    path[n] = 0;
    return strncmp(path, home, strlen(home)) == 0;
}
/* Whether this is the call that fails. Calls of all processes of one command are counted in one file, a byte each. */
static int fails(void) {
    static ssize_t (*plain)(int, const void *, size_t);
    if (!plain) plain = dlsym(RTLD_NEXT, "write");
    int fd = open(getenv("ATTACK_COUNT"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0) return 0;
    plain(fd, "x", 1);
    long count = lseek(fd, 0, SEEK_END);
    close(fd);
    return count == atol(getenv("ATTACK_AT"));
}
static int refuse(void) { errno = atoi(getenv("ATTACK_ERROR")); return -1; }
#define NEXT(name) static __typeof__(name) *next; if (!next) next = dlsym(RTLD_NEXT, #name)
ssize_t write(int fd, const void *b, size_t n) { NEXT(write); return is_ours(fd) && fails() ? refuse() : next(fd, b, n); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) {
    NEXT(pwrite64);
    return is_ours(fd) && fails() ? refuse() : next(fd, b, n, o);
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) {
    NEXT(pwrite);
    return is_ours(fd) && fails() ? refuse() : next(fd, b, n, o);
}
int fsync(int fd) { NEXT(fsync); return is_ours(fd) && fails() ? refuse() : next(fd); }
int fdatasync(int fd) { NEXT(fdatasync); return is_ours(fd) && fails() ? refuse() : next(fd); }
int rename(const char *a, const char *b) {
    NEXT(rename);
    const char *home = getenv("ATTACK_HOME");
    return home && strncmp(b, home, strlen(home)) == 0 && fails() ? refuse() : next(a, b);
}
"""


class ProcessAttack:
    """Commands and windows of the program, disturbed."""

    def __init__(self, folder: Path, rng: random.Random, summary: Summary) -> None:
        self._folder, self._rng, self._summary = folder, rng, summary
        self._count = 0
        self._shim = _compiled_shim(folder)

    def fault_point(self) -> None:
        """One signal at a random moment of a random action, and whether what was acknowledged is there afterwards."""
        name = self._rng.choice(list(ACTIONS))
        words, seconds = ACTIONS[name]
        at, number = self._rng.random() * seconds, self._rng.choice(SIGNALS)
        place = self._place()
        self._summary.count(f"fault points of {name}")
        what = f"{name}, {number.name} after {at:.2f} s"
        with (place / "out").open("wb") as out, (place / "err").open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "lnexplorer", *words],
                cwd=place,
                env=self._environment(place),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            time.sleep(at)
            victims = [process.pid]
            if self._rng.random() < 0.4:
                victims = _session_of(process.pid)[1:] or victims
            victim = self._rng.choice(victims)
            _send(victim, number)
            # A process that the program started may stay stopped: it is given up. The program itself goes on after a while.
            stays = number is signal.SIGSTOP and victim != process.pid and self._rng.random() < 0.5
            if stays:
                what += f", {_command_of(victim)} stays stopped"
                self._summary.count("processes that stayed stopped")
            elif number is signal.SIGSTOP:
                time.sleep(self._rng.random())
                _send(victim, signal.SIGCONT)
            ended = True
            if name == "window" and (number is signal.SIGSTOP or victim != process.pid):
                time.sleep(0.5)
                process.terminate()
            try:
                process.wait(timeout=LONGEST_END_S + seconds + (GIVEN_UP_S if stays else 0))
            except subprocess.TimeoutExpired:
                ended = False
        if not ended:
            self._fault(f"{what}: it did not end", place)
        self._await_orphans(process.pid, what, place)
        status = process.returncode
        expected = STATUSES if number is not signal.SIGKILL else {*STATUSES, -signal.SIGKILL}
        # A signal before the first line of the program ends the interpreter, not the program.
        if status is not None and status not in expected and not (at < 1.0 and status == -number):
            self._fault(f"{what}: exit status {status}", place)
        self._look_for_tracebacks(what, place)
        self._check_kept(name, status, what, place)
        self._check_next_run(what, place)
        shutil.rmtree(place, ignore_errors=True)

    def disk_error(self) -> None:
        """One failing write, fsync or rename of the store; nothing acknowledged is lost, and the next run is right."""
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
        done = self._command(ACTIONS[name][0], place, extra)
        if done.returncode not in STATUSES:
            self._fault(f"{what}: exit status {done.returncode}", place)
        self._look_for_tracebacks(what, place)
        self._check_kept(name, done.returncode, what, place)
        self._check_next_run(what, place)
        shutil.rmtree(place, ignore_errors=True)

    def command_line(self) -> None:
        """Random words: a documented status, no traceback, and exactly one document where JSON was asked for."""
        place = self._place()
        words = _random_words(self._rng)
        self._summary.count("command lines")
        done = self._command(words, place, {})
        what = f"lnexplorer {' '.join(words)!r}"
        if done.returncode not in STATUSES:
            self._fault(f"{what}: exit status {done.returncode}", place)
        if words[0] in WITH_JSON and "--json" in words and "--help" not in words:
            try:
                json.loads((place / "out").read_bytes())
            except ValueError:
                self._fault(f"{what}: stdout is not one JSON document (status {done.returncode})", place)
        if b"\x1b" in (place / "out").read_bytes() + (place / "err").read_bytes():
            self._fault(f"{what}: an escape sequence reached the terminal", place)
        self._look_for_tracebacks(what, place)
        shutil.rmtree(place, ignore_errors=True)

    def _place(self) -> Path:
        self._count += 1
        place = self._folder / f"place-{self._count}"
        (place / "home").mkdir(parents=True)
        return place

    @staticmethod
    def _environment(place: Path) -> dict[str, str]:
        return os.environ | {
            HOME_VARIABLE: str(place / "home"),
            "TRITON_INTERPRET": "1",
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONPATH": f"{ROOT / 'kernels'}{os.pathsep}{ROOT}",
        }

    def _command(self, words: Sequence[str], place: Path, extra: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
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
                self._fault(f"{words}: it did not end within 180 s", place)
                return subprocess.CompletedProcess(words, 3)

    def _await_orphans(self, pid: int, what: str, place: Path) -> None:
        ends = time.monotonic() + 10
        while (left := _session_of(pid)) and time.monotonic() < ends:
            time.sleep(0.05)
        if left:
            self._fault(f"{what}: {len(left)} processes stayed", place)
            for each in left:
                _send(each, signal.SIGKILL)

    def _look_for_tracebacks(self, what: str, place: Path) -> None:
        for name in ("out", "err"):
            if b"Traceback (most recent call last)" in (place / name).read_bytes():
                self._fault(f"{what}: a traceback on {name}", place)

    def _check_kept(self, name: str, status: int | None, what: str, place: Path) -> None:
        """A run whose status is that of success is in the history; a row of the CSV is there once, and resuming ends it."""
        if name == "run" and status == 0 and _runs_in(place / "home") != 1:
            self._fault(f"{what}: a run with status 0 is not in the history", place)
        rows = place / "rows.csv"
        if name != "sweep" or not rows.exists():
            return
        before = _whole_rows(rows)
        # What the history could not take is told, and is in the file alone, which nobody can resume.
        alone = b"Its rows are in rows.csv" in (place / "err").read_bytes()
        done = self._command((*SWEEP, "--resume", "rows.csv"), place, {})
        after = _whole_rows(rows)
        ended = done.returncode == INVALID if alone else done.returncode == OK and len(after) == SWEEP_ROWS
        if not ended or not set(before) <= set(after):
            self._fault(
                f"{what}: --resume ended with {done.returncode} and {len(after)} rows; {len(set(before) - set(after))} lost",
                place,
            )

    def _check_next_run(self, what: str, place: Path) -> None:
        self._summary.count("next runs")
        done = self._command(("run", *SMALL), place, {})
        if done.returncode:
            self._summary.count("next runs that failed")
            self._fault(f"{what}: the next run ended with {done.returncode}", place)

    def _fault(self, sentence: str, place: Path) -> None:
        copy = self._folder / f"fault-{len(self._summary.faults)}"
        shutil.copytree(place, copy, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        self._summary.faults.append(f"{sentence} ({copy})")


def _compiled_shim(folder: Path) -> Path | None:
    """The library that lets calls fail; None, with a line on stderr, where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("no C compiler: no I/O errors are tried", file=sys.stderr)
        return None
    source, made = folder / "shim.c", folder / "shim.so"
    source.write_text(SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


def _session_of(pid: int) -> list[int]:
    """The processes of the session that `pid` leads, itself first."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, session = (entry / "stat").read_text().rsplit(") ", 1)[1].split()[:4]
            except (OSError, ValueError):
                continue
            if int(session) == pid and state != "Z":
                found.append(int(entry.name))
    return sorted(found)


def _command_of(pid: int) -> str:
    """The module that a process of the program runs."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "a process"
    return next((after for word, after in pairwise(words) if word == "-m"), words[0])


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _runs_in(home: Path) -> int:
    path = home / "lnexplorer.sqlite3"
    if not path.exists():
        return 0
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.OperationalError:  # it was never made
        return 0
    finally:
        connection.close()


def _whole_rows(path: Path) -> list[str]:
    """The lines of values of a sweep's CSV that are whole."""
    lines = path.read_bytes().decode("utf-8", "replace").splitlines(keepends=True)
    return [line for line in lines if not line.startswith("#") and line.endswith("\n")][1:]


def _random_words(rng: random.Random) -> list[str]:
    commands = (
        "run",
        "sweep",
        "trace",
        "experiment",
        "touch",
        "record",
        "bench",
        "export",
        "doctor",
        "history",
        "compare",
        "nonsense",
    )
    values = (
        "0", "-1", "4", "8", "1e3", "1:9:4", "8,16", "1:9:x2", "float16", "fp32", "locked", "auto", "nan", "", " ", "None",
        "interpreter", "interpreter:sm_90", "interpreter:sm_1", "cuda:99", "barrier", "order", "x" * 300, "/dev/full",
        "/dev/null", "/nowhere/there/file.csv", "out.csv", "out.html", "out.lnrec", str(RECORDINGS / "h200_lecture.lnrec"),
        "99999999999999999999",
        *HOSTILE_TEXTS[:12],
    )  # fmt: skip
    options = (
        "--m", "--n", "--dtype", "--strategy", "--group-size-m", "--block-size", "--num-warps", "--seed", "--repeats", "--json",
        "--csv", "--save", "--resume", "--recorded", "--device", "--provider", "--timeout", "--last", "--data", "--row", "-q",
        "--json=1", "--title", "--help", "--screenshot", "--chrome", "--search",
    )  # fmt: skip
    words = [rng.choice(commands)] if rng.random() < 0.95 else []
    if rng.random() < 0.7 and words and words[0] not in ("doctor", "export", "history", "compare"):
        words += SMALL
    for _ in range(rng.randrange(5)):
        words.append(rng.choice(options))
        if rng.random() < 0.8:
            words.append(rng.choice(values))
    # A word of a command line cannot hold a null, and a window that stays open is no command.
    words = [word for word in words if "\0" not in word]
    if not words or words[0].startswith("-"):
        words = [*words, "--help"]
    return words
