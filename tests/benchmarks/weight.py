"""Prints what the code weighs: lines, files, and how many files each of four walks through it
touches.

    python -m tests.benchmarks.weight             # sizes, and every walk
    python -m tests.benchmarks.weight --sizes     # sizes alone

One walk follows a run through the running program, from the form to a pane. It counts the files
with a function that is given, or returns, the request, the job, the result or a message that holds
one of them. The others make a change in a scratch copy (a new launch setting, a new strategy, a new
workspace), see that the program has it, and count the files that were changed or added. The walk of
a sweep's row to its curve is not measured.
"""

import argparse
import ast
import json
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

from tests.benchmarks import changes

ROOT = Path(__file__).parents[2]
PACKAGES = ("lnexplorer", "kernels/lnkernels")
# What travels. What else is shown of it beside the pane that the walk ends in, and what keeps it,
# is not on its way.
RUN_VALUES = (
    "RunRequest",
    "ResolvedRequest",
    "RunResult",
    "Correctness",
    "JobEnded",
    "JobPart",
    "Run",
    "Job",
    "Finished",
)
BESIDE_RUN = (
    "gui/reduction",
    "gui/throughput",
    "gui/history",
    "gui/sweep",
    "gui/experiments",
    "gui/compiled",
    "gui/memory_access",
    "gui/charts",
    "store/",
    "domain/history",
    "domain/simulation/prediction",
    "gui/shell/headline",
)
TRACE = "LNEXPLORER_WALK"  # a file for what was seen, and the names of the classes


def main() -> int:
    """Print sizes and walks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", action="store_true", help="sizes alone")
    parser.add_argument("--files", action="store_true", help="name the files of each walk")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options, rest = parser.parse_known_args()
    if options.worker:
        return _run_worker(rest)
    print_sizes()
    if not options.sizes:
        walks = {
            "a run, from the form to the pane": followed(
                ["--device", "interpreter", "--screenshot"], RUN_VALUES, BESIDE_RUN
            ),
            **{name: change() for name, change in changes.CHANGES.items()},
        }
        for name, files in walks.items():
            print(f"{name:40} {len(files):3} files")
            if options.files:
                print("".join(f"    {file}\n" for file in sorted(files)), end="")
    return 0


def print_sizes() -> None:
    """Lines and files of the program and of the tests."""
    program = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    tests = sorted((ROOT / "tests").rglob("*.py"))
    lines = {file: file.read_text(encoding="utf-8").count("\n") for file in (*program, *tests)}
    importers = _importers(program)
    folders: defaultdict[Path, int] = defaultdict(int)
    for file in program:
        folders[file.parent] += 1
    alone = [file for file in program if len(importers[file]) == 1 and file.name != "__init__.py"]
    print(
        f"lnexplorer and lnkernels                 {sum(lines[file] for file in program):6} lines,"
        f" {len(program)} files"
    )
    print(
        "median of a file                        "
        f" {statistics.median(lines[file] for file in program):6.0f} lines"
    )
    print(
        f"files above 500 lines                    {sum(lines[file] > 500 for file in program):6}"
    )
    print(f"files with one importer                  {len(alone):6}")
    print(f"most files in a folder                   {max(folders.values()):6}")
    print(
        f"tests                                    {sum(lines[file] for file in tests):6} lines,"
        f" {len(tests)} files"
    )


def followed(arguments: list[str], classes: tuple[str, ...], beside: tuple[str, ...]) -> set[str]:
    """Files that a value passes while the program runs with `arguments`, a picture's name last."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen"
        environment = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "LNEXPLORER_HOME": folder,
            TRACE: json.dumps([str(seen), classes]),
        }
        program = "from tests.benchmarks import weight; weight.trace_program()"
        command = [sys.executable, "-c", program, *arguments, str(Path(folder) / "window.png")]
        subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True)
        files = set(seen.read_text(encoding="utf-8").split("\n")) - {""}
    return {file for file in files if not any(part in file for part in beside)}


def trace_program() -> None:
    """Run `lnexplorer` in this process, and its worker in another, and write down the files that
    values pass.
    """
    from lnexplorer.cli.main import main as program
    from lnexplorer.engine import spawn

    spawn.WORKER_COMMAND = (sys.executable, "-m", "tests.benchmarks.weight", "--worker")
    _Probe()
    program(sys.argv[1:])


def _run_worker(arguments: list[str]) -> int:
    _Probe()
    sys.argv = ["lnexplorer.worker", *arguments]
    runpy.run_module("lnexplorer.worker", run_name="__main__")
    return 0


class _Probe:
    """Watches every call of this process, and notes the files of those that are given or return a
    value of the classes.
    """

    def __init__(self) -> None:
        file, classes = json.loads(os.environ[TRACE])
        self._file = Path(file)
        self._classes = frozenset(classes)
        self._seen: set[str] = set()
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)

    def _on_event(self, frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if event not in ("call", "return") or not name.startswith(str(ROOT)) or "/tests/" in name:
            return
        short = name[len(str(ROOT)) + 1 :]
        if short in self._seen:
            return
        if event == "call":
            given = [
                frame.f_locals.get(each)
                for each in frame.f_code.co_varnames[: frame.f_code.co_argcount]
            ]
        else:
            given = [argument]
        if any(type(value).__name__ in self._classes for value in given):
            self._seen.add(short)
            with self._file.open(
                "a", encoding="utf-8"
            ) as out:  # at once: a worker may end without a farewell
                out.write(f"{short}\n")


def _importers(files: list[Path]) -> dict[Path, set[Path]]:
    """For each file the other files that import it."""
    names = {_module(file): file for file in files}
    found: dict[Path, set[Path]] = {file: set() for file in files}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                wanted = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            else:
                continue
            for name in wanted:
                if name in names and names[name] != file:
                    found[names[name]].add(file)
    return found


def _module(file: Path) -> str:
    relative = file.relative_to(ROOT).with_suffix("")
    parts = [part for part in relative.parts if part not in ("kernels", "__init__")]
    return ".".join(parts)


if __name__ == "__main__":
    sys.exit(main())
