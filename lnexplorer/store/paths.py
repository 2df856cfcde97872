"""Where settings and history are kept, and where they go when that place cannot be written."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from lnexplorer.store.database import NAME as DATABASE_NAME
from lnexplorer.store.files import reason
from lnkernels.sentence import Sentence, say

HOME_VARIABLE = "LNEXPLORER_HOME"
SETTINGS_NAME = "settings.json"
WINDOW_NAME = "window.ini"


@dataclass(frozen=True, slots=True)
class Paths:
    """The two folders of a user. `warning` is a sentence for the user where they are not the usual ones."""

    config: Path
    data: Path
    warning: Sentence | None = None

    @property
    def settings(self) -> Path:
        """The settings, JSON."""
        return self.config / SETTINGS_NAME

    @property
    def window(self) -> Path:
        """Geometry and arrangement of the window, kept by Qt."""
        return self.config / WINDOW_NAME

    @property
    def history(self) -> Path:
        """Runs, experiments and sweeps, an SQLite database."""
        return self.data / DATABASE_NAME


def find_paths() -> Paths:
    """The user's folders, made if need be. LNEXPLORER_HOME, where it is set, holds both.

    Where they cannot be written, a new temporary folder takes their place, with a copy of what can be read of the usual
    ones.
    """
    wanted = _wanted()
    try:
        for folder in (wanted.config, wanted.data):
            _probe(folder)
    except OSError as error:
        folder = _folder_of(error, wanted)
        return _temporary(wanted, say("{path} cannot be written ({why})", path=str(folder), why=reason(error)))
    return wanted


def _wanted() -> Paths:
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Paths(Path(home), Path(home))
    return Paths(
        platformdirs.user_config_path("lnexplorer", appauthor=False),
        platformdirs.user_data_path("lnexplorer", appauthor=False),
    )


def _folder_of(error: OSError, wanted: Paths) -> Path:
    """Where writing failed: the folder that is known to the user, not the name of what was tried in it."""
    place = Path(error.filename) if error.filename else wanted.config
    return place.parent if place.parent in (wanted.config, wanted.data) else place


def _probe(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as stream:
        stream.write(b"lnexplorer")


def _temporary(wanted: Paths, cause: Sentence) -> Paths:
    try:
        folder = Path(tempfile.mkdtemp(prefix="lnexplorer-"))
    except OSError:
        # Not even a temporary folder: reading and writing fail later, each with its own sentence, and defaults are
        # used.
        sentence = say("{cause}, nor can any temporary folder: nothing will be kept.", cause=cause)
        return Paths(wanted.config, wanted.data, sentence)
    for file in (wanted.settings, wanted.window, wanted.history):
        _copy_if_readable(file, folder)
        _copy_if_readable(file.with_name(f"{file.name}-wal"), folder)  # what a program wrote into a database that it still holds
    sentence = say("{cause}: settings and history are kept in {folder} for now.", cause=cause, folder=str(folder))
    return Paths(folder, folder, sentence)


def _copy_if_readable(file: Path, folder: Path) -> None:
    try:
        if file.is_file():
            shutil.copyfile(file, folder / file.name)
    except OSError:
        (folder / file.name).unlink(missing_ok=True)
