"""What the first pane loads."""

import subprocess
import sys

SCRIPT = "import sys, lnexplorer.gui.reduction.pane, lnexplorer.gui.parameters.pane; print('pyqtgraph' in sys.modules)"


def test_panes_without_charts_do_not_load_the_library_of_charts() -> None:
    # Loading it in one turn, before Qt's classes are made in steps, keeps the event loop away for 100 ms.
    said = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.strip() == "False"
