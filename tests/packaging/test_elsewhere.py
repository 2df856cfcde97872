"""Where Triton is not made for the system, everything works that runs no kernel.

Each command runs in an interpreter that says it is one of that system: see `tests.elsewhere`.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.elsewhere import NAMES
from tests.programs import printed

ROOT = Path(__file__).parents[2]
RECORDING = str(ROOT / "resources" / "recordings" / "h200_lecture.lnrec")
SENTENCE = "Kernels run on Linux alone, for which Triton is made."
WORKS = (
    (["--help"], "doctor"),
    (["doctor"], "The explorer can be used."),
    (["exercises"], "01-by-hand"),
    (["exercises", "show", "01-by-hand"], "rows"),
    (["new-kernel", "mine.py"], "Written: mine.py"),
    (["trace", "--m", "8", "--n", "64", "--group-size-m", "2"], "simulated"),
    (["trace", "--recording", RECORDING, "--chrome", "trace.json"], "recorded"),
    (["compare", RECORDING, RECORDING], "4×8"),
    (["lecture", "--handout", "lecture.pdf"], "lecture.pdf: "),
)
RUNS = (["run"], ["trace", "--source", "measured"], ["compile"], ["touch"], ["experiment", "order"])


def start(system, folder, arguments, given=""):
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "kernels")))
    return subprocess.run(
        [sys.executable, "-P", "-m", "tests.elsewhere", system, *arguments],
        cwd=folder,
        env=os.environ
        | {"LNEXPLORER_HOME": "home", "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


# What Windows lacks is more than what macOS lacks.
def test_the_command_line_does_what_needs_no_kernel_and_says_what_to_do_instead(tmp_path):
    commands = [*(arguments for arguments, _ in WORKS), *([*run, "--json"] for run in RUNS)]
    ended = start("win32", tmp_path, [], "\n".join(map(json.dumps, commands)))
    assert ended.returncode == 0, ended.stderr
    answers = list(map(json.loads, ended.stdout.splitlines()))
    assert len(answers) == len(commands)
    for (arguments, says), (status, out, err) in zip(WORKS, answers, strict=False):
        assert (arguments, status) == (arguments, 0), err
        assert says in out, arguments
    for arguments, (status, out, err) in zip(RUNS, answers[len(WORKS) :], strict=True):
        assert (arguments, status) == (arguments, 3), err
        assert err.count(SENTENCE) == 1
        assert SENTENCE in json.loads(out)["error"]["cause"]
        assert "ssh://host" in err


def test_a_recording_is_opened_in_a_window(tmp_path):
    ended = start("win32", tmp_path, ["--screenshot", "window.png", RECORDING])
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "window.png").read_bytes().startswith(b"\x89PNG")
    assert not ended.stderr


def test_kernels_run_on_another_machine(tmp_path, monkeypatch):
    """This machine stands for it: the client runs the command that it would send."""
    client = tmp_path / "bin" / "ssh"
    client.parent.mkdir()
    client.write_text('#!/bin/bash\nexec sh -c "${@: -1}"\n')
    client.chmod(0o755)
    monkeypatch.setenv("PATH", str(client.parent), prepend=os.pathsep)
    there = f"ssh://rack7/interpreter?python={sys.executable}"
    # As a sweep, for which a lock is wanted, too.
    command = ["sweep", "--m", "2", "--n", "64", "--device", there, "--json", "-q"]
    ended = start("win32", tmp_path, command)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["counts"]["ok"] == 1


@pytest.mark.parametrize("system", NAMES)
def test_torch_and_triton_are_installed_on_linux_alone(system):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {
        requirement.name
        for requirement in map(Requirement, project["dependencies"])
        if requirement.marker is None or requirement.marker.evaluate({"sys_platform": system})
    }
    assert not {"torch", "triton"} & needed
    assert {"PySide6-Essentials", "pyqtgraph", "msgspec"} <= needed


WALK = """
import importlib, pkgutil
from tests.elsewhere import move_to
move_to("win32")
import lnexplorer, lnkernels
KERNELS = ("lnkernels.launch", "lnkernels.values")
for package in (lnexplorer, lnkernels):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".", lambda _: None):
        name = found.name
        ours = name.startswith(("lnexplorer.", *KERNELS)) and "__main__" not in name
        if ours and not name.startswith("lnexplorer.worker"):
            importlib.import_module(name)
            print(name)
"""


def test_everything_but_the_worker_and_the_kernels_can_be_imported():
    found = printed(WALK, QT_QPA_PLATFORM="offscreen").split()
    assert {"lnexplorer.gui.window.application", "lnexplorer.engine.ssh"} <= set(found)
