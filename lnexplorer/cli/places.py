"""Where a file is to be written, judged before anything is done for it."""

import os
from pathlib import Path


def why_not_written(path: Path, *, folders_are_made: bool = True) -> str | None:
    """What to name instead of a file that cannot be written, as far as that is known before it is; None where it can.

    Args:
        path: of the file.
        folders_are_made: whether who writes it makes folders that are not there.
    """
    # Those of os.path say no where a folder on the way may not be looked into; those of Path raise.
    if os.path.isdir(path):  # noqa: PTH112
        return "name a file, not a folder"
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
        # A device or a pipe, which is written and not replaced.
        return None if os.access(path, os.W_OK) else "name a file that can be written"
    folder = next(each for each in (path.parent, *path.parent.absolute().parents) if os.path.exists(each))  # noqa: PTH110
    if os.path.isdir(folder) and folder != path.parent and not folders_are_made:  # noqa: PTH112
        return f"name a file in a folder that is there; {path.parent} is not"
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):  # noqa: PTH112
        return f"name a file in a folder that can be written; {folder} cannot"
    return None
