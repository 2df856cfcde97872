"""The folders that compilers, and files of users, write into. Standard library only."""

import os
import sys
import tempfile
from pathlib import Path

from lnkernels.values.sentence import Sentence, say

PROBE_BYTES = 1 << 20  # that must find room: kernels with all their stages


def why_no_room() -> str:
    """Return `VARIABLE=folder: cause` of a folder that cannot be written; else an empty text."""
    home = os.environ.get("TRITON_HOME") or os.environ.get("HOME") or "~"
    usual = str(Path(home).expanduser() / ".triton" / "cache")
    # torch.compile's is in the temporary folder if it is not named.
    for variable, default in (("TRITON_CACHE_DIR", usual), ("TORCHINDUCTOR_CACHE_DIR", "")):
        folder = os.environ.get(variable) or default
        if folder and (cause := _why_not_in(folder)):
            return f"{variable}={folder}: {cause}"
    cause = _why_not_in(None)
    return cause and f"TMPDIR={os.environ.get('TMPDIR') or '/tmp'}: {cause}"


def _why_not_in(folder: str | None) -> str:
    """Return why a folder cannot be written, or an empty text. None is the temporary folder, which
    Python looks for by writing, too.
    """
    try:
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
    except OSError as error:
        return str(error.strerror)
    return ""


def no_room(found: list[BaseException]) -> Sentence | None:
    """Return a sentence for an error, given with its causes, where one was that a folder cannot be
    written; else None.
    """
    cause = why_no_room() if any(isinstance(error, OSError) for error in found) else ""
    if not cause:
        return None
    return say(
        "there is no room for what is compiled ({cause}): make room, or set the variable to a"
        " folder that can be written",
        cause=cause,
    )


def enter_written_folder() -> Path:
    """Change to the folder for what users' files write, and return it; stay in the current one
    where it cannot be made.
    """
    try:
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        own = os.environ.get("LNEXPLORER_HOME") or Path(caches, "lnexplorer")
        folder = Path(own, "written").absolute()
        folder.mkdir(parents=True, exist_ok=True)
        sys.path[:] = map(os.path.abspath, sys.path)  # from where modules are imported stays
        os.chdir(folder)
    except (OSError, RuntimeError):
        return Path.cwd()
    return folder


def changed_in(folder: Path, since: dict[str, int]) -> list[str]:
    """Return the names in a folder that are new, or were written since `times_in`."""
    return [name for name, at in times_in(folder).items() if since.get(name) != at]


def times_in(folder: Path) -> dict[str, int]:
    """Return when each name in a folder was written, in nanoseconds."""
    with os.scandir(folder) as found:
        return {one.name: one.stat(follow_symlinks=False).st_mtime_ns for one in found}
