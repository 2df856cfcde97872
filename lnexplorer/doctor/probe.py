"""Collects the facts about this machine. Whatever fails becomes a fact, never an error."""

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lnexplorer.doctor.facts import Facts, Torch, find_display, find_driver
from lnexplorer.doctor.findings import BOUNDS, EXTRAS, PROGRAMS, UNBOUND
from lnexplorer.doctor.qt_libraries import missing_libraries, platforms

ANSWER_SECONDS = 120
MARK = "lnexplorer-doctor:"
# Runs in a process of its own: importing torch can fail in any way, up to a crash.
TORCH_PROGRAM = f"""
import json
found = {{}}
try:
    import torch
    found["cuda"] = torch.version.cuda
    found["gpus"] = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if torch.version.cuda and not found["gpus"]:
        try:
            torch.cuda.init()
        except Exception as error:
            found["gpu_error"] = str(error).splitlines()[0]
    if built := [name[3:].rstrip("af") for name in torch.cuda.get_arch_list() if name[:3] == "sm_"]:
        found["least"] = min(map(int, built))
except BaseException as error:
    found["error"] = f"{{type(error).__name__}}: {{error}}".splitlines()[0]
try:
    import triton
except BaseException as error:
    found["triton_error"] = f"{{type(error).__name__}}: {{error}}".splitlines()[0]
print("{MARK}" + json.dumps(found))
"""
# Also in a process of its own. QtWidgets brings QtCore and QtGui.
QT_PROGRAM = f"""
try:
    import PySide6.QtWidgets
    print("{MARK}")
except BaseException as error:
    print("{MARK}" + f"{{type(error).__name__}}: {{error}}".splitlines()[0])
"""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
CHINESE_FONTS = (
    "notosanscjk",
    "notoserifcjk",
    "notosanssc",
    "sourcehan",
    "wqy",
    "droidsansfallback",
    "uming",
    "ukai",
)


def find_facts() -> Facts:
    """Collect the facts. Takes seconds, most of them in torch."""
    missing = missing_libraries(platforms(os.environ))
    return Facts(
        system=platform.system(),
        python=(sys.version_info.major, sys.version_info.minor, sys.version_info.micro),
        packages={name: installed(name) for name in (*BOUNDS, *UNBOUND)},
        extras={
            name: (shutil.which(name) or installed(f"imageio-{name}"))
            if name in PROGRAMS
            else installed(name)
            for name in EXTRAS
        },
        torch=find_torch(),
        missing_libraries=missing,
        qt_error=None if missing else find_qt_error(),
        display=find_display(os.environ),
        chinese_font=find_chinese_font(),
        driver=find_driver(),
    )


def installed(name: str) -> str | None:
    """Return the version of an installed package, without importing it."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def find_torch() -> Torch:
    """Ask torch and triton, in a process of their own."""
    torch, triton = installed("torch"), installed("triton")
    if torch is None:
        return Torch(triton=triton)
    try:
        found = json.loads(_ask(TORCH_PROGRAM))
        least = divmod(found.pop("least"), 10) if "least" in found else None
        return Torch(version=torch, triton=triton, least_capability=least, **found)
    except _NoAnswerError as error:
        return Torch(version=torch, triton=triton, error=str(error))


def find_qt_error() -> str | None:
    """Return why Qt cannot be imported though it is installed."""
    if installed("PySide6-Essentials") is None:
        return None
    try:
        return _ask(QT_PROGRAM) or None
    except _NoAnswerError as error:
        return str(error)


class _NoAnswerError(Exception):
    """A program ended without an answer."""


def _ask(program: str) -> str:
    """Run a program in a process of its own; return its last line that begins with MARK."""
    # The folder that holds lnexplorer is not on this process's path, nor is the current one.
    command = [sys.executable, "-P", "-c", program]
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
            errors="replace",
        )
    except subprocess.TimeoutExpired as error:
        raise _NoAnswerError(f"it took longer than {ANSWER_SECONDS} s") from error
    except OSError as error:
        raise _NoAnswerError(f"no process can be started ({error.strerror})") from error
    lines = [line for line in run.stdout.splitlines() if line.startswith(MARK)]
    if not lines:
        raise _NoAnswerError(f"its process ended with status {run.returncode}")
    return lines[-1].removeprefix(MARK)


def find_chinese_font() -> str | None:
    files = (
        file for folder in FONT_FOLDERS for file in Path(folder).expanduser().rglob("*.[ot]t[fc]")
    )
    return next(
        (
            file.stem
            for file in files
            if file.name.lower().replace("-", "").startswith(CHINESE_FONTS)
        ),
        None,
    )
