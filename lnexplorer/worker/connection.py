"""The worker's side of the two pipes: a thread that reads commands, one that shows signs of life, and a lock around
writing.
"""

import os
import queue
import sys
import threading
import time
from collections.abc import Callable

from lnexplorer.protocol.codec import DecodeError, FramingError, read_frame, write_frame
from lnexplorer.protocol.messages import Cancel, Do, Heartbeat, Prepare, WorkerEvent, decode_command, encode_message

HEARTBEAT_SECONDS = 0.5
UNREADABLE_STATUS = 3


class Connection:
    """Jobs in, events out. When the other side is gone, the process ends, whatever its main thread does."""

    def __init__(self, commands: int, events: int, on_cancel: Callable[[int], None]) -> None:
        self._commands = os.fdopen(commands, "rb")
        self._events = os.fdopen(events, "wb")
        self._on_cancel = on_cancel
        self._writing = threading.Lock()
        self._jobs: queue.SimpleQueue[Do | Prepare] = queue.SimpleQueue()

    def open(self) -> None:
        """Start both threads."""
        for name, target in (("commands", self._read), ("heartbeat", self._beat)):
            threading.Thread(target=target, name=name, daemon=True).start()

    def send(self, event: WorkerEvent) -> None:
        """Write an event; on any thread."""
        self.send_bytes(encode_message(event))

    def send_bytes(self, payload: bytes) -> None:
        """Write an encoded event."""
        try:
            with self._writing:
                write_frame(self._events, payload)
        except OSError:
            os._exit(0)

    def next_job(self, seconds: float | None = None) -> Do | Prepare | None:
        """Wait for a job, or for what is to be prepared; no longer than so many seconds, after which there is None."""
        try:
            return self._jobs.get(timeout=seconds)
        except queue.Empty:
            return None

    def _read(self) -> None:
        status = 0
        try:
            while (frame := read_frame(self._commands)) is not None:
                command = decode_command(frame)
                if isinstance(command, Cancel):
                    self._on_cancel(command.job)
                else:
                    self._jobs.put(command)
        except (FramingError, DecodeError) as error:
            # Written past Python's own buffer, because os._exit does not empty it.
            os.write(sys.stderr.fileno(), f"ValueError: a command cannot be read: {error}\n".encode())
            status = UNREADABLE_STATUS
        os._exit(status)

    def _beat(self) -> None:
        while True:
            self.send(Heartbeat())
            time.sleep(HEARTBEAT_SECONDS)
