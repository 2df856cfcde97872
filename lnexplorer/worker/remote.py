"""`python -m lnexplorer.worker --stdio`: a worker at the other end of a line, such as OpenSSH's,
and its guard.

The guard is the process that the line ends at. It reports what is installed, starts the worker,
forwards its input, and kills it with all that it started when the line ends or falls silent: also
where a kernel hangs, and the worker cannot leave by itself. Frames go over stdin and stdout; what
libraries print goes to stderr.
"""

import argparse
import contextlib
import json
import os
import platform
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lnexplorer import __version__
from lnexplorer.doctor.facts import Torch, find_driver
from lnexplorer.doctor.probe import find_torch, installed
from lnexplorer.protocol.messages import PREAMBLE, fingerprint
from lnkernels.cache_folders import why_no_room
from lnkernels.values.environment import HOST_VARIABLE

TICK_SECONDS = 0.5
# Without a word from the other side, which says that it is there every two seconds. Ticks rather
# than a clock: a machine that was held up itself has not been silent to.
SILENT_TICKS = 16
LEAVE_SECONDS = 1.0
READ_BYTES = 1 << 16
SIGNALLED = 128  # more than the signal that ended the worker, as shells say it
WORKER = (sys.executable, "-P", "-u", "-m", "lnexplorer.worker")


def main(arguments: Sequence[str], worker: Sequence[str] = WORKER) -> int:
    """Serve one line to its end; the worker's status."""
    parser = argparse.ArgumentParser(prog="lnexplorer.worker")
    parser.add_argument("--stdio", action="store_true")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--host", default="", help="what the other side calls this machine")
    parser.add_argument(
        "--look", action="store_true", help="say what is here, torch included, and leave"
    )
    options = parser.parse_args(arguments)
    # Whatever prints from here on, prints to stderr.
    line_in, line_out = os.dup(0), os.dup(1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    if options.host:
        os.environ[HOST_VARIABLE] = options.host
    here = what_is_here(thoroughly=options.look)
    _say(line_out, here)
    if options.look or here["trouble"]:
        return 0
    commands_in, commands_out = os.pipe()
    pipes = ("--commands", str(commands_in), "--events", str(line_out))
    child = subprocess.Popen(
        [*worker, *pipes, "--device", options.device, "--parent", str(os.getpid())],
        stdin=subprocess.DEVNULL,
        pass_fds=(commands_in, line_out),
        start_new_session=True,
    )
    os.close(commands_in)
    os.close(line_out)
    threading.Thread(target=_leave_with, args=(child,), daemon=True).start()
    _hand_on(line_in, commands_out)
    # The worker leaves when its commands end, if it can. Its thread above ends this process with
    # it.
    os.close(commands_out)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(LEAVE_SECONDS)
    _kill(child)
    child.wait()
    return 0


def what_is_here(*, thoroughly: bool) -> dict[str, object]:
    """Return the first message to the other side, as `lnexplorer.engine.ssh.Contact` reads it."""
    torch = (
        find_torch()
        if thoroughly
        else Torch(version=installed("torch"), triton=installed("triton"))
    )
    return {
        "version": __version__,
        "messages": fingerprint(),
        "executable": sys.executable,
        "trouble": why_no_room(),
        "facts": {
            "system": platform.system(),
            "python": list(sys.version_info[:3]),
            "packages": {name: installed(name) for name in ("torch", "triton", "numpy", "msgspec")},
            "torch": asdict(torch),
            "driver": asdict(find_driver()),
        },
    }


def _say(line_out: int, here: dict[str, object]) -> None:
    text = b"\n" + PREAMBLE + json.dumps(here).encode() + b"\n"
    while text:
        text = text[os.write(line_out, text) :]


def _hand_on(line_in: int, commands_out: int) -> None:
    """Hand on what comes, until the line ends, or nobody has been heard for a while, or the worker
    takes nothing more.

    What a worker does not take yet is kept: torch's import holds its threads for seconds.
    """
    os.set_blocking(commands_out, False)
    kept, silent = bytearray(), 0
    while silent < SILENT_TICKS:
        readable, writable, _ = select.select(
            [line_in], [commands_out] if kept else [], [], TICK_SECONDS
        )
        # While a worker takes what is kept in small bites, this goes round more often than a tick.
        silent += not readable and not writable
        try:
            if readable:
                silent = 0
                part = os.read(line_in, READ_BYTES)
                if not part:
                    return
                kept += part
            if kept:
                with contextlib.suppress(BlockingIOError):
                    del kept[: os.write(commands_out, kept)]
        except OSError:
            return
    print("Nobody was heard on the line.", file=sys.stderr)


def _leave_with(child: subprocess.Popen[bytes]) -> None:
    """End this process as the worker has ended, with what it started."""
    # Seen without reaping it, so that its process group is still its own.
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    _kill(child)
    status = child.wait()
    os._exit(SIGNALLED - status if status < 0 else status)


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
