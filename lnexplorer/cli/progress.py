"""Progress of a job on stderr: one line that changes on a terminal, a line a step elsewhere."""

import contextlib
import sys

from lnexplorer.protocol.messages import EngineEvent, JobProgress, WorkerLost, WorkerReady, WorkerStarting
from lnkernels.values.environment import Device


class Progress:
    """Shows engine events as they come."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._last_step = ""
        self.device: Device | None = None

    def show(self, event: EngineEvent) -> None:
        """One event; those that are no progress are passed over."""
        match event:
            case WorkerStarting():
                self._step("starting the worker", "")
            case WorkerReady(device=device):
                self.device = device
                self.line(f"device: {device.name}" + (f" (cuda:{device.index})" if device.index is not None else ""))
                for note in device.notes:
                    self.line(str(note))
            case JobProgress(phase=phase, step=step, done=done, total=total):
                self._step(str(step or phase), f" {done}/{total}" if total > 1 else "")
            case WorkerLost(sentence=sentence):
                self.line(str(sentence))

    def line(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        _write(f"{text}\n")

    def changing(self, text: str) -> None:
        """A line that the next one takes the place of on a terminal, and that stays elsewhere."""
        _write(f"\r\x1b[K{text}" if self._on_terminal else f"{text}\n")

    def clear(self) -> None:
        """Take the changing line away."""
        if self._on_terminal:
            _write("\r\x1b[K")

    def _step(self, step: str, count: str) -> None:
        if self._on_terminal:
            _write(f"\r\x1b[K{step}{count} …")
        elif step != self._last_step:
            _write(f"{step} …\n")
        self._last_step = step


def _write(text: str) -> None:
    """Progress that nobody can read is no reason to end a run."""
    with contextlib.suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()
