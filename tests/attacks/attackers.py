"""One attacker, which does each kind of attack its share of the time."""

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tests.attacks.files import ContentAttack, Summary, scratch
from tests.attacks.surroundings import SurroundingsAttack

# Steps of content are a thousand times shorter than the others, so each kind has its share of time.
SHARES = {
    "content": 0.2,
    "flips": 0.05,
    "faults": 0.35,
    "disk": 0.1,
    "commands": 0.1,
    "kernels": 0.1,
    "servers": 0.05,
    "homes": 0.05,
}
LONGEST_STEP_S = 40.0  # after the end, for those that wait for a process that was stopped


def attack(seed: int, minutes: float, kinds: Sequence[str], keep: Path | None) -> Summary:
    """Attack by these kinds in turn, each its share of the time."""
    # Under nohup, or in the background, these are ignored, and what is started would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    summary = Summary()
    with scratch() as name:
        folder = Path(name)
        # What is left of its processes is not found by another attacker.
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        rng = random.Random(seed)
        content = ContentAttack(folder, random.Random(rng.random()), summary)
        processes = SurroundingsAttack(folder, random.Random(rng.random()), summary)
        steps: dict[str, Callable[[], None]] = {
            "content": content.step,
            "flips": content.flip,
            "faults": processes.fault_point,
            "disk": processes.disk_error,
            "commands": processes.command_line,
            "kernels": processes.kernel,
            "servers": processes.server,
            "homes": processes.home,
        }
        spent = dict.fromkeys(kinds, 0.0)
        ends = processes.ends = time.monotonic() + 60 * minutes

        def too_late(_number: int, _frame: object) -> None:
            summary.count("last steps cut off")
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, too_late)
        signal.setitimer(signal.ITIMER_REAL, 60 * minutes + LONGEST_STEP_S)
        with suppress(KeyboardInterrupt):  # what was found until then is told
            while time.monotonic() < ends:
                kind = min(spent, key=lambda each: spent[each] / SHARES[each])
                began = time.monotonic()
                steps[kind]()
                spent[kind] += time.monotonic() - began
        signal.setitimer(signal.ITIMER_REAL, 0)
        content.close()
        if keep is not None:
            for path in folder.glob("fault-*"):
                keep.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if path.is_dir() else shutil.copy2)(path, keep / path.name)
    return summary
