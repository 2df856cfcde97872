"""How the window is to be opened: a plain value that needs no Qt."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lnexplorer.domain.request import RunRequest
    from lnexplorer.domain.result import RunResult

PICTURE_SIZE = (1600, 1000)  # px


@dataclass(frozen=True, slots=True, kw_only=True)
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
    on_result: "Callable[[RunResult], None] | None" = None  # told of every finished run, for a caller that prints it
