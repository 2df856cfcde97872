"""What the window's start leaves for later."""

import subprocess
import sys

LATER = {
    "lnexplorer.domain.simulation",
    "lnexplorer.gui.exports.sessions",
    "lnexplorer.gui.picture_run",
    "lnexplorer.gui.plots",
    "lnexplorer.storage.history",
    "numpy.random",
    "pandas",
    "pyqtgraph",
    "sqlite3",
    "torch",
    "triton",
}


def test_what_the_first_paint_does_not_need_is_not_loaded_before_it() -> None:
    code = "import sys, lnexplorer.gui.application; print(*sys.modules)"
    path = ":".join(filter(None, sys.path))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    assert not LATER & set(ran.stdout.split())
