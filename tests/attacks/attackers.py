"""One attacker, which does each kind of attack its share of the time, and several of them side by
side.
"""

import multiprocessing
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.attacks.files import ContentAttack, Summary, scratch
from tests.attacks.processes import ProcessAttack

# Steps of content are a thousand times shorter than the others, so each kind has its share of time.
SHARES = {"content": 0.3, "flips": 0.05, "faults": 0.35, "disk": 0.15, "commands": 0.15}
LONGEST_STEP_S = 40.0  # after the end, for those that wait for a process that was stopped
LONGEST_REPORT_S = 10.0  # after that, to tell what was found until then


def side_by_side(
    jobs: int, seed: int, minutes: float, kinds: Sequence[str], keep: Path | None
) -> Summary:
    """The sum of so many attacks at once; one that fails, or does not end, is a fault of its own."""
    summary, cores = Summary(), sorted(os.sched_getaffinity(0))
    ends = time.monotonic() + 60 * minutes + LONGEST_STEP_S + LONGEST_REPORT_S
    # Each begins anew: none shares a thread, a file or a seed with another.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
    attacks = []
    for number in range(jobs):
        place = 2 * number % len(cores)
        kept = None if keep is None else keep / str(number)
        attacks.append(
            pool.submit(attack, seed + number, minutes, kinds, kept, cores[place : place + 2])
        )
    for number, running in enumerate(attacks):
        try:
            summary.add(running.result(max(ends - time.monotonic(), 0)), f"attacker {number}")
        except Exception as error:  # noqa: BLE001 - what the others found is told all the same
            summary.fault(
                "attackers that failed", f"attacker {number}: {type(error).__name__}: {error}"
            )
    for process in multiprocessing.active_children():
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)
    return summary


def attack(
    seed: int, minutes: float, kinds: Sequence[str], keep: Path | None, cores: Sequence[int] = ()
) -> Summary:
    """Attack by these kinds in turn, each its share of the time, on these cores where some are
    given.
    """
    # Under nohup, or in the background, these are ignored, and what is started would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if cores:
        os.sched_setaffinity(0, cores)
    summary = Summary()
    with scratch() as name:
        folder = Path(name)
        if cores:  # what is left of one attacker's processes is not found by another
            tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        rng = random.Random(seed)
        content = ContentAttack(folder, random.Random(rng.random()), summary)
        processes = ProcessAttack(folder, random.Random(rng.random()), summary)
        steps: dict[str, Callable[[], None]] = {
            "content": content.step,
            "flips": content.flip,
            "faults": processes.fault_point,
            "disk": processes.disk_error,
            "commands": processes.command_line,
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
