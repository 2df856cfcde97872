"""The folders that compilers write into. Standard library only."""

import os
import tempfile
from pathlib import Path

from lnkernels.values.sentence import Sentence, say

PROBE_BYTES = 1 << 20  # that must find room: kernels with all their stages


def why_no_room() -> str:
    """Return the variable, the folder and the cause where one cannot be written; else nothing."""
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
    """Try to write in a folder, or in the temporary one, which is looked for by writing, too."""
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
    """Explain an error, given with its causes, where a folder that cannot be written led to it."""
    cause = why_no_room() if any(isinstance(error, OSError) for error in found) else ""
    if not cause:
        return None
    return say(
        "there is no room for what is compiled ({cause}): make room, or set the variable to a"
        " folder that can be written",
        cause=cause,
    )
