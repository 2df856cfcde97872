"""The one place where the window's objects are made and tied together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lnexplorer.domain.request import RunRequest
    from lnexplorer.domain.result import RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOptions:
    """How the window is to be opened. None leaves a choice to the settings file."""

    device: str | None = None  # as of the command line's --device
    request: "RunRequest | None" = None  # the first run; None is the default experiment
    screenshot: Path | None = None  # run once in an offscreen window, save its picture here, leave
    recording: Path | None = None  # open this instead of running
    size: tuple[int, int] | None = None  # px of the screenshot or of the window
    theme: str | None = None  # "dark" or "light"
    language: str | None = None  # "en" or "zh_CN"
    report_times: bool = False  # write the times of the start as JSON to stderr at the end
    on_result: "Callable[[RunResult], None] | None" = None  # told of every finished run, for a caller that prints it


def run_window(options: WindowOptions) -> int:
    """Open the window and stay until it is closed, or make a screenshot.

    Returns:
        The exit status of the command: 0; for a screenshot also 1 when the run is not within tolerance and
        3 when the worker failed.
    """
    from lnexplorer.gui.application import run_application  # noqa: PLC0415  (Qt is loaded only for a window)

    return run_application(options)
