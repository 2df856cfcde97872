"""Workers of one machine take turns at a GPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.worker.turns import turn_of
from lnkernels.values.sentence import Sentence

HOLDER = """
import sys
from pathlib import Path
from lnexplorer.worker.turns import turn_of
with turn_of(None, "GPU-1", Path(sys.argv[1])):
    print("mine", flush=True)
    sys.stdin.read()
"""


class Waiting:
    """A job that counts how often it asks, and does something when it is told to wait."""

    def __init__(self, then: object = None) -> None:
        self.told: list[str] = []
        self._then = then

    def check(self) -> None:
        if self.told and isinstance(self._then, BaseException):
            raise self._then

    def tell_step(self, name: Sentence, done: int, total: int) -> None:
        del done, total
        self.told.append(str(name))
        if isinstance(self._then, subprocess.Popen):
            self._then.kill()
            self._then.wait()


def _holder(folder: Path) -> "subprocess.Popen[str]":
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "mine\n"
    return holder


def test_who_waits_is_told_whose_turn_it_is_and_gets_it_when_that_process_is_gone(
    tmp_path: Path,
) -> None:
    holder = _holder(tmp_path)
    job = Waiting(holder)
    with turn_of(job, "GPU-1", tmp_path):
        pass
    assert len(job.told) == 1
    assert f"(process {holder.pid}) on this GPU" in job.told[0]
    holder.communicate()


def test_a_job_that_waits_can_be_left(tmp_path: Path) -> None:
    holder = _holder(tmp_path)
    with pytest.raises(KeyboardInterrupt), turn_of(Waiting(KeyboardInterrupt()), "GPU-1", tmp_path):
        raise AssertionError("it is somebody else's turn")
    with turn_of(Waiting(), "GPU-2", tmp_path):
        pass
    holder.communicate("")


def test_a_turn_within_a_turn_is_the_same_one(tmp_path: Path) -> None:
    job = Waiting()
    with turn_of(job, "GPU-1", tmp_path), turn_of(job, "GPU-1", tmp_path):
        pass
    assert not job.told
    assert (tmp_path / "lnexplorer-GPU-1.turn").stat().st_mode & 0o777 == 0o666


def test_what_somebody_else_left_there_is_neither_followed_nor_believed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "lnexplorer-GPU-1.turn").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "lnexplorer-GPU-2.turn")
    for gpu in ("GPU-1", "GPU-2"):
        with turn_of(Waiting(), gpu, tmp_path):
            pass
    assert (tmp_path / "elsewhere").read_text() == "precious"
