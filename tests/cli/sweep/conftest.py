"""Every sweep of these tests has a worker that invents its figures."""

from pathlib import Path

import pytest

from tests.engine.sweep.conftest import FAKE_WORKER


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's own database of sweeps, and the worker that invents."""
    home = tmp_path / "home"
    monkeypatch.setenv("LNEXPLORER_HOME", str(home))
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(tmp_path / "asked"))
    monkeypatch.setattr("lnexplorer.engine.spawn.WORKER_COMMAND", FAKE_WORKER)
    return home
