"""How long a worker may take for what."""

from dataclasses import dataclass

from lnexplorer.domain.request import RunRequest, resolve

# The interpreter's programs are counted while they run, each a step of some milliseconds. What is not counted, such as the
# float64 truth, takes about 0.1 µs an element on 2 cores. Ten times that is slow, not stuck.
ELEMENT_SECONDS = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds. A phase's time begins anew with every step that the worker reports, so that they bound one step."""

    start: float = 120.0  # to import torch from a cold disk, and to wake the GPU
    compile: float = 60.0
    run: float = 120.0  # on the CPU in addition to what `run_seconds` grants for each element
    heartbeat: float = 10.0  # without any sign of life
    grace: float = 1.0  # for a stopped job, or a worker that is asked to leave
    superseded_grace: float = 5.0  # for a job that made room for a newer one: waiting is cheaper than a new worker

    def phase_seconds(self, phase: str, request: RunRequest | None, backend: str) -> float:
        """Time for one step of a job's phase, "compile" or "run"."""
        return self.compile if phase == "compile" else self.run_seconds(request, backend)

    def run_seconds(self, request: RunRequest | None, backend: str) -> float:
        """Time for one step of a run; on the CPU it grows with the number of elements."""
        if request is None or backend == "cuda":
            return self.run
        resolved = resolve(request, backend)
        return self.run + resolved.m * resolved.n * ELEMENT_SECONDS
