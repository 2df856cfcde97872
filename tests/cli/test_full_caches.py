"""A cache that cannot be written is told by every way to it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command


def test_compile_names_folder_and_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    (tmp_path / "file").touch()
    cache = tmp_path / "file" / "cache"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(cache))
    told = lnexplorer("compile --m 2 --n 4 --device interpreter", status=3).err
    assert f"TRITON_CACHE_DIR={cache}: Not a directory" in told
    assert "NotADirectoryError" not in told
