"""Ctrl-C that comes more than once."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from lnexplorer.cli import interrupts
from lnexplorer.store.database import NAME as DATABASE
from lnexplorer.store.history import History
from tests.engine.listener import wait_until
from tests.programs import run_program
from tests.sample_results import make_result


def _press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Tells how soon one press comes after another; it stands until somebody sets `now`."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(interrupts, "_last", float("-inf"))
    monkeypatch.setattr(interrupts, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_the_first_of_several_in_a_row_interrupts_and_a_later_one_again(
    clock: SimpleNamespace,
) -> None:
    before = signal.getsignal(signal.SIGINT)
    undo = interrupts.heed_once()
    try:
        with pytest.raises(KeyboardInterrupt):
            _press()
        _press()
        clock.now += 2 * interrupts.ONE_PRESS_SECONDS
        with pytest.raises(KeyboardInterrupt):
            _press()
    finally:
        undo()
    assert signal.getsignal(signal.SIGINT) is before


def test_one_that_is_told_interrupts_nothing_and_neither_does_one_right_after_it() -> None:
    heard: list[int] = []
    undo = interrupts.heed_once()
    try:
        with interrupts.handled_by(lambda: heard.append(1)):
            _press()
            _press()
        _press()
    finally:
        undo()
    assert heard == [1, 1]


def test_a_signal_while_a_class_is_made_is_no_unexpected_error(tmp_path: Path) -> None:
    number = signal.SIGHUP
    program = f"""
import os, sys
from lnexplorer.cli import run
class Named:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), {int(number)})
        for _ in range(1000): pass
def main(_):
    class Made:
        named = Named()
run.main = main
sys.argv = ["lnexplorer", "run"]
from lnexplorer.cli.main import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (128 + number, "\nlnexplorer: interrupted\n")


def test_a_run_ends_with_status_130_however_often_it_is_pressed_and_leaves_no_worker() -> None:
    run = ("run", "--m", "4096", "--n", "8", "--device", "interpreter", "--json")
    command = [sys.executable, "-m", "lnexplorer", *run]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    process.stderr.readline()  # the worker starts
    (worker,) = _children(process.pid)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["error"]["kind"] == "interrupted"
    assert "Traceback" not in err
    assert _ends(worker)


@pytest.mark.parametrize(
    ("sent", "how"),
    [
        (signal.SIGINT, "from lnexplorer.__main__ import main; sys.exit(main())"),
        (signal.SIGTERM, "runpy.run_module('lnexplorer', run_name='__main__')"),
    ],
)
def test_a_signal_at_the_first_import_ends_the_program_with_the_status_of_the_signal(
    sent: signal.Signals, how: str
) -> None:
    code = f"""
import _signal, os, runpy, sys
default = _signal.default_int_handler if {int(sent)} == _signal.SIGINT else _signal.SIG_DFL
_signal.signal({int(sent)}, default)
sys.modules.pop("signal", None)
class Sender:
    def find_spec(self, name, path, target=None):
        if name not in ("lnexplorer", "lnexplorer.__main__"):
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {int(sent)})
sys.meta_path.insert(0, Sender())
sys.argv = ["lnexplorer", "doctor", "--json"]
{how}
"""
    done = run_program(code)
    assert done.returncode == 128 + sent
    assert json.loads(done.stdout)["error"]["kind"] == "interrupted"
    assert "Traceback" not in done.stderr


def test_a_signal_in_a_text_that_is_executed_ends_with_the_status_of_the_signal() -> None:
    """Dataclasses are made by such a text; Python would end by SIGINT at last."""
    program = """
import os, signal, sys
from lnexplorer.cli import main as program
from lnexplorer.cli.interrupts import termination_heeded

def command(_words):
    with termination_heeded():
        exec("import time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(10)")

program.run_command = command
sys.exit(program.main())
"""
    done = run_program(program)
    assert (done.returncode, done.stderr) == (143, "\nlnexplorer: interrupted\n")


def test_who_chose_to_ignore_a_hang_up_still_does() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup starts a command
    undo = interrupts.heed_once()
    try:
        with interrupts.termination_heeded():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        undo()
        signal.signal(signal.SIGHUP, before)
    assert interrupts.asked_to_end() == 0


def test_a_terminal_that_goes_away_ends_a_run_with_its_status_and_its_worker(
    tmp_path: Path,
) -> None:
    left = tmp_path / "status"
    program = (
        "import os, pathlib\n"
        "from lnexplorer.cli.main import main\n"
        "os.close(os.open(os.ttyname(0), os.O_RDWR))  # it is this session's own from now on\n"
        "status = main(['run', '--m', '4096', '--n', '8', '--device', 'interpreter'])\n"
        f"pathlib.Path({str(left)!r}).write_text(str(status))\n"
    )
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    os.close(inner)
    os.read(terminal, 1)  # it says that the worker starts
    (worker,) = _children(process.pid)
    os.close(terminal)
    process.wait(60)
    assert left.read_text() == "129"
    assert _ends(worker)


def _ends(pid: int) -> bool:
    return wait_until(lambda: not Path(f"/proc/{pid}").exists())


def _children(pid: int) -> list[int]:
    def found() -> list[int]:
        return [child for child in _processes() if _parent(child) == pid]

    wait_until(found)
    return found()


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _parent(pid: int) -> int:
    """0 where it is gone meanwhile."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


# Sends a signal to this process when a module is looked for, or at the first call of a method that
# Qt calls, and then does what the command line does.
SIGNALLED = """
import os, signal, sys
class Sender:
    def find_spec(self, name, path, target=None):
        if name == {module!r} and not {method!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Sender())
from lnexplorer.cli import main as program
if {method!r}:
    import pyqtgraph
    painted = pyqtgraph.AxisItem.paint
    def paint(self, *arguments):
        pyqtgraph.AxisItem.paint = painted
        os.kill(os.getpid(), {number})
        painted(self, *arguments)
    pyqtgraph.AxisItem.paint = paint
sys.exit(program.main())
"""


# The pages of a lecture are drawn by this program's own calls.
@pytest.mark.parametrize(
    ("command", "method", "sent"),
    [("export", "paint", signal.SIGTERM), ("lecture", "", signal.SIGINT)],
)
def test_a_signal_while_qt_is_imported_or_paints_ends_the_command_in_order(
    command: str, method: str, sent: signal.Signals, tmp_path: Path
) -> None:
    home = str(tmp_path / "home")
    written = tmp_path / {"export": "report.html", "lecture": "handout.pdf"}[command]
    if command == "export":
        history = History(Path(home, DATABASE), print)
        history.runs.add(make_result())
        history.close()
        words = ["export", str(written)]
    else:
        words = ["lecture", "--handout", str(written)]
    code = SIGNALLED.format(module="PySide6.QtWidgets", method=method, number=int(sent))
    done = run_program(code, *words, LNEXPLORER_HOME=home)
    assert done.returncode == 128 + sent, done.stderr
    assert done.stderr.splitlines()[-1:] == ["lnexplorer: interrupted"]
    assert not list(tmp_path.rglob("*.html")) + list(tmp_path.rglob("*.png"))
    assert not written.is_file()


def _drop_one_and_work() -> None:
    sys.unraisablehook(SimpleNamespace(exc_type=KeyboardInterrupt))  # type: ignore[arg-type]
    while True:
        time.sleep(0.01)


@pytest.mark.parametrize("system", ["linux", "win32"])
def test_one_that_python_drops_in_a_callback_is_raised_again(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    if system == "win32":
        monkeypatch.delattr(signal, "pthread_kill")
    undo = interrupts.heed_once()
    try:
        with pytest.raises(KeyboardInterrupt):
            _drop_one_and_work()
    finally:
        undo()
