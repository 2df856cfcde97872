"""From the options of the command to the window, or to its picture."""

import builtins
import gc
import os
import sys

from lnexplorer.gui.window.start import Interruption, Start, WindowOptions


def run_window(options: WindowOptions) -> int:
    """Open the window and stay until it is closed, or make a screenshot.

    Returns:
        The exit status of the command: 0, or 130 where it was interrupted; for a screenshot also 1
            when the run is not
        within tolerance, 2 when the recording cannot be opened, and 3 when the worker failed, the
        picture cannot be saved, or a file meets an error that nobody expected.
    """
    # What the imports make stays. Looking through it for garbage costs a twentieth of the time to
    # the first paint (0.68 to 0.64 s, medians of ten starts in turns on two cores), and later
    # pauses of the event loop.
    gc.disable()
    from lnexplorer.store.files import one_line
    from lnexplorer.store.paths import find_paths
    from lnexplorer.store.settings import load_settings

    paths = find_paths()
    settings, settings_warning = load_settings(paths.settings)
    warnings = tuple(filter(None, (paths.warning, settings_warning)))
    if options.screenshot is not None:
        # Nobody sees this window's messages.
        for warning in warnings:
            print(f"lnexplorer: {one_line(str(warning))}", file=sys.stderr)
    device = options.device or settings.device or "auto"
    from lnexplorer.engine.spawn import spawn_worker

    # The worker needs seconds for torch, so it starts before Qt is loaded.
    try:
        spawned = spawn_worker(device)
    except OSError:  # the window says so, when it tries again
        spawned = None
    interruption = Interruption()
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    load_qt()
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


def load_qt() -> None:
    """Load Qt's bindings and put Python's `import` back.

    PySide6 puts a function of its own in its place. After each module that is imported from then
    on, Qt or not, it reads the module's source for its own name, in case the module uses another
    spelling of Qt's names; and Python keeps each source that was asked for: 450,000 lines once
    pandas is there.
    """
    before = builtins.__import__
    import PySide6.QtCore  # noqa: F401

    builtins.__import__ = before
