"""Makes changes that a newcomer would make in a scratch copy, tries each there, and prints the files
that it took.

    python -m tests.benchmarks.changes
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAUNCH, STRATEGIES, SHELL = (
    "kernels/lnkernels/launch",
    "kernels/lnkernels/passes",
    "lnexplorer/gui/window",
)
SETTING_TRIED = """
import contextlib, io
from lnkernels.launch import LaunchWish, resolve_launch
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.cli.main import main
assert resolve_launch(1024, "float16", LaunchWish(strategy="persistent", prefetch=4)).prefetch == 4
assert RunRequest.of(strategy="persistent", prefetch=4).flat()["prefetch"] == 4
assert check(RunRequest.of(strategy="persistent", prefetch=9), "interpreter")
out = io.StringIO()
with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
    main(["run", "--help"])
assert "--prefetch" in out.getvalue()
"""
SETTING = """    _number(
        name="prefetch",
        label=say("PREFETCH"),
        group="forward",
        maximum=8,
        help=say("Tiles ahead."),
        trait=Trait.TILES,
    ),
"""
STRATEGY_TRIED = """
from lnexplorer.cli.main import main
from lnkernels.launch import belongs
wanted = ["--strategy", "mine", "--num-warps", "2", "--forward-rows", "2"]
assert main(["run", "--device", "interpreter", "--m", "8", "--n", "64", *wanted]) == 0
assert belongs("forward_rows", "mine") and not belongs("group_size_m", "mine")
"""
PANE_TRIED = """
import sys
from pathlib import Path
from lnexplorer.cli.main import main
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.panes.mine.pane import MinePane
from lnexplorer.store.session import Session, write_session
folder, shown, show_view = sys.argv[1], [], MinePane.show_view
write_session(Path(folder, "a.lnsession"), Session(request=RunRequest(), views={"mine": {"word": "x"}}))
MinePane.show_view = lambda pane, view: (shown.append(view.word), show_view(pane, view))
options = ["--device", "interpreter", "--workspace", "mine", "--screenshot", folder + "/mine.png"]
assert main([folder + "/a.lnsession", *options]) == 0
assert shown == ["x"]
"""
PANE = '''"""A pane of one's own."""

from dataclasses import dataclass

from PySide6.QtWidgets import QLabel

from lnexplorer.gui.kit.theme import Theme, Themed


@dataclass(frozen=True)
class MineView:
    word: str = ""


class MinePane(Themed, QLabel):
    """A word, which sessions keep."""

    View = MineView

    def view(self) -> MineView:
        return MineView(word=self.text())

    def show_view(self, view: MineView) -> None:
        self.setText(view.word)

    def apply_theme(self) -> None:
        self.setToolTip(Theme.current.name)
'''
CONTROLLER = '''"""Shows the device in the pane."""

from lnexplorer.gui.panes.mine.pane import MinePane
from lnexplorer.gui.session.services import Controller, Services


class MineController(Controller):
    def __init__(self, pane: MinePane, services: Services) -> None:
        super().__init__(pane)
        services.session.changed.connect(lambda _, after: pane.setStatusTip(after.backend))


connect = MineController
'''
WORKSPACE = """    Workspace("mine", say("Mine"), say("Ours"), "cells", PaneEntry("mine", say("Mine"), "MinePane")),
"""

EXPERIMENT = '''"""How far dw is off, by the kind of data."""

from dataclasses import dataclass

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    Experiment,
    ExperimentResult,
    Findings,
    Table,
)
from lnexplorer.domain.panels import PanelPicture, bar_panel, bar_picture
from lnexplorer.domain.request import RunRequest
from lnkernels.values.sentence import Sentence, say

DATA = ("normal", "offset", "spike")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataErrors(Findings):
    experiment: str = "mine"
    errors: tuple[float, ...]  # of dw, in the order of DATA

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        worst, data = max(zip(self.errors, DATA))
        return [say("{data} data are off the most: {error}.", data=data, error=worst)]

    def table(self, result: ExperimentResult) -> Table:
        rows = [[data, wording.error(error)] for data, error in zip(DATA, self.errors)]
        return [["data", "error"], *rows]

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        labels = list(map(wording.error, self.errors))
        return (bar_picture((bar_panel("dw", self.errors, labels, ["sky"]),), DATA),)


MINE = Experiment(
    name="mine",
    title=say("Data"),
    question=say("Which data are hard?"),
    findings=DataErrors,
    problems={"cuda": RunRequest(m=4096, n=1024), "interpreter": RunRequest(m=8, n=64)},
    runs={"cuda": 1, "interpreter": 1},
)
'''
MEASURED = '''"""Measures how far dw is off, by the kind of data."""

from lnexplorer.domain.experiments.mine import DATA, DataErrors
from lnexplorer.worker.experiments.work import Work, dw_error


def measure(work: Work) -> DataErrors:
    measured = work.measured_backward(work.problem.changed(data=data) for data in DATA)
    return DataErrors(errors=tuple(dw_error(outcome) or 0.0 for outcome in measured.outcomes))
'''
EXPERIMENT_TRIED = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from lnexplorer.cli.main import main
from lnexplorer.gui.panes.experiments.pane import ExperimentsPane
from lnexplorer.report.pictures import experiment_picture
from lnexplorer.store.recordings import read_experiment
path = sys.argv[1] + "/a.lnexperiment"
assert main(["experiment", "mine", "--device", "interpreter", "--save", path]) == 0
assert main(["experiment", "mine", "--recorded", path, "--json"]) == 0
result, application = read_experiment(Path(path)), QApplication([])
assert experiment_picture(result).startswith(b"\\x89PNG")
pane = ExperimentsPane()
pane.choose("mine")
pane.show_result(result)
assert pane.findings.panels[0].drawing.picture.panels
"""

SHEET = """---
title: Bytes
check: bytes_of n=64
hint: float16 has two bytes.
---
How many bytes has a row of 64 elements in float16?
"""
CHECK = '''

@_check(_NUMBER, n=_SIZE)
def bytes_of(evidence: Evidence, answer: str, n: int) -> AnswerVerdict:
    """Check the bytes of a row in float16."""
    del evidence
    return compared(answer, 2.0 * n, say("{n} elements of 2 bytes.", n=n))
'''
EXERCISE_TRIED = """
from lnexplorer.cli.main import main
assert main(["exercises", "show", "mine", "--hints", "1"]) == 0
assert main(["exercises", "check", "mine", "--answer", "128 bytes"]) == 0
assert main(["exercises", "check", "mine", "--answer", "64"]) == 1
"""

COMMAND = '''"""`lnexplorer mine`: print a word."""

from lnexplorer.cli.options import CommandParser, Options


def parser() -> CommandParser:
    return CommandParser("mine", "Print a word.", "", json=False)


def main(options: Options) -> int:
    print("mine")
    return 0
'''
COMMAND_TRIED = """
import contextlib, io
from lnexplorer.cli.main import main
out = io.StringIO()
with contextlib.redirect_stdout(out):
    assert main(["mine"]) == 0
    with contextlib.suppress(SystemExit):
        main(["--help"])
assert out.getvalue().startswith("mine") and "print it" in out.getvalue()
"""
PROVIDER = """class Mine(Eager):
    name = "mine"
    label = "Mine"


# In the order in which they are listed."""
PROVIDER_TRIED = """
from lnexplorer.cli.main import main
arguments = ["run", "--device", "interpreter", "--m", "8", "--n", "64", "--provider", "mine"]
assert main(arguments) == 0
"""


class _Copy:
    """A scratch copy of the sources, and what was changed in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.files: set[str] = set()
        for part in ("lnexplorer", "kernels", "resources"):
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
            )

    def replace(self, file: str, old: str, new: str) -> None:
        """Put `new` in the place where `old` stands first.

        Raises:
            ValueError: it stands nowhere.
        """
        path = self._folder / file
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise ValueError(f"{file} holds no {old!r}")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        self.files.add(file)

    def add(self, file: str, text: str) -> None:
        """A new file."""
        path = self._folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.files.add(file)

    def run(self, program: str) -> None:
        """Try the change in a process of its own.

        Raises:
            CalledProcessError: it does not work.
        """
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(self._folder / "kernels"), str(self._folder)]),
            "QT_QPA_PLATFORM": "offscreen",
            "TRITON_INTERPRET": "1",
            "LNEXPLORER_HOME": str(self._folder / "home"),
        }
        command = [sys.executable, "-c", program, str(self._folder)]
        subprocess.run(
            command, cwd=self._folder, env=environment, check=True, stdout=subprocess.DEVNULL
        )


def new_setting(copy: _Copy) -> None:
    """A launch setting of `persistent`."""
    file = f"{LAUNCH}/settings.py"
    copy.replace(file, ")\nSETTING = ", f"{SETTING})\nSETTING = ")
    copy.replace(
        file,
        "    reduce_num_warps: int | None = None\n",
        "    reduce_num_warps: int | None = None\n    prefetch: int | None = None\n",
    )
    copy.replace(file, "    rows: int = 1", "    prefetch: int = 1\n    rows: int = 1")
    copy.replace(
        f"{STRATEGIES}/persistent.py",
        "launch.num_stages",
        "max(launch.num_stages, launch.prefetch)",
    )
    copy.run(SETTING_TRIED)


def new_strategy(copy: _Copy) -> None:
    """A strategy with the kernels of `atomic`, under another name."""
    for folder in (LAUNCH, STRATEGIES):
        text = (ROOT / folder / "atomic.py").read_text(encoding="utf-8")
        copy.add(
            f"{folder}/mine.py",
            text.replace("class Atomic", "class Mine")
            .replace('"atomic"', '"mine"')
            .replace("atomic_kernel", "mine_kernel"),
        )
    file = f"{LAUNCH}/__init__.py"
    copy.replace(
        file,
        "from lnkernels.launch.locked",
        "from lnkernels.launch.mine import Mine\nfrom lnkernels.launch.locked",
    )
    copy.replace(file, "Atomic())", "Atomic(), Mine())")
    copy.run(STRATEGY_TRIED)


def new_pane(copy: _Copy) -> None:
    """A workspace with a pane that sessions keep, and its controller."""
    copy.add("lnexplorer/gui/panes/mine/pane.py", PANE)
    copy.add("lnexplorer/gui/panes/mine/controller.py", CONTROLLER)
    copy.replace(f"{SHELL}/workspaces.py", "WORKSPACES = (\n", f"WORKSPACES = (\n{WORKSPACE}")
    copy.run(PANE_TRIED)


def new_experiment(copy: _Copy) -> None:
    """An experiment with a chart, on kinds of data."""
    folder = "lnexplorer/domain/experiments"
    copy.add(f"{folder}/mine.py", EXPERIMENT)
    copy.add("lnexplorer/worker/experiments/mine.py", MEASURED)
    imported = "from lnexplorer.domain.experiments.order"
    added = f"from lnexplorer.domain.experiments.mine import MINE\n{imported}"
    copy.replace(f"{folder}/catalogue.py", imported, added)
    copy.replace(f"{folder}/catalogue.py", "NEIGHBOURS, HANG)", "NEIGHBOURS, HANG, MINE)")
    copy.run(EXPERIMENT_TRIED)


def new_exercise(copy: _Copy) -> None:
    """A sheet, and the check that it names."""
    checks = "lnexplorer/domain/lecture/checks.py"
    copy.add("resources/exercises/mine.md", SHEET)
    copy.add(checks, (ROOT / checks).read_text(encoding="utf-8") + CHECK)
    copy.run(EXERCISE_TRIED)


def new_command(copy: _Copy) -> None:
    """A command of the command line, which its help lists."""
    copy.add("lnexplorer/cli/mine.py", COMMAND)
    copy.replace(
        "lnexplorer/cli/commands.py", "COMMANDS = {\n", 'COMMANDS = {\n    "mine": "print it",\n'
    )
    copy.run(COMMAND_TRIED)


def new_provider(copy: _Copy) -> None:
    """A provider in the tree, PyTorch under another name, which a run checks."""
    file = "kernels/lnkernels/providers/peers.py"
    copy.replace(file, "# In the order in which they are listed.", PROVIDER)
    copy.replace(file, "    Cudnn,\n", "    Cudnn,\n    Mine,\n")
    copy.replace("lnexplorer/domain/peers.py", '    "cudnn",\n', '    "cudnn",\n    "mine",\n')
    copy.run(PROVIDER_TRIED)


def files_of(change: Callable[[_Copy], None]) -> set[str]:
    """The files that a change takes, tests and translations apart."""
    with tempfile.TemporaryDirectory() as folder:
        copy = _Copy(Path(folder))
        change(copy)
        return copy.files


CHANGES: dict[str, Callable[[_Copy], None]] = {
    "a new launch setting": new_setting,
    "a new strategy": new_strategy,
    "a new provider in the tree": new_provider,
    "a new command": new_command,
    "a new experiment": new_experiment,
    "a new exercise with a check": new_exercise,
    "a new workspace with a pane that sessions keep": new_pane,
}

if __name__ == "__main__":
    for name, change in CHANGES.items():
        files = files_of(change)
        print(f"{name}: {len(files)} files", *sorted(files), sep="\n    ")
