"""Ctrl-C and SIGTERM end the window in order, whatever it is doing."""

import signal
from pathlib import Path

import pytest

from tests.engine.bench import LIGHT_WORKER
from tests.programs import start_program

# The command, with a worker that is there at once, which says when it is where a signal is to come.
COMMAND = f"""
import signal
import sys
from lnexplorer.engine import spawn
spawn.WORKER_COMMAND = {LIGHT_WORKER!r}
for number in (signal.SIGINT, signal.SIGHUP):  # a background job, and one under nohup, would ignore them
    signal.signal(number, signal.SIG_DFL)
from lnexplorer.gui.window import start
moment, Interruption = sys.argv[1], start.Interruption

def before_qt():
    interruption = Interruption()
    if moment == "loading":
        print("now", flush=True)
        return interruption
    from PySide6.QtWidgets import QDialog
    from PySide6.QtCore import QTimer
    from lnexplorer.gui.window import opening
    load_explorer = opening.load_explorer

    def make(*values):
        explorer = load_explorer()(*values)
        fill = explorer.open
        explorer.open = lambda: (fill(), QTimer.singleShot(0, explorer, lambda: ask(explorer)))
        return explorer

    def ask(explorer):
        print("now", flush=True)
        QDialog(explorer.window).exec()

    opening.load_explorer = lambda: make
    return interruption

start.Interruption = before_qt
from lnexplorer.cli.main import main
sys.exit(main(["--device", "interpreter"]))
"""


@pytest.mark.parametrize(
    ("moment", "sent", "status"),
    [
        ("loading", signal.SIGTERM, 143),
        ("asking", signal.SIGINT, 130),
    ],
)
def test_the_window_ends_in_order(
    moment: str, sent: signal.Signals, status: int, tmp_path: Path
) -> None:
    with start_program(COMMAND, moment, LNEXPLORER_HOME=str(tmp_path)) as process:
        assert process.stdout.readline() == "now\n"
        process.send_signal(sent)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == status
    assert "Traceback" not in errors
    assert (tmp_path / "settings.json").exists(), "what is kept at the end is kept"
