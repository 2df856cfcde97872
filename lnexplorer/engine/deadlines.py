"""How long a worker may take for what."""

from dataclasses import dataclass

from lnexplorer.domain.request import RunRequest, resolve

# Triton's interpreter takes about 3 ms a program and pass on 2 cores, nearly flat in N. Ten times that is slow, not stuck.
INTERPRETED_PROGRAM_SECONDS = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds. A phase's time begins anew with every step that the worker reports, so that they bound one step."""

    start: float = 120.0  # to import torch from a cold disk, and to wake the GPU
    compile: float = 60.0
    run: float = 120.0  # on a GPU; on the interpreter in addition to what `run_seconds` grants for each program
    heartbeat: float = 10.0  # without any sign of life
    grace: float = 1.0  # for a stopped job, or a worker that is asked to leave
    superseded_grace: float = 5.0  # for a job that made room for a newer one: waiting is cheaper than a new worker

    def phase_seconds(self, phase: str, request: RunRequest | None, backend: str) -> float:
        """Time for one step of a job's phase, "compile" or "run"."""
        return self.compile if phase == "compile" else self.run_seconds(request, backend)

    def run_seconds(self, request: RunRequest | None, backend: str) -> float:
        """Time for one step of a run; on the interpreter it grows with the number of programs."""
        if request is None or backend == "cuda":
            return self.run
        resolved = resolve(request, backend)
        launch = resolved.launch
        tiles = -(-resolved.n // max(launch.reduce_block_size_n, 1))
        programs = resolved.m * (1 + resolved.repeats) + tiles * resolved.repeats
        return self.run + programs * INTERPRETED_PROGRAM_SECONDS
