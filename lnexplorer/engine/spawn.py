"""Start a worker process, here or on another machine.

Needs the standard library only, so that a program can do it before it imports anything heavy.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

from lnexplorer.domain.machines import NO_TRITON, is_remote
from lnexplorer.engine.pipes import Spawned, between_pipes, child_environment
from lnkernels.values import ExplainedError

# -P: the worker does not import a file torch.py of the current folder. -u: what a user's kernel
# prints arrives, however the worker ends.
WORKER_COMMAND = (sys.executable, "-P", "-u", "-m", "lnexplorer.worker")


class ElsewhereError(ExplainedError, OSError):
    """Kernels run on another machine alone."""


def spawn_worker(device: str = "auto", command: Sequence[str] | None = None) -> Spawned:
    """Start a worker, for a `Supervisor` to take over.

    The worker ends when the thread that called this ends, so call it from the main thread or a
    lasting one.

    Args:
        device: "auto", "cuda:N", "interpreter", "interpreter:sm_80", or one of these of another
            machine: "ssh://host/cuda:1".
        command: the program and its first arguments; the worker of this package if not given.

    Raises:
        OSError: the process cannot be started; an `ElsewhereError` where Triton is not made for
            this system.
    """
    if is_remote(device):
        # It decodes with msgspec, which a window does not need before it is painted.
        from lnexplorer.engine.ssh import spawn_over_ssh

        if command is not None:
            raise OSError(f"a worker of its own runs on this machine alone, not on {device}")
        return spawn_over_ssh(device)
    if sys.platform != "linux":
        raise ElsewhereError(NO_TRITON)
    program = (*(command or WORKER_COMMAND), "--device", device, "--parent", str(os.getpid()))
    return between_pipes(
        lambda commands, events: subprocess.Popen(
            [*program, "--commands", str(commands), "--events", str(events)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(commands, events),
            env=child_environment(),
            # A session of its own: Ctrl-C in a terminal does not reach the worker, and its whole
            # process group can be killed.
            start_new_session=True,
        )
    )
