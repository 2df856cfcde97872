"""Sweeps as a user types them, the same in a process of their own, and what they leave. Each has a
worker that invents its figures.
"""

import csv
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.engine.listener import wait_until
from tests.engine.sweep.conftest import FAKE_WORKER
from tests.engine.sweep.fake_worker import DIES, WRONG
from tests.programs import start_program

CURVE = "sweep --m 4096 --n 1024:4096:512 --provider torch --device cuda:0"
GROUPS = f"sweep --m 4096 --n 1024 --group-size-m 16,{DIES},64,{WRONG},3 --device cuda:0"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's own database of sweeps, and the worker that invents."""
    home = tmp_path / "home"
    monkeypatch.setenv("LNEXPLORER_HOME", str(home))
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(tmp_path / "asked"))
    monkeypatch.setattr("lnexplorer.engine.spawn.WORKER_COMMAND", FAKE_WORKER)
    return home


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def started(line: str) -> subprocess.Popen[str]:
    """The command in a process of its own, with the worker that invents."""
    program = (
        "import sys\nimport lnexplorer.engine.spawn as spawn\nfrom lnexplorer.cli.main import"
        f" main\nspawn.WORKER_COMMAND = {FAKE_WORKER!r}\nsys.exit(main())\n"
    )
    return start_program(program, *shlex.split(line))


def wait_for_rows(path: Path, count: int) -> None:
    assert wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") > count)
