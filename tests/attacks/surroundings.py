"""Attacks from around the program: kernels that cheat or break, false ssh servers, homes that
cannot be used, and signals while Qt draws.
"""

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lnexplorer.cli.commands import OK
from lnexplorer.store.kernels import new_kernel_text
from tests.attacks.files import RECORDINGS, ROOT
from tests.attacks.kept import held_by_history
from tests.attacks.processes import (
    SMALL,
    STATUSES,
    ProcessAttack,
    ends_within,
    heeds_termination,
    send,
)

HEARD_S = 0.2  # a file that is all but written is written
DROP_CAPABILITY, OVERRIDES = 24, (1, 2)  # of prctl: writing and reading what one may not
MOST_FILE_BYTES = (0, 100, 4096, 65536)  # that a full disk still takes
SWEEP_FILE = str(RECORDINGS / "h200_sweep_tutorial.lnsweep")
READERS = (
    ("history", "list", "--json"),
    ("history", "show", "1"),
    ("compare", "1", "2", "--json"),
    ("export", "{files}/runs.json"),
    ("exercises", "list"),
)
WRITERS = (
    ("run", *SMALL, "--json"),
    ("history", "note", "1", "mine"),
    ("new-kernel", "{files}/mine.py"),
    ("exercises", "check", "01", "--answer", "1"),
    ("sweep", "--recorded", str(RECORDINGS / "h200_sweep_group_size.lnsweep")),
)
# What is written, and how its file ends where it is whole.
DRAWN = {
    ("export", "files/report.html"): ("files/report.html", b"</html>"),
    ("lecture", "--handout", "files/handout.pdf"): ("files/handout.pdf", b"%%EOF"),
    ("sweep", "--recorded", SWEEP_FILE, "--tutorial-output", "files"): (
        "files/layer-norm-forward.png",
        b"IEND\xaeB`\x82",
    ),
}
# Lines after a right kernel, which take its place, and whether what is left is wrong.
SPOILS = {
    "keeps its first y": ("kept = []", "kept.append(y); y = kept[0]"),
    "keeps its first rstd": ("kept = []", "kept.append(rstd); rstd = kept[0] * 1.5"),
    "gives x back": ("", "y = x"),
    "forgets a row": ("", "y[0] = 0"),
    "is wrong from its third call on": ("calls = []", "calls.append(1); y = y * (len(calls) < 3)"),
    "gives NaN": ("", "y = y * float('nan')"),
    "gives another shape": ("", "y = y[:1]"),
    "gives another type": ("", "y = y.double()"),
    "gives nothing": ("", "y = None"),
    "raises": ("", "raise ValueError('\\x1b[2J{x!r} \\u202e')"),
    "asks to leave": ("", "raise SystemExit(0)"),
    "interrupts": ("", "raise KeyboardInterrupt"),
    "finds no memory": ("", "raise MemoryError"),
    "goes too deep": ("def deep(): return deep()", "deep()"),
    "ends its process": ("import os", "os._exit(0)"),
    "crashes": ("import ctypes", "ctypes.string_at(0)"),
    "kills its worker": ("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)"),
    "closes every file": ("import os", "os.closerange(0, 64)"),
    "prints without end": ("", "print('\\x1b[31m' * 10**6)"),
    "changes x": ("", "x.zero_()"),
}
RIGHT_ALL_THE_SAME = {"prints without end"}  # what it gives is right


class SurroundingsAttack(ProcessAttack):
    """Commands of the program in surroundings that are against it."""

    def kernel(self) -> None:
        """A file that cheats or breaks is not called right, and ends nothing but itself."""
        place = self._place()
        name = self._rng.choice(list(SPOILS))
        before, inside = SPOILS[name]
        spoilt = f"""
{before}
plain_forward = forward
def forward(x, weight, bias, eps, num_warps=4):
    y, mean, rstd = plain_forward(x, weight, bias, eps, num_warps)
    {inside}
    return y, mean, rstd
"""
        file = place / "mine.py"
        file.write_text(new_kernel_text(file) + spoilt)
        self._summary.count("kernels")
        what = f"a kernel that {name}"
        done = self._command(("run", *SMALL, "--json", "--provider", "mine.py"), place, {})
        wanted = {OK} if name in RIGHT_ALL_THE_SAME else STATUSES - {OK}
        self._check_ended(done.returncode, wanted, what, place, json=True)
        shutil.rmtree(place, ignore_errors=True)

    def server(self) -> None:
        """What answers in the place of a worker is told as such, and commands no terminal."""
        place = self._place()
        seed = self._rng.randrange(1 << 32)
        program = place / "bin" / "ssh"
        program.parent.mkdir()
        command = f'exec "{sys.executable}" -m tests.attacks.false_ssh {seed}'
        program.write_text(f'#!/bin/sh\ncd "{ROOT}"; {command}\n')
        program.chmod(0o755)
        self._summary.count("false servers")
        extra = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
        words = ("run", "--m", "4", "--n", "8", "--device", "ssh://rack7/interpreter", "--json")
        done = self._command(words, place, extra)
        self._check_ended(done.returncode, STATUSES, f"false server {seed}", place, json=True)
        shutil.rmtree(place, ignore_errors=True)

    def home(self) -> None:
        """A home that is read-only, closed, full or no folder is told, and loses nothing."""
        place = self._place()
        home, kind = place / "home", self._rng.choice(("read-only", "closed", "full", "no folder"))
        words = self._rng.choice(READERS + WRITERS)
        files = place / "files"
        files.mkdir()
        shutil.copytree(self._full_home, home, dirs_exist_ok=True)
        before, _ = held_by_history(home)
        prepare: Callable[[], None] = _without_overrides
        if kind == "full":
            most = self._rng.choice(MOST_FILE_BYTES)
            prepare = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
        elif kind == "no folder":
            home.rename(place / "kept")
            home.touch()
        else:
            home.chmod(0o555 if kind == "read-only" else 0o000)
        self._summary.count(f"homes: {kind}")
        temporary = place / "temporary"
        temporary.mkdir()
        what = f"a home that is {kind}, lnexplorer {' '.join(words)}"
        # stdout and stderr are pipes: a full disk would take nothing of what is said.
        done = subprocess.run(
            [sys.executable, "-m", "lnexplorer", *(each.format(files=files) for each in words)],
            cwd=place,
            env=self._environment(place) | {"TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=180,
            check=False,
            preexec_fn=prepare,
        )
        (place / "out").write_bytes(done.stdout)
        (place / "err").write_bytes(done.stderr)
        if kind in ("read-only", "closed"):
            home.chmod(0o700)
        there = kind != "no folder"
        if there and b"no history yet" in done.stderr:
            self._fault("homes", f"{what}: there is a history", place)
        if kind == "read-only" and words in READERS and done.returncode != OK:
            self._fault("homes", f"{what}: status {done.returncode}", place)
        if words in READERS and list(temporary.glob("lnexplorer-*")):
            self._fault("homes", f"{what}: it was sent elsewhere", place)
        if any(path.stat().st_size == 0 for path in files.iterdir()):
            self._fault("homes", f"{what}: it left an empty file", place)
        held, damaged = held_by_history(home if there else place / "kept")
        if damaged or (kind != "full" and held != before):
            self._fault("losses", f"{what}: the history is not what it was", place)
        self._check_ended(done.returncode, STATUSES, what, place, json="--json" in words)
        shutil.rmtree(place, ignore_errors=True)

    def drawing(self) -> None:
        """A signal while Qt is loaded or draws ends a command in order, without half a file."""
        place = self._place()
        words = self._rng.choice(list(DRAWN))
        name, end = DRAWN[words]
        seconds = self._seconds.setdefault(f"draw {words[0]}", 4.0)
        (place / "files").mkdir(exist_ok=words[0] != "lecture")
        shutil.copytree(self._full_home, place / "home", dirs_exist_ok=True)
        sent = self._rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        at = self._rng.uniform(0.0, seconds)
        began = time.monotonic()
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
        self._summary.count("signals while drawing")
        wanted, sent_at = {OK}, float("inf")
        if not ends_within(process, at):
            # Before the program's first line Python ends with 1 where it is interrupted.
            wanted |= {128 + sent} if heeds_termination(process.pid) else {1, 128 + sent, -sent}
            send(process.pid, sent)
            sent_at = time.time()
        what = f"{' '.join(words)}, {sent.name} after {at:.2f} s"
        if not ends_within(process, 60):
            process.kill()
            self._fault("processes that did not end", f"{what}: it did not end", place)
        status = process.wait()
        self._seconds[f"draw {words[0]}"] = max(1.1 * (time.monotonic() - began), 0.95 * seconds)
        self._check_ended(status, wanted, what, place)
        with suppress(FileNotFoundError):
            if not (place / name).read_bytes().rstrip().endswith(end):
                self._fault("cut documents", f"{what}: {name} is not whole", place)
            if (place / name).stat().st_mtime > sent_at + HEARD_S:
                self._fault("signals that were lost", f"{what}: {name} was still written", place)
        shutil.rmtree(place, ignore_errors=True)

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


def _without_overrides() -> None:
    """Let permissions of files hold for root, too."""
    for capability in OVERRIDES:
        ctypes.CDLL(None).prctl(DROP_CAPABILITY, capability, 0, 0, 0)
