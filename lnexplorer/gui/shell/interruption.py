"""Ctrl-C while Qt has the process: it is noted, and Qt's event loop is woken. No Qt here: it holds from before Qt is loaded.

SIGTERM and SIGHUP do what Ctrl-C does: the command line sees to that.
"""

import signal
import socket
from contextlib import suppress

INTERRUPTED = 130  # exit status, as a shell says it


class Interruption:
    """Takes the place of KeyboardInterrupt, which Qt's calls of Python would swallow."""

    def __init__(self) -> None:
        self.asked = False
        self._woken, self._wakes = socket.socketpair()
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        with suppress(ValueError):  # another thread hears of no signal
            signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
            signal.signal(signal.SIGINT, lambda *_: self._note())

    def fileno(self) -> int:
        """What can be read once a signal has come."""
        return self._woken.fileno()

    def came(self) -> bool:
        """Whether somebody asked for the end; what woke the loop is read."""
        with suppress(BlockingIOError):
            self._woken.recv(4096)
        return self.asked

    def close(self) -> None:
        """Wake nobody any more; Ctrl-C still changes nothing."""
        with suppress(ValueError):
            signal.set_wakeup_fd(-1)
        self._woken.close()
        self._wakes.close()

    def _note(self) -> None:
        self.asked = True
