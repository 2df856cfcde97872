"""The window's objects that its desks share. The application makes them; this file only names them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.history.thread import HistoryThread
from lnexplorer.gui.responsive import Delivery, IdleSteps
from lnexplorer.gui.shell.client import EngineClient
from lnexplorer.gui.shell.files import FileThread
from lnexplorer.gui.shell.late_panes import PaneLoader
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.session import SessionController

if TYPE_CHECKING:
    from lnexplorer.gui.shell.picture_run import PictureRun
    from lnexplorer.gui.sweep.runner import SweepThread


@dataclass(eq=False, slots=True, kw_only=True)
class Parts:
    """What is there as soon as there is a window, and what comes later."""

    window: MainWindow
    session: SessionController
    supervisor: Supervisor
    client: EngineClient  # tells what the supervisor's worker says
    delivery: Delivery
    history: HistoryThread
    files: FileThread
    steps: IdleSteps
    panes: PaneLoader
    folder: Path  # where the history and the sweeps are kept
    sweeps: "SweepThread | None" = None  # with its pane
    picture: "PictureRun | None" = None  # where the window is opened for a picture
