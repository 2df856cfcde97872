"""Files are replaced whole, read with a bound, and kept under another name."""

import os
from pathlib import Path
from threading import Thread

import pytest

from lnexplorer.store.files import StoreError, keep_aside, read_at_most, write_whole


def test_what_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def test_two_files_of_one_second_are_both_kept_aside(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        (tmp_path / "file").write_bytes(content)
        keep_aside(tmp_path / "file")
    assert sorted(kept.read_bytes() for kept in tmp_path.iterdir()) == [b"first", b"second"]


def test_what_has_no_end_or_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (Path("/dev/zero"), tmp_path, pipe, tmp_path / "none"):
        found: list[BaseException] = []

        def read(path: Path = path, found: list[BaseException] = found) -> None:
            with pytest.raises(StoreError) as caught:
                read_at_most(path, 1 << 20)
            found.append(caught.value)

        thread = Thread(target=read, daemon=True)
        thread.start()
        thread.join(5)
        assert str(found[0]).startswith(f"{path} cannot be read (")


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one")
    path.chmod(0o604)
    write_whole(path, b"two")
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o604, b"two")
