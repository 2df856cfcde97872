"""Attacks from around the program: kernels that cheat or break, false ssh servers, and homes that
cannot be used.
"""

import ctypes
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable

from lnexplorer.cli.commands import OK
from lnexplorer.store.kernels import new_kernel_text
from tests.attacks.command_lines import SMALL
from tests.attacks.files import RECORDINGS, ROOT
from tests.attacks.kept import held_by_history
from tests.attacks.processes import STATUSES, ProcessAttack

DROP_CAPABILITY, OVERRIDES = 24, (1, 2)  # of prctl: writing and reading what one may not
MOST_FILE_BYTES = (0, 100, 4096, 65536)  # that a full disk still takes
READERS = (
    "history list --json",
    "history show 1",
    "compare 1 2 --json",
    "export {files}/runs.json",
    "exercises list",
)
WRITERS = (
    f"run {SMALL} --json",
    "history note 1 mine",
    "new-kernel {files}/mine.py",
    "exercises check 01 --answer 1",
    f"sweep --recorded {RECORDINGS}/h200_sweep_group_size.lnsweep",
)
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
        done = self._command(f"run {SMALL} --json --provider mine.py", place)
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
        done = self._command(f"run {SMALL} --device ssh://rack7/interpreter --json", place, extra)
        self._check_ended(done.returncode, STATUSES, f"false server {seed}", place, json=True)
        shutil.rmtree(place, ignore_errors=True)

    def home(self) -> None:
        """A home that is read-only, closed, full or no folder is told, and loses nothing."""
        place = self._place()
        home, kind = place / "home", self._rng.choice(("read-only", "closed", "full", "no folder"))
        line = self._rng.choice(READERS + WRITERS)
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
        what = f"a home that is {kind}, lnexplorer {line}"
        # stdout and stderr are pipes: a full disk would take nothing of what is said.
        done = subprocess.run(
            [sys.executable, "-m", "lnexplorer", *line.format(files=files).split()],
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
        if kind == "read-only" and line in READERS and done.returncode != OK:
            self._fault("homes", f"{what}: status {done.returncode}", place)
        if line in READERS and list(temporary.glob("lnexplorer-*")):
            self._fault("homes", f"{what}: it was sent elsewhere", place)
        if any(path.stat().st_size == 0 for path in files.iterdir()):
            self._fault("homes", f"{what}: it left an empty file", place)
        held, damaged = held_by_history(home if there else place / "kept")
        if damaged or (kind != "full" and held != before):
            self._fault("losses", f"{what}: the history is not what it was", place)
        self._check_ended(done.returncode, STATUSES, what, place, json="--json" in line)
        shutil.rmtree(place, ignore_errors=True)


def _without_overrides() -> None:
    """Let permissions of files hold for root, too."""
    for capability in OVERRIDES:
        ctypes.CDLL(None).prctl(DROP_CAPABILITY, capability, 0, 0, 0)
