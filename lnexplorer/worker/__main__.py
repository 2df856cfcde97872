"""`python -m lnexplorer.worker`: started by `lnexplorer.engine`, not by hand."""

import argparse
import faulthandler
import os
import signal
import sys

from lnexplorer.worker.lifeline import die_with_parent


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

    from lnexplorer.worker.head_start import HeadStart  # noqa: PLC0415 - the parent may be gone before these are needed

    head_start = HeadStart(options.device)  # before all else that takes its time
    from lnexplorer.worker.cancellation import Cancellation  # noqa: PLC0415
    from lnexplorer.worker.link import Link  # noqa: PLC0415
    from lnexplorer.worker.service import serve  # noqa: PLC0415

    cancellation = Cancellation()
    link = Link(options.commands, options.events, cancellation)
    link.open(on_prepare=lambda command: head_start.prepare(command.requests))
    return serve(link, cancellation, options.device, head_start)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
