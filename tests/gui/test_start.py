"""The window's start leaves things for later."""

import pytest

from tests.programs import printed

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
import os, sys
from lnexplorer.gui.window.start import Start, WindowOptions
from lnexplorer.store.paths import find_paths
from lnexplorer.store.settings import load_settings
from lnexplorer.gui.window import opening

def make(*values):
    made = preferences(*values)
    made.window.firstPainted.connect(end)
    return made

def end():
    print(*sys.modules)
    sys.stdout.flush()
    os._exit(0)

preferences, opening.Preferences = opening.Preferences, make
paths = find_paths()
opening.run_application(Start(options=WindowOptions(), paths=paths, settings=load_settings(paths.settings)[0],
    warnings=(), device="interpreter", spawned=None))
"""


@pytest.fixture(scope="module")
def early(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The modules that are loaded at the first paint."""
    home = str(tmp_path_factory.mktemp("home"))
    return printed(PAINTED, LNEXPLORER_HOME=home).splitlines()[-1].split()


def test_what_the_first_paint_does_not_need_is_not_loaded_before_it(early: list[str]) -> None:
    assert "lnexplorer.gui.window.headline" in early
    too_early = [
        name for name in early if f"{name}.".startswith(tuple(f"{each}." for each in LATER))
    ]
    assert not too_early
