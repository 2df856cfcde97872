"""What the window's start leaves for later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Each with all that is in it.
LATER = (
    "asyncio",
    "lnexplorer.engine.supervisor",
    "lnexplorer.gui.charts.chart",
    "lnexplorer.gui.panes.parameters.pane",
    "lnexplorer.gui.window.application",
    "lnexplorer.protocol.messages",
    "lnexplorer.report",
    "lnexplorer.store.history",
    "lnexplorer.worker",
    "multiprocessing",
    "numpy",
    "pandas",
    "pyqtgraph",
    "PySide6.QtSvg",
    "torch",
)
# A window as the command makes it, but for a worker; it ends at its first paint.
PAINTED = """
import builtins, linecache, os, sys
own = builtins.__import__
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.store.paths import find_paths
from lnexplorer.store.settings import load_settings
from lnexplorer.app import load_qt
load_qt()
from lnexplorer.gui.window import opening

def make_frame(*values):
    frame = made(*values)
    frame.window.firstPainted.connect(end)
    return frame

def end():
    print(*sys.modules)
    print(builtins.__import__ is own, sum(name.startswith(os.environ["PACKAGE"]) for name in linecache.cache))
    sys.stdout.flush()
    os._exit(0)

made, opening.make_frame = opening.make_frame, make_frame
paths = find_paths()
opening.run_application(opening.Start(options=WindowOptions(), paths=paths, settings=load_settings(paths.settings)[0],
    warnings=(), device="interpreter", spawned=None))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """Modules that are loaded at the first paint, and what is said of `import`."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "QT_QPA_PLATFORM": "offscreen",
        "LNEXPLORER_HOME": str(tmp_path_factory.mktemp("home")),
        "PACKAGE": str(Path(__file__).parents[2] / "lnexplorer"),
    }
    command = [sys.executable, "-c", PAINTED]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, timeout=60
    )
    modules, imports = ran.stdout.splitlines()[-2:]
    return modules.split(), imports


def test_what_the_first_paint_does_not_need_is_not_loaded_before_it(
    said: tuple[list[str], str],
) -> None:
    early = [
        name
        for name in said[0]
        if any(name == later or name.startswith(f"{later}.") for later in LATER)
    ]
    assert "lnexplorer.gui.window.headline" in said[0]
    assert not early, early


def test_no_source_is_read_to_import_a_module(said: tuple[list[str], str]) -> None:
    assert said[1] == "True 0"
