from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.store.settings import Settings, load_settings, save_settings

CHOSEN = Settings(
    request=RunRequest.of(m=4, n=8, group_size_m=2),
    theme="dark",
    language="zh_CN",
    live=False,
    device="cuda:1",
    presets={"narrow": RunRequest(n=64), "wide, 宽": RunRequest.of(n=8192, num_warps=8)},
)


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    assert save_settings(path, CHOSEN) is None
    assert load_settings(path) == (CHOSEN, None)


def test_exercises_solved_by_another_process_stay_solved(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    window, command = Settings(solved=("01", "02")), Settings(theme="dark", solved=("02", "03"))
    assert save_settings(path, window) is save_settings(path, command) is None
    assert save_settings(path, window) is None, "the window is closed"
    assert set(load_settings(path)[0].solved) == {"01", "02", "03"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"format": "another program\'s", "version": 1, "settings": {}}',
        b'{"format": "lnexplorer settings", "version": 2, "settings": {}}',
        b'{"format": "lnexplorer settings", "version": 1, "settings": {"theme": "pink"}}',
        b'{"format": "lnexplorer settings", "version": 1, "settings": {"request": {"m": "many"}}}',
        b'{"format": "lnexplorer settings", "version": 1, "settings": {"presets": {"a": {"m": -5}}}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_or_foreign_file_is_kept_aside_and_the_defaults_are_used(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    settings, sentence = load_settings(path)
    assert settings == Settings()
    assert sentence is not None
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == content
    assert kept.name in str(sentence)
    assert save_settings(path, CHOSEN) is None
    assert load_settings(path) == (CHOSEN, None)


def test_settings_of_a_folder_without_a_place_give_a_sentence(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    settings, sentence = load_settings(blocked / "settings.json")
    assert settings == Settings()
    assert sentence is not None
    assert "cannot be read" in str(sentence)
    assert "cannot be saved" in str(save_settings(blocked / "settings.json", CHOSEN))
