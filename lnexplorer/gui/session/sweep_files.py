"""What leaves the Sweep pane as files: a table and a picture for each pass, as the tutorial's benchmark names them."""

from collections.abc import Mapping
from pathlib import Path

from lnexplorer.domain.sweep.table import row
from lnexplorer.domain.sweep.tutorial import of_one_kind, tutorial_csv
from lnexplorer.gui.panes.sweep_parts.model import SweepModel
from lnexplorer.storage.aside import write_whole


def tutorial_files(model: SweepModel, pictures: Mapping[str, bytes]) -> dict[str, bytes]:
    """Name and content of each file.

    Args:
        model: a sweep over N with at least one row.
        pictures: a PNG for each pass that has one.
    """
    results = sorted(model.results.values(), key=lambda result: result.cell.number)
    shown, _ = of_one_kind([row(model.sweep, result) for result in results])
    found = {f"layer-norm-{name}.csv": tutorial_csv(model.sweep, shown, name).encode() for name in model.sweep.directions}
    return found | {f"layer-norm-{name}.png": picture for name, picture in pictures.items()}


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write them all into a folder, which is returned.

    Raises:
        OSError: one of them cannot be written.
    """
    for name, content in files.items():
        write_whole(folder / name, content)
    return folder
