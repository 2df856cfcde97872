"""Attacks by content: mutated files and messages, read in a child process and, some of them, shown
in a window.
"""

import json
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lnexplorer.domain.request import RunRequest
from lnexplorer.protocol.messages import Do, Finished, JobEnded, encode_message
from lnexplorer.store.database import NAME
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import HOME_VARIABLE
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.session import write_session
from tests.attacks.mutations import forged_message, hostile_archive, mutation_of, one_bit_flipped
from tests.store.session_examples import full_session

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "resources" / "recordings"
MOST_SECONDS = 10.0
MOST_BYTES = 1 << 30
MOST_STALL_MS = 100
MOST_SEED_BYTES = 2 << 20
SHOWN_SHARE = 0.01  # of the files, in a window
# files in one window: hundreds, each of another forged GPU, are hundreds of lines in one chart
SHOWN_TOGETHER = 20
SEALED = (".lnrec", ".lnsweep", ".lnexperiment", ".lnsession")


@dataclass
class Summary:
    """What an attack did and found. `faults` has a line for each thing that must not happen,
    `found` counts them by kind.
    """

    tried: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    peak_bytes: int = 0
    stalls_ms: list[tuple[int, int]] = field(
        default_factory=list
    )  # as the clock says, and in CPU time of its thread

    def count(self, what: str, times: int = 1) -> None:
        """So many more of a kind."""
        self.tried[what] += times

    def fault(self, kind: str, sentence: str) -> None:
        """One more thing that must not happen."""
        self.found[kind] += 1
        self.faults.append(sentence)


class Opener:
    """The child process, begun again where a file ended it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None

    def ask(self, what: str, path: Path) -> dict[str, Any]:
        """Its answer, or `died` where it ended or took too long."""
        process = self._process or self._begin()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps([what, str(path)]) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            return {"died": "before the file was read"}
        # A window comes up first, and reads in its own time.
        if not select.select(
            [process.stdout], [], [], 120 if what == "window" else 3 * MOST_SECONDS
        )[0]:
            self.close()
            return {"died": "it did not answer"}
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self.close()
            return {"died": f"with status {status}"}
        return {**json.loads(line), "peak": self._peak(process.pid)}

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _begin(self) -> subprocess.Popen[str]:
        environment = os.environ | {
            HOME_VARIABLE: str(self._folder / "home"),
            "TRITON_INTERPRET": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(
                filter(None, (str(ROOT / "kernels"), os.environ.get("PYTHONPATH")))
            ),
        }
        with (self._folder / "opener.log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.attacks.opener"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        return self._process

    @staticmethod
    def _peak(pid: int) -> int:
        """Bytes that it had at most since the last question; the kernel's mark is put back."""
        try:
            found = Path(f"/proc/{pid}/status").read_text()
            with suppress(PermissionError):  # then it is that of all files so far
                Path(f"/proc/{pid}/clear_refs").write_text("5")
        except OSError:
            return 0
        return next(
            int(line.split()[1]) << 10 for line in found.splitlines() if line.startswith("VmHWM")
        )


class ContentAttack:
    """One mutation after the other, over every kind of file and frame."""

    def __init__(self, folder: Path, rng: random.Random, summary: Summary) -> None:
        self._folder = folder
        self._rng = rng
        self._summary = summary
        self._opener = Opener(folder)
        self._seeds = [
            (path.suffix, path)
            for path in sorted(RECORDINGS.iterdir())
            if path.stat().st_size < MOST_SEED_BYTES and path.suffix != ".csv"
        ]
        self._seeds += [
            (".sqlite3", full_home(folder / "seed") / NAME),
            (".lnsession", _a_session(folder)),
        ]
        self._sealed: dict[str, list[Path]] = {}
        for suffix, path in self._seeds:
            if suffix in SEALED:
                self._sealed.setdefault(suffix, []).append(path)
        self._frames = list(_frames())
        self._held: dict[Path, Any] = {}

    def step(self) -> None:
        """One mutation."""
        if self._rng.random() < 0.25:
            self._frame()
        else:
            self._file()

    def flip(self) -> None:
        """One flipped bit of a file that is sealed, every kind in turn: it is noticed, or changes
        nothing that is read.
        """
        suffix = SEALED[self._summary.tried.get("flipped bits", 0) % len(SEALED)]
        seed = self._rng.choice(self._sealed[suffix])
        self._summary.count("flipped bits")
        answer = self._judge(
            suffix, self._write(one_bit_flipped(seed.read_bytes(), self._rng), suffix), self._opener
        )
        if "held" in answer:
            self._compare(seed, suffix, answer["held"])

    def close(self) -> None:
        """End the child."""
        self._opener.close()

    def _frame(self) -> None:
        what, data = self._rng.choice(self._frames)
        change = self._rng.choice((forged_message, one_bit_flipped))
        self._judge(what, self._write(change(data, self._rng), ".frame"), self._opener)

    def _file(self) -> None:
        suffix, seed = self._rng.choice(self._seeds)
        data = seed.read_bytes()
        change = mutation_of(suffix, self._rng) if suffix != ".sqlite3" else one_bit_flipped
        shown = suffix.startswith(".ln") and self._rng.random() < SHOWN_SHARE
        if shown and self._rng.random() < 0.5:
            change = hostile_archive
        path = self._write(change(data, self._rng), suffix)
        answer = self._judge(suffix, path, self._opener)
        if change is one_bit_flipped and suffix in SEALED and "held" in answer:
            self._compare(seed, suffix, answer["held"])
        if shown:
            self._judge("window", path, self._opener)

    def _compare(self, seed: Path, suffix: str, held: list[int]) -> None:
        """A flipped bit is refused, or changes nothing that is read."""
        if seed not in self._held:
            copy = self._folder / f"whole{suffix}"
            shutil.copyfile(seed, copy)
            self._held[seed] = set(self._opener.ask(suffix, copy).get("held", ()))
            if (
                suffix == ".lnsession"
            ):  # its parts, too, which are all that is left of a damaged one
                self._held[seed] |= set(self._opener.ask("parts", copy).get("held", ()))
        self._summary.count("flipped bits that were read")
        if not set(held) <= self._held[seed]:
            path = self._folder / f"mutated{suffix}"
            self._fault(
                "flipped bits unnoticed",
                f"a flipped bit of {seed.name} was accepted with other values",
                path,
            )

    def _judge(self, what: str, path: Path, opener: Opener) -> dict[str, Any]:
        answer = opener.ask(what, path)
        self._summary.count(
            "messages"
            if what.startswith("frame:")
            else "files in a window"
            if what == "window"
            else what
        )
        peak = answer.get("peak", 0)
        self._summary.peak_bytes = max(self._summary.peak_bytes, peak)
        if "died" in answer or "raised" in answer:
            self._fault(
                "tracebacks" if "raised" in answer else "ends",
                f"{what}: {answer.get('died') or answer['raised']}",
                path,
            )
        if answer.get("seconds", 0) > MOST_SECONDS:
            self._fault("slow files", f"{what}: it took {answer['seconds']:.1f} s", path)
        if peak > MOST_BYTES:
            self._fault("large files", f"{what}: it took {peak >> 20} MiB", path)
            opener.close()  # what it holds on to is not the next file's
        if what == "window" and "stall_ms" in answer:
            self._summary.stalls_ms.append((answer["stall_ms"], answer["stall_cpu_ms"]))
            for text in answer["rich"]:
                self._fault("rich texts", f"rich text: {text}", path)
            if len(self._summary.stalls_ms) % SHOWN_TOGETHER == 0:
                opener.close()
        return answer

    def _write(self, data: bytes, suffix: str) -> Path:
        path = self._folder / f"mutated{suffix}"
        path.write_bytes(data)
        return path

    def _fault(self, kind: str, sentence: str, path: Path) -> None:
        kept = ""
        if path.exists():
            copy = self._folder / f"fault-{len(self._summary.faults)}{path.suffix}"
            shutil.copyfile(path, copy)
            kept = f" ({copy.name})"
        self._summary.fault(kind, sentence + kept)


def full_home(folder: Path) -> Path:
    """A home with two runs that can be compared, its history closed and whole in one file."""
    home = folder / "full-home"
    result = read_recording(RECORDINGS / "h200_lecture.lnrec").result
    assert result is not None
    with open_history(home / NAME, lambda _sentence: None) as history:
        history.runs.add(result, "a note")
        history.runs.add(result)
    return home


def _a_session(folder: Path) -> Path:
    path = folder / "seed.lnsession"
    write_session(path, full_session())
    return path


def _frames() -> Iterator[tuple[str, bytes]]:
    yield "frame:command", encode_message(Do(1, RunRequest.of(m=4, n=8, group_size_m=2)))
    result = read_recording(RECORDINGS / "h200_lecture.lnrec").result
    assert result is not None
    yield "frame:event", encode_message(JobEnded(1, Finished(result)))


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for one attack."""
    return tempfile.TemporaryDirectory(prefix="lnexplorer-attack-", ignore_cleanup_errors=True)
