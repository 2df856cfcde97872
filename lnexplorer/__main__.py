"""`lnexplorer`, and `python -m lnexplorer`: importing this starts a command."""

# ruff: noqa: E402  (signals are handled before anything else is imported)
# Python has it from the start; `signal`, which wraps it, imports `enum` and more.
import _signal  # type: ignore[import-not-found]

# A signal that comes while modules are imported is raised, and reported, when the command begins.
_pending: list[int] = []
for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
    _number = getattr(_signal, _name, None)  # Windows has no SIGHUP
    if _number and _signal.getsignal(_number) != _signal.SIG_IGN:
        _signal.signal(_number, lambda number, _: _pending.append(number))

import sys

from lnexplorer.cli import interrupts
from lnexplorer.cli.main import main

interrupts.pending = _pending

if __name__ == "__main__":
    sys.exit(main())
