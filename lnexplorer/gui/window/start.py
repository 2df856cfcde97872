"""Start the window from the options of the command: all that happens before Qt is loaded."""

import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.engine.spawn import spawn_worker
from lnexplorer.store.paths import Paths, find_paths
from lnexplorer.store.settings import Settings, load_settings
from lnkernels.values import Words, frozen_by_name, one_line

if TYPE_CHECKING:
    from lnexplorer.domain.request import RunRequest
    from lnexplorer.engine.pipes import Spawned

PICTURE_SIZE = (1600, 1000)  # px


@frozen_by_name
class WindowOptions:
    """How the window is to be opened. None leaves a choice to the settings file."""

    device: str | None = None  # "auto", "interpreter" or "cuda:N"
    request: "RunRequest | None" = None  # the first run; None is the default experiment
    screenshot: Path | None = None  # run once in an offscreen window, save its picture here, leave
    recording: Path | None = None  # open this instead of running
    size: tuple[int, int] | None = None  # px of the screenshot or of the window
    workspace: str | None = None  # the one that is shown at first
    theme: str | None = None  # "dark" or "light"
    language: str | None = None  # "en" or "zh_CN"


INTERRUPTED = 130  # exit status, as a shell says it


class Interruption:
    """Notes Ctrl-C and wakes Qt's loop, as Qt's calls of Python would swallow KeyboardInterrupt.

    SIGTERM and SIGHUP do what Ctrl-C does: the command line sees to that.
    """

    def __init__(self) -> None:
        self.asked = False
        self._woken, self._wakes = socket.socketpair()
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        with suppress(ValueError):  # another thread hears of no signal
            signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
            signal.signal(signal.SIGINT, lambda *_: self._note())

    def fileno(self) -> int:
        """Return a file that can be read once a signal has come."""
        return self._woken.fileno()

    def came(self) -> bool:
        """Return whether the end was asked for, and read what woke the loop."""
        with suppress(BlockingIOError):
            self._woken.recv(4096)
        return self.asked

    def close(self) -> None:
        """Wake nobody any more; Ctrl-C still changes nothing."""
        with suppress(ValueError):
            signal.set_wakeup_fd(-1)
        self._woken.close()
        self._wakes.close()

    def _note(self) -> None:
        self.asked = True


@frozen_by_name
class Start:
    """The options, paths and settings of a window, known before Qt is loaded."""

    options: WindowOptions
    paths: Paths
    settings: Settings
    warnings: tuple[Words, ...]
    device: str
    spawned: "Spawned | None"
    interruption: Interruption | None = None


def run_window(options: WindowOptions) -> int:
    """Open the window and stay until it is closed, or make a screenshot.

    Returns:
        The exit status of the command: 0, or 130 where it was interrupted. A screenshot also gives
        1 when the run is not within tolerance, 2 when the recording cannot be opened, and 3 when
        the worker failed, the picture cannot be saved, or an unforeseen error came up.
    """
    paths = find_paths()
    settings, settings_warning = load_settings(paths.settings)
    warnings = tuple(filter(None, (paths.warning, settings_warning)))
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        for warning in warnings:  # nobody sees the messages of this window
            print(f"lnexplorer: {one_line(str(warning))}", file=sys.stderr)
    device = options.device or settings.device or "auto"
    try:
        spawned = spawn_worker(device)
    except OSError:  # the window says so, when it tries again
        spawned = None
    interruption = Interruption()
    # Qt is loaded now: the worker needs seconds for torch, and does not wait for it.
    from lnexplorer.gui.window.opening import run_application

    return run_application(
        Start(
            options=options,
            paths=paths,
            settings=settings,
            warnings=warnings,
            device=device,
            spawned=spawned,
            interruption=interruption,
        )
    )
