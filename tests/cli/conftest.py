"""Commands of these tests run in this process, and ask the shared worker."""

import json
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lnexplorer.cli.main import main
from lnexplorer.engine import supervisor, sweep
from lnexplorer.store.paths import HOME_VARIABLE
from tests.shared_worker import LentWorker, SharedWorker


class Told(NamedTuple):
    """What a command printed."""

    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out, parse_constant=pytest.fail)


Command = Callable[..., Told]
Refused = Callable[..., str]


@pytest.fixture
def lnexplorer(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a line as a user types it, with more arguments behind; it has to end with a status."""

    def run(line: str, *more: object, status: int = 0) -> Told:
        capsys.readouterr()  # what was printed before is not its own
        try:
            ended: object = main([*shlex.split(line), *map(str, more)])
        except SystemExit as left:  # as argparse does once it has printed help
            ended = left.code
        told = Told(*capsys.readouterr())
        assert ended == status, told
        return told

    return run


@pytest.fixture
def refused(lnexplorer: Command) -> Refused:
    """Give what is said of a line that is not possible: nothing is printed beside it."""

    def run(line: str, *more: object) -> str:
        out, err = lnexplorer(line, *more, status=2)
        assert out == ""
        return err

    return run


@pytest.fixture
def worker(shared_worker: SharedWorker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Commands that ask for a job, and sweeps, ask the one worker, on the interpreter; the folder
    that they keep things in.
    """
    lent = partial(LentWorker, shared_worker)
    monkeypatch.setattr(supervisor, "Supervisor", lent)
    monkeypatch.setattr(sweep, "Supervisor", lent)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"
