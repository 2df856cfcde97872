"""`lnexplorer`: the window; where none can be opened, the default experiment and its picture."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from lnexplorer import __version__
from lnexplorer.cli.commands import COMMANDS
from lnexplorer.cli.options import add_device_option, check_device
from lnexplorer.cli.outcome import problem_text, why_not_written
from lnexplorer.cli.status import FAILED, INVALID
from lnexplorer.gui.shell.workspaces import WORKSPACES

DESCRIPTION = "Explore Triton's LayerNorm kernels: choose, run, compare, measure, and watch the parallel reduction happen."
PICTURE_NAME = "lnexplorer.png"


def main(arguments: list[str]) -> int:
    """Open the window, or do what can be done without one; the exit status."""
    options = _parser().parse_args(arguments)
    problems = [problem_text(problem) for problem in check_device(options.device or "auto")]
    if options.screenshot is not None and (why := why_not_written(options.screenshot, folders_are_made=False)):
        problems.append(f"--screenshot {options.screenshot} is not possible: {why}")
    if problems:
        print(*(f"lnexplorer: {problem}" for problem in problems), sep="\n", file=sys.stderr)
        return INVALID
    if options.recording is not None and options.recording.is_dir():
        # "" names this folder, too.
        print(f"lnexplorer: {options.recording} is a folder: name a recording or a session in it", file=sys.stderr)
        return INVALID
    if options.recording is not None and not options.recording.exists():
        commands = ", ".join(COMMANDS)
        print(f"lnexplorer: {options.recording} is neither a file nor a command ({commands})", file=sys.stderr)
        return INVALID
    from lnexplorer.doctor.facts import find_display
    from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence, platforms

    display = find_display(os.environ)
    offscreen = options.screenshot is not None or not display.usable
    if not display.usable and options.screenshot is None:
        print(f"lnexplorer: {display.why_not}", file=sys.stderr)
    missing = missing_libraries(("offscreen",) if offscreen else platforms(os.environ))
    if missing:
        print(f"lnexplorer: {missing_sentence(missing)}", file=sys.stderr)
        if options.screenshot is None and not display.usable:
            _run_without_qt(options.device)
        return FAILED
    if offscreen:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if display.usable or options.screenshot is not None:
        return _open(options, options.screenshot)
    return _run_without_display(options)


def _open(options: argparse.Namespace, screenshot: Path | None) -> int:
    from lnexplorer.app import run_window
    from lnexplorer.gui.shell.options import WindowOptions

    return run_window(
        WindowOptions(device=options.device, screenshot=screenshot, recording=options.recording, workspace=options.workspace)
    )


def _run_without_display(options: argparse.Namespace) -> int:
    from lnexplorer.app import run_window
    from lnexplorer.cli.run import run_text
    from lnexplorer.gui.shell.options import WindowOptions

    picture = _writable_picture()
    shown = "the recording" if options.recording is not None else "the default experiment"
    print(f"lnexplorer: no window can be opened here; showing {shown} in {picture} instead.", file=sys.stderr)
    result = run_window(
        WindowOptions(
            device=options.device,
            screenshot=picture,
            recording=options.recording,
            on_result=lambda finished: print(run_text(finished)),
        )
    )
    if picture.exists():
        print(f"\nThe window's picture is in {picture}.")
    return result


def _run_without_qt(device: str | None) -> None:
    from lnexplorer.cli import run

    print("lnexplorer: running the default experiment without its picture.", file=sys.stderr)
    run.main(["--device", device or "auto"])


def _writable_picture() -> Path:
    """A file in this folder, or in a temporary one where this one cannot be written."""
    here = Path.cwd()
    folder = here if os.access(here, os.W_OK) else Path(tempfile.mkdtemp(prefix="lnexplorer-"))
    return folder / PICTURE_NAME


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="lnexplorer",
        usage="lnexplorer [options] [RECORDING]\n       lnexplorer COMMAND …",
        description=DESCRIPTION,
        epilog=f"commands (each has its own --help):\n{commands}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    file_help = "a recording (.lnrec), sweep (.lnsweep), experiment (.lnexperiment) or session (.lnsession) to open"
    parser.add_argument("recording", metavar="FILE", nargs="?", type=Path, help=file_help)
    add_device_option(parser, default=None)  # None: as the settings say
    text = "run the default experiment in an offscreen window, save its picture and leave"
    parser.add_argument("--screenshot", metavar="FILE.png", type=Path, help=text)
    text = "the workspace that is shown at first"
    parser.add_argument("--workspace", choices=[workspace.name for workspace in WORKSPACES], help=text)
    parser.add_argument("--version", action="version", version=f"lnexplorer {__version__}")
    return parser
