"""A place for a history, and what it warns of."""

from pathlib import Path

import pytest


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"
