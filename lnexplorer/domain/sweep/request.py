"""The request for a sweep, with its checks and its options, the settings of a search, and sweeps
worth one click.
"""

import importlib.util
import re
import shlex
from collections.abc import Iterator
from dataclasses import field
from math import isfinite, prod

from lnexplorer.domain.parameters import BY_NAME, LAUNCH_NAMES, PARAMETERS, owner_of
from lnexplorer.domain.ranges import Value, write_values
from lnexplorer.domain.request import RunRequest
from lnkernels.launch import SETTINGS, STRATEGIES, Problem, belongs
from lnkernels.launch.source import is_setting
from lnkernels.values import Sentence, frozen, frozen_by_name, say
from lnkernels.values.figures import DIRECTIONS, MODES

MOST_AXES = 2
MOST_CELLS = 20_000
CLUSTERS = say("tcp://HOST:PORT, tls://HOST:PORT or local:N with N from 1 to 256")


@frozen
class EffortLevel:
    """Bounds of the time and the samples of a setting.

    Triton's tutorial gives each of its points half a second, by `do_bench(rep=500)`; so does a
    thorough sweep. Inputs, check and graphs of a setting take the same fraction of a second however
    short its timing is.
    """

    within: float  # half-width of the median's 95 % interval, as a share of the median
    most: int  # samples
    # of one measurement; no turn starts later than this, unless a figure lacks its least time
    seconds: float
    least_seconds: float  # of timing that each figure gets, even where its median is known before
    # s that a figure takes with check and compiler, on an H200 (resources/manual/measurements.md)
    takes: float = 0.0


EFFORTS = {
    "quick": EffortLevel(within=0.01, most=200, seconds=2.0, least_seconds=0.0, takes=0.15),
    "normal": EffortLevel(within=0.0025, most=4_000, seconds=2.0, least_seconds=0.2, takes=0.23),
    "thorough": EffortLevel(within=0.001, most=20_000, seconds=4.0, least_seconds=0.5, takes=1.1),
}


@frozen_by_name
class Axis:
    name: (
        str  # field of RunRequest; or a setting of a kernel of one's own, such as my_norm.num_warps
    )
    values: tuple[Value, ...]  # None lets the heuristics decide


@frozen_by_name
class SweepRequest:
    """Every combination of the axes' values, for each strategy and each peer."""

    # Of everything that is on no axis; its strategy is not used.
    base: RunRequest = field(default_factory=RunRequest)
    axes: tuple[Axis, ...] = ()
    strategies: tuple[str, ...] = ("locked",)
    providers: tuple[str, ...] = ()  # peers: "torch", "liger" …
    directions: tuple[str, ...] = DIRECTIONS
    modes: tuple[str, ...] = ("kernel_cold",)
    effort: str = "normal"
    time_anyway: bool = False  # also what is wrong
    waits: bool = False  # trace each setting of `locked`, for the time that its rows wait
    # in place of the grid: settings that a search tries at most, with the axes as what it may
    # choose from
    search: int = 0

    @property
    def settings(self) -> int:
        return prod(len(axis.values) for axis in self.axes)

    def axis(self, name: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.name == name), None)


def check_sweep(sweep: SweepRequest) -> list[Problem]:
    """Return what makes a sweep as a whole impossible.

    A single setting that is, such as too wide a row, gets a row that says so.
    """
    return list(_problems(sweep))


def _problems(sweep: SweepRequest) -> Iterator[Problem]:
    yield from _axes(sweep)
    yield from _choices(sweep)
    if sweep.search:
        yield from _search(sweep)
    if not sweep.strategies and not sweep.providers:
        some = say("take at least one of {choices}, or a provider", choices=STRATEGIES)
        yield Problem("strategy", "nothing", some)
    cells = sweep.search or sweep.settings * (len(sweep.strategies) + len(sweep.providers))
    if cells > MOST_CELLS:
        most = say("try at most {most} at once", most=MOST_CELLS)
        yield Problem("sweep", f"{cells} settings", most)


def _axes(sweep: SweepRequest) -> Iterator[Problem]:
    names = [axis.name for axis in sweep.axes]
    if len(names) > MOST_AXES and not sweep.search:
        allowed = say("vary at most {most} parameters at once", most=MOST_AXES)
        if any(map(owner_of, names)):
            allowed = say(
                "{allowed}; --setting NAME=VALUE holds one of a kernel's own", allowed=allowed
            )
        yield Problem("sweep", f"several values of {', '.join(names)}", allowed)
    once = say("vary parameters of a run, each once; strategies stand side by side anyway")
    for name in dict.fromkeys(names):
        known = name in BY_NAME or owner_of(name) in sweep.providers
        if not known or name == "strategy" or names.count(name) > 1:
            yield Problem("sweep", f"axis {name}", once)
    fixed = {name: (sweep.base.value(name),) for name in BY_NAME if name not in names}
    for name, values in [*((axis.name, axis.values) for axis in sweep.axes), *fixed.items()]:
        if not values:
            yield Problem(name, "no value", say("take at least one"))
        for value in values:
            if name in BY_NAME and not _is_of_type(name, value):
                yield Problem(name, f"{value}", BY_NAME[name].allowed())
            elif owner_of(name) and not is_setting(value):
                yield Problem(name, f"{value}", say("take a number, on, off or a word"))


def _search(sweep: SweepRequest) -> Iterator[Problem]:
    if sweep.search < 0:
        yield Problem("search", str(sweep.search), say("take a whole number, at least 1"))
    if len(sweep.strategies) > 1 or (sweep.providers and not sweep.strategies):
        one = say("take one: a search chooses the settings of one strategy")
        yield Problem("strategy", ", ".join(sweep.strategies) or "nothing", one)
    if sweep.providers:
        none = say("take none: a search has no providers beside it")
        yield Problem("provider", ", ".join(sweep.providers), none)
    one = say("take one value: a search is for one problem, and chooses launch settings")
    for axis in sweep.axes:
        if axis.values and axis.name in BY_NAME and axis.name not in LAUNCH_NAMES:
            yield Problem(axis.name, write_values(axis.values), one)


def _choices(sweep: SweepRequest) -> Iterator[Problem]:
    offered = {
        "strategy": (sweep.strategies, STRATEGIES),
        "mode": (sweep.directions, DIRECTIONS),
        "timing": (sweep.modes, MODES),
        "effort": ((sweep.effort,), tuple(EFFORTS)),
    }
    for name, (values, allowed) in offered.items():
        for value in values:
            if value not in allowed:
                choices = say("take one of {choices}", choices=allowed)
                yield Problem(name, value, choices)
        if not values and name != "strategy":
            yield Problem(name, "nothing", say("take at least one"))


def _is_of_type(name: str, value: Value) -> bool:
    parameter = BY_NAME[name]
    if value is None:
        return parameter.automatic
    if parameter.choices:
        return value in parameter.choices
    if parameter.type is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return type(value) is parameter.type


def sweep_options(sweep: SweepRequest) -> dict[str, str]:
    """Return options and values in which a sweep differs from an empty one; the same for equal
    sweeps.
    """
    options: dict[str, str] = {}
    default = RunRequest()
    for parameter in PARAMETERS:
        if parameter.name == "strategy":
            continue
        axis = sweep.axis(parameter.name)
        value = sweep.base.value(parameter.name)
        if axis is not None:
            options[parameter.option] = write_values(axis.values)
        elif value != default.value(parameter.name):
            options[parameter.option] = write_values((value,))
    lists = {
        "--strategy": sweep.strategies or ("none",),
        "--provider": sweep.providers,
        "--mode": sweep.directions,
        "--timing": sweep.modes,
    }
    options |= {option: ",".join(values) for option, values in lists.items() if values}
    own = [f"{axis.name}={write_values(axis.values)}" for axis in sweep.axes if owner_of(axis.name)]
    if own:
        options["--setting"] = ";".join(own)
    options["--effort"] = sweep.effort
    if sweep.waits:
        options["--waits"] = "on"
    if sweep.time_anyway:
        options["--time-anyway"] = "on"
    if sweep.search:
        options["--search"] = str(sweep.search)
    return options


def sweep_command(sweep: SweepRequest) -> str:
    """Return the options as one line for a shell."""
    return " ".join(
        f"{option} {shlex.quote(value)}" for option, value in sweep_options(sweep).items()
    )


# Settings that change speed and not results, with the values that are worth trying.
WORTH_TRYING = {setting.name: setting.tried for setting in SETTINGS if setting.tried}


def open_settings(sweep: SweepRequest) -> dict[str, tuple[Value, ...]]:
    """Return the settings that a search varies, with their values: those of the axes, and those
    that are automatic.
    """
    strategy = sweep.strategies[0]
    found: dict[str, tuple[Value, ...]] = {axis.name: axis.values for axis in sweep.axes}
    for name, values in WORTH_TRYING.items():
        if name not in found and belongs(name, strategy) and sweep.base.value(name) is None:
            found[name] = values
    return found


def check_cluster(address: str) -> list[Problem]:
    """Return what is wrong with the address of a cluster, or missing here for it."""
    local = re.fullmatch(r"local:([0-9]{1,3})", address)
    place = re.fullmatch(
        r"(?:tcp|tls)://(?:[A-Za-z0-9_.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})", address
    )
    if not (local and 1 <= int(local[1]) <= 256) and not (place and 1 <= int(place[1]) <= 65535):
        return [
            Problem("cluster", address or "nothing", say("take {addresses}", addresses=CLUSTERS))
        ]
    if importlib.util.find_spec("distributed") is None:
        missing = say(
            "it needs Dask, which is not installed: pip install '.[cluster]' in the clone"
        )
        return [Problem("cluster", address, missing)]
    return []


@frozen
class SweepPreset:
    """A named sweep, with a sentence about what it is for."""

    name: Sentence
    help: Sentence
    sweep: SweepRequest


TUTORIAL = SweepPreset(
    say("Tutorial's curve"),
    say(
        "4096 rows of float16, N from 1024 to 15872: the curve that the tutorial ends with, forward"
        " and backward, beside PyTorch's."
    ),
    SweepRequest(
        base=RunRequest(m=4096, dtype="float16"),
        axes=(Axis(name="n", values=tuple(range(1024, 15872 + 1, 512))),),
        strategies=("locked",),
        providers=("torch",),
        effort="thorough",  # half a second for each figure, as the tutorial takes
    ),
)


# What the window proposes where kernels are interpreted: the tutorial's curve would take it many
# minutes.
FEW_ROWS = SweepPreset(
    say("64 rows"),
    say(
        "N from 64 to 1024, as small as the interpreter needs it: how the error of each result"
        " grows with the row."
    ),
    SweepRequest(
        base=RunRequest(m=64),
        axes=(Axis(name="n", values=(64, 128, 256, 512, 768, 1024)),),
        providers=("torch",),
    ),
)
PRESETS = (
    TUTORIAL,
    SweepPreset(
        say("BLOCK_SIZE × warps"),
        say("Which block and how many warps the forward pass is fastest with, as a heat map."),
        SweepRequest(
            base=RunRequest(m=4096, n=8192),
            axes=(
                Axis(name="block_size", values=(256, 512, 1024, 2048, 4096, 8192, 16384)),
                Axis(name="num_warps", values=(1, 2, 4, 8, 16, 32)),
            ),
        ),
    ),
    SweepPreset(
        say("GROUP_SIZE_M"),
        say(
            "Fewer buffers mean more waiting, more buffers a longer second stage, and either way"
            " another rounding of dw and db."
        ),
        SweepRequest(
            base=RunRequest(m=4096, n=8192),
            axes=(
                Axis(
                    name="group_size_m", values=(1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512)
                ),
            ),
        ),
    ),
    FEW_ROWS,
)
