"""What `lnexplorer` does where Qt or a display is missing. The window itself is tested under
tests/gui.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.doctor import qt_libraries
from lnexplorer.store.session import write_session
from tests.cli.conftest import Command
from tests.engine.bench import LIGHT_WORKER
from tests.store.session_examples import full_session

SECONDS = 150


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_display")
def test_a_missing_library_of_qt_is_named_before_qt_is_loaded(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command, tmp_path: Path
) -> None:
    monkeypatch.setitem(qt_libraries.BASE, "libsurely-not-here.so.1", "libsurely-not-here1")
    err = lnexplorer(f"--screenshot {tmp_path}/window.png", status=3).err
    assert (
        err == "lnexplorer: Qt cannot start: libsurely-not-here.so.1 is missing. "
        "Install with: sudo apt-get install libsurely-not-here1\n"
    )


# The command with a worker that is there at once, as no picture of a file shows what one computes.
COMMAND = f"""
import sys

def breaks(*_):
    raise LookupError("no such page \\x1b[31m")

from lnexplorer.engine import spawn; spawn.WORKER_COMMAND = {LIGHT_WORKER!r}
{{place}}
from lnexplorer.cli.main import main
sys.exit(main())
"""


def picture_of(folder: Path, shown: str, place: str = "") -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {
        "LNEXPLORER_HOME": str(folder / "home"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    options = ["-c", COMMAND.format(place=place), shown, "--device", "interpreter"]
    return subprocess.run(
        [sys.executable, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.usefixtures("no_display")
def test_without_a_display_a_picture_is_made_and_what_it_leaves_out_is_named(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.json").write_text("junk")
    session = full_session()
    wrong = replace(session.runs[0].result, resolved=replace(session.runs[0].result.resolved, m=0))
    write_session(
        tmp_path / "one.lnsession",
        replace(session, runs=(replace(session.runs[0], result=wrong), session.runs[1])),
    )
    run = picture_of(tmp_path, "one.lnsession")
    assert run.returncode == 0, run.stderr
    assert "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set." in run.stderr
    (kept,) = home.glob("settings.json.*")
    assert kept.read_text() == "junk"
    assert kept.name in run.stderr
    assert (
        "lnexplorer: one.lnsession: left out is run 1: it is damaged, of another version"
        in run.stderr
    )
    assert (tmp_path / "lnexplorer.png").read_bytes().startswith(b"\x89PNG")


ON_A_THREAD = "from lnexplorer.store import session; session.read_session = breaks"
IN_A_SLOT = (
    "from lnexplorer.gui.window.application import Explorer; Explorer._make_next_pane = breaks"
)


@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize("place", [ON_A_THREAD, IN_A_SLOT])
def test_an_error_that_nobody_expected_ends_a_picture_with_a_sentence_and_a_report(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.lnsession").write_text("{}")
    (tmp_path / "reports").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "reports"))
    run = picture_of(tmp_path, "one.lnsession", place)
    assert run.returncode == 3, run.stderr
    assert (
        "lnexplorer: Something unexpected went wrong: LookupError: no such page  [31m\n"
        in run.stderr
    )
    assert "\x1b" not in run.stderr
    assert "Traceback" not in run.stderr
    (report,) = (tmp_path / "reports").glob("lnexplorer-*.txt")
    assert "Traceback" in report.read_text()
    assert f"the report is in {report}\n" in run.stderr
    assert not (tmp_path / "lnexplorer.png").exists()
