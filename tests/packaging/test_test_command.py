import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_without_a_library_of_qt_the_test_command_ends_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "one_library_less.py").write_text(
        "from lnexplorer.doctor import qt_libraries\nqt_libraries.BASE['libsurely-not-here.so.1'] ="
        " 'libsurely-not-here1'\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "one_library_less",
        "tests/packaging",
    ]
    path = os.pathsep.join([str(tmp_path), *sys.path])
    run = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1
    printed = run.stdout + run.stderr
    assert "sudo apt-get install libsurely-not-here1" in printed
    assert "Traceback" not in printed
