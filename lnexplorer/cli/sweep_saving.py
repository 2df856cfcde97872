"""`lnexplorer sweep --save`: the rows of a sweep with their samples in one file, for the window and for other machines."""

import shlex
import sys
from collections.abc import Collection
from pathlib import Path

from lnexplorer.cli.places import why_not_written
from lnexplorer.cli.sweep_session import SweepSession
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.wording import counted
from lnexplorer.store.archive import SWEEP
from lnexplorer.store.files import StoreError, keep_aside, reason
from lnexplorer.store.recorded_sweep import recorded_sweep, write_recorded_sweep


def save_sweep(path: Path, title: str, sweep: SweepRequest, session: SweepSession) -> bool:
    """Save the rows so far, and say so; whether that was done. A file of that name is kept under another one.

    Args:
        path: of the file.
        title: what the sweep is called; empty for one that says what varies.
        sweep: what was asked.
        session: at its end, however it came.
    """
    rows = len(session.rows())
    if not session.results:
        _say(f"there is no row to save in {path}" + (": the samples of those of before are not at hand" if rows else ""))
        return False
    try:
        if path.is_file() and path.stat().st_size:
            _say(f"{path} was there already, and is kept as {keep_aside(path).name}.")
        write_recorded_sweep(path, recorded_sweep(sweep, session.results, title=title, ended=session.ended))
    except StoreError as error:
        _say(str(error))
        return False
    except OSError as error:
        _say(f"{path} cannot be saved ({reason(error)}).")
        return False
    saved = len(session.results)
    _say(f"{counted(saved, 'row is', 'rows are')} saved as {path}. Open it with: lnexplorer {shlex.quote(str(path))}")
    if rows > saved:
        end = "not in it: {} samples are not at hand."
        one, more = f"row of before is {end.format('its')}", f"rows of before are {end.format('their')}"
        _say(counted(rows - saved, one, more))
    return True


def why_not_saved(path: Path, taken: Collection[Path | None]) -> str | None:
    """Why nothing can be saved there, as far as that is known before there is something.

    Args:
        path: of the file.
        taken: files that the rows go to.
    """
    if path in taken:
        return "name another file than that of the rows"
    if path.suffix != SWEEP.suffix and not path.is_dir():
        return f"name a file that ends in {SWEEP.suffix}, by which the window knows it"
    return why_not_written(path, folders_are_made=False)


def _say(sentence: str) -> None:
    print(f"lnexplorer sweep: {sentence}", file=sys.stderr)
