"""Folders that compilers write into and cannot are told with their variable."""

import errno
import tempfile
from pathlib import Path

import pytest

from lnkernels.cache_folders import why_no_room
from lnkernels.failures import in_one_line, reason_of

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of its own, and a file in which no folder can be made."""
    for variable in ("TRITON_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "file").touch()
    return tmp_path


def test_where_all_can_be_written_an_error_is_itself(folders: Path) -> None:
    assert why_no_room() == ""
    assert in_one_line(FULL) == "OSError: [Errno 28] No space left on device"


@pytest.mark.parametrize(
    ("variable", "below"),
    [("TRITON_CACHE_DIR", ""), ("TRITON_HOME", ".triton/cache"), ("HOME", ".triton/cache")],
)
def test_a_cache_that_cannot_be_written_is_told(
    variable: str, below: str, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(folders / "file" / "x"))
    told = f"TRITON_CACHE_DIR={folders / 'file' / 'x' / below}: Not a directory"
    assert why_no_room() == told
    error = RuntimeError("the compiler")
    error.__cause__ = FileNotFoundError(errno.ENOENT, "No such file or directory")
    for text in (in_one_line(error), str(reason_of(error))):
        assert f"there is no room for what is compiled ({told})" in text
    assert in_one_line(RuntimeError("another fault")) == "RuntimeError: another fault"


def test_the_cache_of_torch_compile_is_told(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(folders / "file" / "x"))
    assert f"TORCHINDUCTOR_CACHE_DIR={folders / 'file' / 'x'}: Not a directory" in in_one_line(FULL)


def test_no_folder_for_temporary_files_is_told(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(folders / "file"))
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(folders / "file")])
    assert why_no_room().startswith(f"TMPDIR={folders / 'file'}: No usable temporary directory")
    assert "set the variable to a folder" in in_one_line(FULL)
