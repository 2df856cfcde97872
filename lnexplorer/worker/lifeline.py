"""Ties a process to its parent: it ends when that is gone, even while its main thread is stuck."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


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
