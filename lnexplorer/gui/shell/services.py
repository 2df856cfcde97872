"""What the window offers the controllers of its parts."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.responsive import Delivery, IdleSteps
from lnexplorer.gui.shell.client import EngineClient
from lnexplorer.gui.shell.files import FileThread
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.preferences import Preferences
from lnexplorer.gui.shell.session import SessionController

if TYPE_CHECKING:
    from lnexplorer.gui.history.thread import HistoryThread
    from lnexplorer.gui.shell.picture_run import PictureRun


@dataclass(eq=False, slots=True, kw_only=True)
class Services:
    """The application makes them; this file only names them."""

    window: MainWindow
    session: SessionController
    supervisor: Supervisor
    client: EngineClient  # tells what the supervisor's worker says
    delivery: Delivery  # the way of other threads to Qt's
    history: "HistoryThread"
    files: FileThread
    steps: IdleSteps
    preferences: Preferences
    folder: Path  # of the user's data
    database: Path  # runs, sweeps and experiments
    picture: "PictureRun | None" = None  # where the window is opened for a picture
    controllers: dict[str, Any] = field(default_factory=dict)  # by the name of the part; those that have one

    def controller(self, part: str) -> Any:
        """What ties a part to engine and store; the part is made now if it was not before."""
        self.window.pane(part)
        return self.controllers[part]
