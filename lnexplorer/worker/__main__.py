"""`python -m lnexplorer.worker`: started by `lnexplorer.engine`, not by hand."""

import argparse
import ctypes
import faulthandler
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(arguments: list[str]) -> int:
    """Be a worker until the parent is gone."""
    parser = argparse.ArgumentParser(prog="lnexplorer.worker")
    parser.add_argument("--commands", type=int, required=True, help="file descriptor to read commands from")
    parser.add_argument("--events", type=int, required=True, help="file descriptor to write events to")
    parser.add_argument("--device", default="auto", help="auto, interpreter or cuda:N")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="process number of who started this")
    options = parser.parse_args(arguments)
    die_with_parent(options.parent)
    # Where it was is told on stderr when the process crashes, and when it is asked to end, which ends it then.
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)

    # The parent may be gone before these are needed.
    from lnexplorer.worker.start import HeadStart

    head_start = HeadStart(options.device)  # before all else that takes its time
    from lnexplorer.worker.connection import Connection
    from lnexplorer.worker.start import serve
    from lnexplorer.worker.task import Cancellation

    cancellation = Cancellation()
    connection = Connection(options.commands, options.events, cancellation.cancel)
    connection.open()
    return serve(connection, cancellation, options.device, head_start)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends.

    Args:
        parent: process number of whoever started this process; when that is gone already, this process ends at once.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The parent may have ended before the line above; its children then have another one.
    if os.getppid() != parent:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
