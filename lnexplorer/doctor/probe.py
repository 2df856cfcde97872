"""Looking at this machine: the thin layer under the checks. Whatever fails becomes a fact, never an error."""

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lnexplorer.doctor.display import find_display
from lnexplorer.doctor.facts import Facts, Torch
from lnexplorer.doctor.findings import BOUNDS
from lnexplorer.doctor.nvidia import find_driver
from lnexplorer.doctor.qt_libraries import missing_libraries, platforms

TORCH_SECONDS = 120
FONT_SECONDS = 20
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
except BaseException as error:
    found["error"] = f"{{type(error).__name__}}: {{error}}".splitlines()[0]
try:
    import triton
except BaseException as error:
    found["triton_error"] = f"{{type(error).__name__}}: {{error}}".splitlines()[0]
print("{MARK}" + json.dumps(found))
"""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
CHINESE_FONTS = ("notosanscjk", "notoserifcjk", "notosanssc", "sourcehan", "wqy", "droidsansfallback", "uming", "ukai")


def find_facts() -> Facts:
    """Look at this machine. Takes seconds, most of them in torch."""
    return Facts(
        system=platform.system(),
        python=(sys.version_info.major, sys.version_info.minor, sys.version_info.micro),
        packages={name: installed(name) for name in (*BOUNDS, "pandas", "numpy", "msgspec", "platformdirs")},
        torch=find_torch(),
        missing_libraries=missing_libraries(platforms(os.environ)),
        display=find_display(os.environ),
        chinese_font=find_chinese_font(),
        driver=find_driver(),
    )


def installed(name: str) -> str | None:
    """Version of an installed package, without importing it."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def find_torch() -> Torch:
    """Ask torch and triton, in a process of their own."""
    torch, triton = installed("torch"), installed("triton")
    if torch is None:
        return Torch(triton=triton)
    # The folder that holds lnexplorer is not on this process's path, nor is the current one.
    command = [sys.executable, "-P", "-c", TORCH_PROGRAM]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TORCH_SECONDS, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        return Torch(version=torch, triton=triton, error=f"it took longer than {TORCH_SECONDS} s")
    except OSError as error:
        return Torch(version=torch, triton=triton, error=f"no process can be started ({error.strerror})")
    lines = [line for line in run.stdout.splitlines() if line.startswith(MARK)]
    if not lines:
        return Torch(version=torch, triton=triton, error=f"its process ended with status {run.returncode}")
    return Torch(version=torch, triton=triton, **json.loads(lines[-1].removeprefix(MARK)))


def find_chinese_font() -> str | None:
    """The name of a font with Chinese characters."""
    program = shutil.which("fc-list")
    if program is not None:
        command = [program, ":lang=zh-cn", "family"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=FONT_SECONDS, check=False, errors="replace")
        except (subprocess.TimeoutExpired, OSError):
            pass
        else:
            names = sorted(line.split(",")[0].strip() for line in run.stdout.splitlines() if line.strip())
            return names[0] if names else None
    for folder in FONT_FOLDERS:
        for file in Path(folder).expanduser().rglob("*.[ot]t[fc]"):
            if any(file.name.lower().replace("-", "").startswith(name) for name in CHINESE_FONTS):
                return file.stem
    return None
