"""`python -m lnexplorer.worker`: started by `lnexplorer.engine`, not by hand."""

# ruff: noqa: E402  (signals are understood before anything else is imported)
import signal

# Ctrl-C is the affair of who started this; the compilers that this starts inherit that.
signal.signal(signal.SIGINT, signal.SIG_IGN)

import argparse
import contextlib
import ctypes
import faulthandler
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lnkernels.compiled.process_pool import CompilerPool

PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Processes that compile and come up with the worker, where there are cores enough: they take half a
# second to be ready, and the first setting, which somebody waits for, has three kernels.
READY_EARLY = 4
CORES_FOR_EARLY = 8


def main(arguments: list[str]) -> int:
    """Serve until the device is lost; a thread ends the process with the connection."""
    if "--stdio" in arguments:
        from lnexplorer.worker import remote

        return remote.main(arguments)
    parser = argparse.ArgumentParser(prog="lnexplorer.worker")
    parser.add_argument(
        "--commands", type=int, required=True, help="file descriptor to read commands from"
    )
    parser.add_argument(
        "--events", type=int, required=True, help="file descriptor to write events to"
    )
    parser.add_argument("--device", default="auto", help="auto, interpreter or cuda:N")
    parser.add_argument(
        "--parent", type=int, default=os.getppid(), help="process number of who started this"
    )
    options = parser.parse_args(arguments)
    die_with_parent(options.parent)
    # Where it was is told on stderr when the process crashes, and when it is asked to end, which
    # ends it then.
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)

    # None of this before the parent is known to be there, and the compilers before all that takes
    # its time.
    ahead = early_compilers(options.device)
    from lnexplorer.worker.serving import serve

    return serve(options.commands, options.events, options.device, ahead)


def early_compilers(wish: str) -> "CompilerPool | None":
    """Start compilers, which come up while torch is imported; None where there is no GPU to compile
    for, or few cores.
    """
    if wish.partition(":")[0] not in {"auto", "cuda"} or (os.cpu_count() or 1) < CORES_FOR_EARLY:
        return None
    with contextlib.suppress(OSError):
        ctypes.CDLL("libcuda.so.1")
        from lnkernels.compiled.process_pool import HOST_TOOLS, CompilerPool

        ahead = CompilerPool(READY_EARLY, ready=READY_EARLY)
        ahead.want([HOST_TOOLS])
        return ahead
    return None


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The parent may have ended before the line above; its children then have another one.
    if os.getppid() != parent:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
