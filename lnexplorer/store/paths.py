"""The folders of settings and history, and a temporary one where these cannot be written."""

import os
import tempfile
from pathlib import Path

import platformdirs

from lnexplorer.store.database import NAME as DATABASE_NAME
from lnexplorer.store.files import StoreError, reason
from lnkernels.values import Sentence, frozen, say

HOME_VARIABLE = "LNEXPLORER_HOME"
SETTINGS_NAME = "settings.json"
WINDOW_NAME = "window.ini"


@frozen
class Paths:
    """The two folders of a user. `warning` is a sentence for the user where they are not the usual
    ones.
    """

    config: Path
    data: Path
    warning: Sentence | None = None

    @property
    def settings(self) -> Path:
        return self.config / SETTINGS_NAME

    @property
    def window(self) -> Path:
        """Geometry and arrangement of the window, kept by Qt."""
        return self.config / WINDOW_NAME

    @property
    def has_history(self) -> bool:
        """True where there is a history.

        Raises:
            StoreError: the folder cannot be looked into.
        """
        try:
            return self.history.exists()
        except OSError as error:
            raise StoreError(
                "{path} cannot be read ({why}).", path=self.history, why=reason(error)
            ) from error

    @property
    def last_session(self) -> Path:
        """Everything that was open when the window was closed."""
        return self.data / "last.lnsession"

    @property
    def exercises(self) -> Path:
        """Lab sheets of one's own; nothing makes this folder."""
        return self.config / "exercises"

    @property
    def history(self) -> Path:
        return self.data / DATABASE_NAME


def find_paths(*, reading: bool = False) -> Paths:
    """Return the user's folders: LNEXPLORER_HOME, where it is set, holds both.

    Unless they are only for `reading`, they are made if need be; where they cannot be written, a
    new temporary folder takes their place.
    """
    wanted = _wanted()
    if reading:
        return wanted
    try:
        for folder in (wanted.config, wanted.data):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try_to_write(folder)
    except OSError as error:
        other = Path(tempfile.mkdtemp(prefix="lnexplorer-"))
        sentence = say(
            "{path} cannot be written ({why}): settings and history are kept in {folder} for now.",
            path=folder,
            why=reason(error),
            folder=other,
        )
        return Paths(other, other, sentence)
    return wanted


def try_to_write(folder: Path) -> None:
    """Write into a folder, and leave nothing there. Raises OSError where that cannot be."""
    with tempfile.TemporaryFile(dir=folder) as stream:
        stream.write(b"lnexplorer")


def _wanted() -> Paths:
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Paths(Path(home), Path(home))
    return Paths(
        platformdirs.user_config_path("lnexplorer", appauthor=False),
        platformdirs.user_data_path("lnexplorer", appauthor=False),
    )
