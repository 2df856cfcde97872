"""The workspaces of the window, and the parts in them: the one list from which menus, sessions and pictures follow.

A part is a widget in a folder of its own. Where its folder has a controller, that module's `connect(pane, services)`
ties it to the engine and the store; what it gives back is closed with the window.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, Union

from lnkernels.sentence import Sentence, say


@dataclass(frozen=True, slots=True)
class Part:
    """One pane.

    Args:
        name: by which the window knows it.
        title: above it, and of its own window.
        pane: its class, with the module. It is made without arguments, and has `apply_theme`.
        controller: a module; empty where nothing ties it to anything.
    """

    name: str
    title: Sentence
    pane: str
    controller: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """Pieces side by side or above each other, with their shares of the room.

    A share of 0: as much as the piece asks for.
    """

    pieces: tuple[tuple[int, Union["Split", Part]], ...]
    across: bool = True

    def parts(self) -> Iterator[Part]:
        """All that are in it, from the top left."""
        for _, piece in self.pieces:
            yield from (piece,) if isinstance(piece, Part) else piece.parts()


Arrangement: TypeAlias = Split | Part


@dataclass(frozen=True, slots=True)
class Workspace:
    """What has the window at one time."""

    name: str
    title: Sentence
    tip: Sentence
    icon: str  # a file of resources/icons
    arrangement: Arrangement
    uses_parameters: bool = False  # their values stand in its headline

    def parts(self) -> Iterator[Part]:
        """All that are in it."""
        yield from (self.arrangement,) if isinstance(self.arrangement, Part) else self.arrangement.parts()


_GUI = "lnexplorer.gui"
PARAMETERS = Part("parameters", say("Parameters"), f"{_GUI}.parameters.pane.ParametersPane", f"{_GUI}.parameters.controller")
REDUCTION = Part("reduction", say("Reduction"), f"{_GUI}.reduction.pane.ReductionPane", f"{_GUI}.reduction.controller")
CORRECTNESS = Part(
    "correctness", say("Correctness"), f"{_GUI}.correctness.pane.CorrectnessPane", f"{_GUI}.correctness.controller"
)
THROUGHPUT = Part("throughput", say("Throughput"), f"{_GUI}.throughput.pane.ThroughputPane", f"{_GUI}.throughput.controller")
SWEEP = Part("sweep", say("Sweep"), f"{_GUI}.sweep.pane.SweepPane", f"{_GUI}.sweep.controller")
EXPERIMENTS = Part(
    "experiments", say("Experiments"), f"{_GUI}.experiments.pane.ExperimentsPane", f"{_GUI}.experiments.controller"
)
MEMORY_ACCESS = Part(
    "memory_access", say("Memory access"), f"{_GUI}.memory_access.pane.TouchPane", f"{_GUI}.memory_access.controller"
)
HISTORY = Part("history", say("History"), f"{_GUI}.history.pane.HistoryPane", f"{_GUI}.history.controller")

WORKSPACES = (
    Workspace(
        "run",
        say("Run"),
        say("One run: its parameters, the reduction, errors and speeds"),
        "rows",
        Split(
            (
                (0, PARAMETERS),
                (1, Split(((56, REDUCTION), (44, Split(((58, CORRECTNESS), (42, THROUGHPUT))))), across=False)),
            )
        ),
    ),
    Workspace(
        "sweep",
        say("Sweep"),
        say("Many settings: curves, a map, the best one"),
        "curves",
        SWEEP,
        uses_parameters=True,
    ),
    Workspace(
        "experiments",
        say("Experiments"),
        say("One question each: group size, barrier, order, strategies"),
        "flask",
        EXPERIMENTS,
        uses_parameters=True,
    ),
    Workspace(
        "memory_access",
        say("Memory access"),
        say("What one program loads and stores, and where that is in the source"),
        "cells",
        MEMORY_ACCESS,
        uses_parameters=True,
    ),
    Workspace(
        "history",
        say("History"),
        say("Runs, sweeps and experiments that were kept; recordings from GPUs"),
        "clock",
        HISTORY,
    ),
)
PARTS = {part.name: part for workspace in WORKSPACES for part in workspace.parts()}


def workspace_of(part: str) -> Workspace:
    """The one that a part is in."""
    return next(workspace for workspace in WORKSPACES if PARTS[part] in workspace.parts())
