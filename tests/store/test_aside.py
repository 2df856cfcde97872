"""Files that are replaced whole: who may read them, and what a failure leaves."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lnexplorer.store.files import write_whole


@pytest.fixture
def careful() -> Iterator[None]:
    """A process whose files nobody but its group may read."""
    before = os.umask(0o027)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("careful")
def test_a_new_file_gets_the_permissions_of_the_process_and_a_replaced_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one")
    assert _mode(path) == 0o640
    path.chmod(0o604)
    write_whole(path, b"two")
    assert (_mode(path), path.read_bytes()) == (0o604, b"two")


def test_files_of_other_threads_keep_their_permissions_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "umask", lambda _mask: pytest.fail("the umask belongs to all threads"))
    write_whole(tmp_path / "file", b"")


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"
