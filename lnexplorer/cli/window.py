"""`lnexplorer`: the window; where none can be opened, its picture."""

import argparse
import os
from difflib import get_close_matches
from pathlib import Path

from lnexplorer import __version__
from lnexplorer.cli.commands import COMMANDS, FAILED
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_device_option,
    add_file,
    add_option,
    check_device,
    recording_name,
)
from lnexplorer.cli.terminal import say
from lnexplorer.doctor.facts import find_display
from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence, platforms
from lnexplorer.gui.window.start import WindowOptions, run_window
from lnexplorer.gui.window.workspaces import WORKSPACES

DESCRIPTION = (
    "Explore Triton's LayerNorm kernels: choose, run, compare, measure, and watch the parallel"
    " reduction happen."
)
PICTURE_NAME = "lnexplorer.png"
PICTURES = (".png", ".jpg", ".jpeg", "")  # endings of pictures of points; what has none is a PNG


def main(options: Options) -> int:
    """Open the window, or run without one; return the exit status."""
    screenshot, recording = options.screenshot, options.recording
    display = find_display(os.environ)
    if screenshot is None and not display.usable:
        screenshot = Path(PICTURE_NAME)
        say("", f"{display.why_not} The window's picture becomes {screenshot}.")
    options.problems += check_device(options.device or "auto")
    options.check_file("screenshot", screenshot)
    if screenshot is not None and screenshot.suffix.lower() not in PICTURES:
        options.refuse("screenshot", screenshot, "take a name that ends in .png")
    if recording is not None and recording.is_dir():  # "" names this folder, too
        options.refuse("FILE", recording, "it is a folder: name a recording or a session in it")
    elif recording is not None and not recording.exists():
        close = get_close_matches(str(recording), COMMANDS, 1)
        meant = f"; did you mean {close[0]}?" if close else ""
        options.refuse(
            "FILE",
            recording,
            f"name a file that is there, or a command ({', '.join(COMMANDS)}){meant}",
        )
    options.end_if_refused()
    missing = missing_libraries(("offscreen",) if screenshot else platforms(os.environ))
    if missing:
        say("", missing_sentence(missing))
        return FAILED
    return run_window(
        WindowOptions(
            device=options.device,
            screenshot=screenshot,
            recording=recording,
            workspace=options.workspace,
        )
    )


def parser() -> CommandParser:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    command = CommandParser(
        "", DESCRIPTION, f"commands (each has its own --help):\n{commands}", json=False
    )
    command.usage = "lnexplorer [options] [FILE]\n       lnexplorer COMMAND …"
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    file_help = (
        "a recording (.lnrec), sweep (.lnsweep), experiment (.lnexperiment), session (.lnsession)"
        " or benchmark (.json) to open, or a kernel of your own (.py), whose code is run"
    )
    add_option(command, "recording", file_help, "FILE", nargs="?", type=recording_name)
    add_device_option(command, default=None)  # None: as the settings say
    text = "run the default experiment in an offscreen window, save its picture and leave"
    add_file(command, "--screenshot", text, "FILE.png")
    text = "the workspace that is shown at first"
    command.add_argument(
        "--workspace", choices=[workspace.name for workspace in WORKSPACES], help=text
    )
    command.add_argument("--version", action="version", version=f"lnexplorer {__version__}")
    return command
