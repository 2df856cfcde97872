"""The folders that compilers write into. Standard library only."""

import os
import tempfile
from pathlib import Path

from lnkernels.values.sentence import Sentence, say

PROBE_BYTES = 1 << 20  # that must find room: kernels with all their stages


def why_no_room() -> str:
    """Return the variable, the folder and the cause where one cannot be written; else nothing."""
    home = os.environ.get("TRITON_HOME") or os.environ.get("HOME") or "~"
    usual = Path(home).expanduser() / ".triton" / "cache"
    variable, folder = "TRITON_CACHE_DIR", Path(os.environ.get("TRITON_CACHE_DIR") or usual)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_in(folder)
        # Found by writing: there may be none.
        variable, folder = "TMPDIR", Path(os.environ.get("TMPDIR") or "/tmp")
        _write_in(Path(tempfile.gettempdir()))
    except OSError as error:
        return f"{variable}={folder}: {error.strerror}"
    return ""


def _write_in(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder) as probe:
        probe.write(bytes(PROBE_BYTES))
        probe.flush()


def no_room(found: list[BaseException]) -> Sentence | None:
    """Explain an error, given with its causes, where a folder that cannot be written led to it."""
    cause = why_no_room() if any(isinstance(error, OSError) for error in found) else ""
    if not cause:
        return None
    return say(
        "there is no room for what is compiled ({cause}): make room, or set the variable to a"
        " folder that can be written",
        cause=cause,
    )
