"""The services of controllers, with what only the window's own parts may use besides."""

from typing import TYPE_CHECKING

from lnexplorer.gui.session.services import Controller, PartKey, Services, Wanted
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.preferences import Preferences

if TYPE_CHECKING:
    from lnexplorer.gui.window.commands import Commands
    from lnexplorer.gui.window.picture_run import PictureRun


class WindowServices(Services):
    """The application as menus, exports and sessions see it."""

    window: MainWindow
    preferences: Preferences
    commands: "Commands"
    picture: "PictureRun | None" = None  # where the window is opened for a picture
    controllers: dict[str, Controller]  # by the name of the part; those that have one

    def begin(self) -> None:
        """Run what a start without a session and without a file runs."""
        raise NotImplementedError

    def part(self, key: PartKey[Wanted]) -> Wanted:
        self.window.pane(key.part)
        controller: Wanted = self.controllers[key.part]  # type: ignore[assignment]  # by the key
        return controller
