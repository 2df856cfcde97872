"""Snapshots of the five kernels that hang, as a GPU with a few places gives them, by a schedule
that is made up; and their recording, which
`python -m tests.simulated_hangs` writes. One of a GPU may take its place: `lnexplorer experiment
hang --device cuda:0 --save FILE.lnexperiment`.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.experiments.hang import PLANTED, Hangs, PlantedHang
from lnexplorer.store.recordings import write_experiment
from lnexplorer.store.resources import resource
from lnkernels.language.stamps import (
    COUNT_BITS,
    HELD,
    LOCK,
    PLACE,
    PROGRAM_BITS,
    WIDTH,
    place_of,
)
from lnkernels.launch.source import stamp_lines
from lnkernels.trace.flight_recorder import FlightRecorder
from lnkernels.values.environment import Environment, Kind, Provenance
from lnkernels.values.timeline import HangSnapshot

RECORDED = resource("recordings/h200_hang.lnexperiment")
M, PLACES, SMS = 1024, 264, 132
STEP_NS = 40
Step = tuple[str, int | None] | Callable[[], bool]  # a stamp with its lock, or a wait for a state


def _left_out(row: int, words: dict[int, int]) -> Iterator[Step]:
    lock = row % 7
    yield "start", None
    yield "wanted", lock
    yield lambda: not words.get(lock)
    words[lock] = 1
    yield "held", lock
    if row != 17:
        words[lock] = 0
        yield "released", None


def _two_orders(row: int, words: dict[int, int]) -> Iterator[Step]:
    yield "start", None
    if row in (4, 9):
        for lock in (0, 1) if row == 4 else (1, 0):
            yield "wanted", lock
            yield lambda lock=lock: not words.get(lock)
            words[lock] = 1
            yield "held", lock
            yield lambda: sum(words.values()) == 2
    yield "released", None


def _barrier(row: int, words: dict[int, int]) -> Iterator[Step]:
    yield "start", None
    words[row] = 1
    yield "waits", None
    yield lambda: len(words) == M
    yield "end", None


def _later(row: int, words: dict[int, int]) -> Iterator[Step]:
    yield "start", None
    words[row] = 1
    yield "waits", M - 1
    yield lambda: M - 1 in words
    yield "end", None


def _loop(row: int, words: dict[int, int]) -> Iterator[Step]:
    yield "search", None
    if row == 5:
        yield lambda: bool(words)
    yield "end", None


KERNELS = {
    "release_left_out": _left_out,
    "two_orders": _two_orders,
    "grid_barrier": _barrier,
    "later_program": _later,
    "endless_loop": _loop,
}


def simulated(name: str) -> HangSnapshot:
    """Return what a kernel has stamped once none of its programs goes on."""
    words: dict[int, int] = {}
    waiting, resident = list(range(M)), dict[int, tuple[Iterator[Step], Step]]()
    recorder = FlightRecorder(torch.device("cpu"))
    table, time, moved = recorder.memory.view(-1, WIDTH)[1:], 1, True
    while moved:
        moved = False
        while waiting and len(resident) < PLACES:
            row = waiting.pop(0)
            made = KERNELS[name](row, words)
            resident[row] = made, next(made)
        for row, (steps, step) in list(resident.items()):
            if callable(step):
                if not step():
                    continue
            else:
                time += STEP_NS
                stamp, lock = step
                table[row, place_of(stamp)] = time
                table[row, PLACE] = (M << COUNT_BITS) + (row << PROGRAM_BITS) + row % SMS + 1
                if lock is not None:
                    table[row, HELD if stamp == "held" else LOCK] = lock + 1
            moved = True
            after = next(steps, None)
            resident.pop(row) if after is None else resident.update({row: (steps, after)})
    lines = stamp_lines(ast.parse(resource(f"hangs/{name}.py").read_text()))
    found = recorder.snapshot(f"{name}.py", lines, 64)
    assert found is not None, "it has stamped"
    return replace(found, counted=False, now_ns=time + 2_000_000_000)


def experiment(hangs: dict[str, HangSnapshot]) -> ExperimentResult:
    """Return an experiment with these findings, which says that they are simulated."""
    own = EXPERIMENTS["hang"]
    request = own.complete(ExperimentRequest(name="hang"), "cuda")
    planted = [
        PlantedHang(name=name, hang=replace(hang, timeline=None)) for name, hang in hangs.items()
    ]
    environment = Environment(
        date="2026-11-29T02:00:00+00:00", python="", torch="", triton="", gpu="NVIDIA H200"
    )
    return ExperimentResult(
        request=request,
        resolved=own.resolve(request, "cuda", None),
        provenance=Provenance(kind=Kind.SIMULATED, environment=environment),
        findings=Hangs(planted=tuple(planted)),
    )


def main() -> None:
    """Write the recording."""
    found = experiment({name: simulated(name) for name in PLANTED})
    write_experiment(RECORDED, found, "Five kernels that hang, simulated")


if __name__ == "__main__":
    main()
