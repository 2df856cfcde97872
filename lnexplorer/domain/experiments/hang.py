"""Kernels that hang, each in a way of its own, and what their stamps tell of the cause."""

from collections.abc import Iterator

from lnexplorer.domain.autopsy import PLACE_TITLES, cause_of, place_lines
from lnexplorer.domain.experiments.experiment import (
    Experiment,
    ExperimentResult,
    Findings,
    Table,
)
from lnexplorer.domain.request import RunRequest
from lnkernels.values import Sentence, frozen_by_name, say
from lnkernels.values.timeline import HangSnapshot

# By the names of their files in resources/hangs.
PLANTED = {
    "release_left_out": say("a lock that is not given back"),
    "two_orders": say("two locks in two orders"),
    "grid_barrier": say("a barrier of the whole grid"),
    "later_program": say("a wait for a later program"),
    "endless_loop": say("a loop without end"),
}


@frozen_by_name(eq=False)
class PlantedHang:
    name: str  # of PLANTED
    hang: HangSnapshot | None = None  # without its timeline; None where it did not hang
    reason: Sentence = say("it did not hang.")  # why there is none

    @property
    def cause(self) -> Sentence:
        if self.hang is not None:
            return cause_of(self.hang)
        return say("{name}: {why}", name=PLANTED[self.name], why=self.reason)


@frozen_by_name(eq=False)
class Hangs(Findings):
    experiment: str = "hang"
    planted: tuple[PlantedHang, ...] = ()

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        return [each.cause for each in self.planted]

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        one_by_one = say(
            "The interpreter runs one program after the other: those behind one that waits never"
            " begin, and two rows never hold a lock at once."
        )
        return [] if result.on_gpu else [one_by_one]

    def table(self, result: ExperimentResult) -> Table:
        places = ((each.name, place_lines(each.hang)) for each in self.planted if each.hang)
        lines = [(name, *line) for name, lines in places for line in lines]
        return [(say("kernel"), *PLACE_TITLES), *lines]

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        for each in self.planted:
            if each.name not in PLANTED or (each.hang is not None and not each.hang.is_whole):
                yield say("it has kernels that are not known, or rows without their state")


HANG = Experiment(
    name="hang",
    title=say("Kernels that hang"),
    question=say("Why does a kernel hang, and which row, lock and line is the cause?"),
    findings=Hangs,
    problems={
        "cuda": RunRequest(m=1024, n=64),  # more programs of 32 warps than a GPU holds at once
        "interpreter": RunRequest(m=32, n=8),
    },
    runs={"cuda": 1, "interpreter": 1},
)
