"""The workspaces of the window, and the parts in them. Menus, sessions and pictures follow this
list.

A part is a widget in a folder of its own. The folder's module `controller` has a function
`connect(pane, services)`, which ties the widget to the engine and the store. It returns a
controller, which is closed with the window, or None.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, Union

from lnkernels.values import Sentence, frozen, say

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from lnexplorer.gui.panes.compiled.pane import CompiledPane
    from lnexplorer.gui.panes.correctness.pane import CorrectnessPane
    from lnexplorer.gui.panes.experiments.pane import ExperimentsPane
    from lnexplorer.gui.panes.history.pane import HistoryPane
    from lnexplorer.gui.panes.memory_access.pane import TouchPane
    from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
    from lnexplorer.gui.panes.parameters.pane import ParametersPane
    from lnexplorer.gui.panes.reduction.pane import ReductionPane
    from lnexplorer.gui.panes.sweep.pane import SweepPane
    from lnexplorer.gui.panes.throughput.pane import ThroughputPane
    from lnexplorer.gui.session.services import Controller, Services

PaneType = TypeVar("PaneType", bound="QWidget")


@frozen
class PaneEntry(Generic[PaneType]):
    """A part, before its pane is made.

    Args:
        name: of the part, and of its folder.
        title: above the pane, and of its own window.
        kind: name of the pane's class, which is made without arguments.
        least: px of width and height at usual text; with less room, the workspace is scrolled.
    """

    name: str
    title: Sentence
    kind: str
    least: tuple[int, int] = (96, 96)

    @property
    def modules(self) -> tuple[str, str]:
        """Return the modules of the pane and of its controller."""
        folder = f"lnexplorer.gui.panes.{self.name}"
        return f"{folder}.pane", f"{folder}.controller"

    def parts(self) -> Iterator["AnyPane"]:
        yield self

    def make(self) -> PaneType:
        pane: PaneType = getattr(import_module(self.modules[0]), self.kind)()
        return pane

    def connect(self, pane: PaneType, services: "Services") -> "Controller | None":
        """Tie a pane to the services; return its controller if it has one."""
        controller: Controller | None = import_module(self.modules[1]).connect(pane, services)
        return controller


@frozen
class SplitLayout:
    """Pieces beside or above each other, each with its share of the room.

    A share of 0 gives a piece as much as it asks for.
    """

    pieces: tuple[tuple[int, Union["SplitLayout", "AnyPane"]], ...]
    across: bool = True

    def parts(self) -> Iterator["AnyPane"]:
        for _, piece in self.pieces:
            yield from piece.parts()


AnyPane: TypeAlias = PaneEntry[Any]
Arrangement: TypeAlias = SplitLayout | AnyPane


@frozen
class Workspace:
    """A workspace; one of them fills the window at a time."""

    name: str
    title: Sentence
    tip: Sentence
    icon: str  # a file of resources/icons
    arrangement: Arrangement
    uses_parameters: bool = False  # their values stand in its headline

    def parts(self) -> Iterator["AnyPane"]:
        return self.arrangement.parts()


PARAMETERS: "PaneEntry[ParametersPane]" = PaneEntry(
    "parameters", say("Parameters"), "ParametersPane", least=(384, 330)
)
REDUCTION: "PaneEntry[ReductionPane]" = PaneEntry(
    "reduction", say("Reduction"), "ReductionPane", least=(400, 300)
)
CORRECTNESS: "PaneEntry[CorrectnessPane]" = PaneEntry(
    "correctness", say("Correctness"), "CorrectnessPane", least=(360, 180)
)
THROUGHPUT: "PaneEntry[ThroughputPane]" = PaneEntry(
    "throughput", say("Throughput"), "ThroughputPane", least=(330, 180)
)
SWEEP: "PaneEntry[SweepPane]" = PaneEntry("sweep", say("Sweep"), "SweepPane")
EXPERIMENTS: "PaneEntry[ExperimentsPane]" = PaneEntry(
    "experiments", say("Experiments"), "ExperimentsPane"
)
COMPILED: "PaneEntry[CompiledPane]" = PaneEntry("compiled", say("Compiled"), "CompiledPane")
MEMORY_ACCESS: "PaneEntry[TouchPane]" = PaneEntry(
    "memory_access", say("Memory access"), "TouchPane"
)
OWN_KERNELS: "PaneEntry[OwnKernelsPane]" = PaneEntry(
    "own_kernels", say("Your kernel"), "OwnKernelsPane"
)
HISTORY: "PaneEntry[HistoryPane]" = PaneEntry("history", say("History"), "HistoryPane")

WORKSPACES = (
    Workspace(
        "run",
        say("Run"),
        say("One run: its parameters, the reduction, errors and speeds"),
        "rows",
        SplitLayout(
            (
                (0, PARAMETERS),
                (
                    1,
                    SplitLayout(
                        ((62, REDUCTION), (38, SplitLayout(((58, CORRECTNESS), (42, THROUGHPUT))))),
                        across=False,
                    ),
                ),
            )
        ),
    ),
    Workspace(
        "sweep",
        say("Sweep"),
        say("Many settings, as an autotuner tries them: curves, a map, the best one"),
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
        "compiled",
        say("Compiled"),
        say(
            "What the compiler makes of the kernels: TTIR, PTX, SASS and every other form beside"
            " each other, loads and stores in words"
        ),
        "layers",
        COMPILED,
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
        "own_kernels",
        say("Your kernel"),
        say("A file of your own, checked and timed at every save"),
        "kernel",
        OWN_KERNELS,
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
    return next(workspace for workspace in WORKSPACES if PARTS[part] in workspace.parts())
