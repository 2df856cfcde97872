import shutil
import tempfile
from pathlib import Path

import pytest

from lnexplorer.store.paths import HOME_VARIABLE, find_paths
from tests.store.examples import close_folder, folder_to_close


def test_one_variable_moves_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    paths = find_paths()
    assert paths.warning is None
    assert {paths.settings.parent, paths.history.parent, paths.window.parent} == {tmp_path / "home"}
    assert not list((tmp_path / "home").iterdir())


def test_without_the_variable_the_folders_are_those_of_the_desktop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(HOME_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    paths = find_paths()
    assert paths.settings == tmp_path / "config" / "lnexplorer" / "settings.json"
    assert paths.history == tmp_path / "data" / "lnexplorer" / "lnexplorer.sqlite3"


def test_a_read_only_home_is_named_and_who_only_reads_is_not_sent_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")  # that of the tests may be closed to others
    with folder_to_close() as home:
        monkeypatch.setenv(HOME_VARIABLE, str(home))
        close_folder(home)
        before = set(Path("/tmp").glob("lnexplorer-*"))
        assert find_paths(reading=True).history.parent == home
        assert set(Path("/tmp").glob("lnexplorer-*")) == before
        paths = find_paths()
    assert str(paths.warning).startswith(f"{home} cannot be written (Permission denied)")
    shutil.rmtree(paths.config)
