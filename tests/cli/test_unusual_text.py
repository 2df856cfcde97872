"""Names that are no Unicode, and terminals that know few characters: a character may be lost, the output is not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NO_UNICODE = b"\xff\xfe"


def _ran(*arguments: bytes, home: Path, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {
        "LNEXPLORER_HOME": str(home),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": encoding,
        "QT_QPA_PLATFORM": "offscreen",
    }
    command = [os.fsencode(sys.executable), b"-m", b"lnexplorer", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, timeout=100, check=False)


def test_a_value_that_is_no_unicode_is_refused_in_one_json_document(tmp_path: Path) -> None:
    run = _ran(b"run", b"--dtype", NO_UNICODE, b"--json", home=tmp_path)
    assert run.returncode == 2, run.stderr
    (problem,) = json.loads(run.stdout)["error"]["problems"]
    assert problem["field"] == "dtype"


@pytest.mark.parametrize("command", [b"sweep", b"export"])
def test_a_file_whose_name_is_no_unicode_is_named_without_a_traceback(command: bytes, tmp_path: Path) -> None:
    options = [b"--resume", NO_UNICODE] if command == b"sweep" else [b"x.csv", b"--from", NO_UNICODE]
    run = _ran(command, *options, home=tmp_path)
    assert run.returncode in (2, 3)
    assert b"Traceback" not in run.stderr
    assert b"No such file" in run.stderr


def test_where_the_terminal_knows_ascii_alone_the_json_is_whole(tmp_path: Path) -> None:
    recording = Path(__file__).parents[2] / "resources/recordings/h200_lecture.lnrec"
    arguments = (b"trace", b"--source", b"recorded", b"--recording", os.fsencode(recording), b"--json")
    plain, whole = (_ran(*arguments, home=tmp_path, encoding=encoding) for encoding in ("ascii", "utf-8"))
    assert plain.returncode == whole.returncode == 0, plain.stderr
    assert plain.stdout.isascii()
    assert not whole.stdout.isascii()
    assert json.loads(plain.stdout) == json.loads(whole.stdout)


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    run = _ran(os.fsencode(tmp_path), home=tmp_path)
    assert run.returncode == 2
    assert b"is a folder" in run.stderr
