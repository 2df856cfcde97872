"""`lnexplorer`, and `python -m lnexplorer`: importing this starts a command."""

# ruff: noqa: E402  (signals are handled before anything else is imported)
import signal

# A signal that comes while modules are imported is raised, and reported, when the command begins.
_pending: list[int] = []
for _number in signal.Signals:
    # Windows has no SIGHUP.
    ends = _number.name in {"SIGINT", "SIGTERM", "SIGHUP"}
    if ends and signal.getsignal(_number) is not signal.SIG_IGN:
        signal.signal(_number, lambda number, _: _pending.append(number))

import sys

from lnexplorer.cli import interrupts
from lnexplorer.cli.main import main

interrupts.pending = _pending

if __name__ == "__main__":
    sys.exit(main())
