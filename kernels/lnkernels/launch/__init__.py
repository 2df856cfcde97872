"""Launch settings as values: what a launch needs to know, decided without a GPU and without torch.

Everything here is pure and needs only the standard library, so the window, the command line and the
kernels' own launchers share one table of settings, one set of heuristics, one set of refusals and
one memory estimate. This file has all strategies by name, and what is asked of a launch whatever
its strategy: to be chosen, judged, and told what it costs.
"""

import re
from dataclasses import replace
from functools import lru_cache

from lnkernels.launch.atomic import Atomic
from lnkernels.launch.forward import turn_after
from lnkernels.launch.limits import (
    DTYPE_BYTES,
    DTYPES,
    KNOWN_DEVICES,
    NORMS,
    USUAL_LIMITS,
    DeviceLimits,
    Occupancy,
    ceil_div,
    is_power_of_two,
    known_limits,
    limits_for_architecture,
    masked_lanes,
    next_power_of_two,
    occupancy,
    split_norm,
    with_residual,
)
from lnkernels.launch.locked import Locked
from lnkernels.launch.persistent import Persistent, holds_rows, usual_rows
from lnkernels.launch.settings import (
    AUTOMATIC,
    SETTING,
    SETTINGS,
    Launch,
    LaunchWish,
    Parameter,
    Problem,
    Trait,
)
from lnkernels.launch.split import Split, usual_split
from lnkernels.launch.strategy import Asked, LaunchedStrategy, Strategy, check_ranges, may_overlap
from lnkernels.launch.tuned import StrategyEntry, forget_what_was_read, tuned_entry
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import say

# What the files of this folder offer to everybody, beside what is defined here.
__all__ = [
    "AUTOMATIC",
    "DTYPES",
    "DTYPE_BYTES",
    "KNOWN_DEVICES",
    "NORMS",
    "PROVIDER_NAME",
    "SETTING",
    "SETTINGS",
    "USUAL_LIMITS",
    "DeviceLimits",
    "Launch",
    "LaunchWish",
    "Occupancy",
    "Parameter",
    "Problem",
    "Strategy",
    "ceil_div",
    "is_power_of_two",
    "known_limits",
    "limits_for_architecture",
    "masked_lanes",
    "next_power_of_two",
    "occupancy",
    "split_norm",
    "with_residual",
]
PROVIDER_NAME = r"[\w.=-]{1,60}"
FLUSH_BYTES = 256 << 20  # the buffer that timing writes to empty the L2 cache
CHECK_CHUNK_BYTES = 256 << 20  # the accuracy check walks rows in chunks of about this size


class _Automatic(Strategy):
    """A wish and no launch: the strategy that is taken to be the fastest."""

    name = "auto"
    summary = say(
        "persistent where a row's sums fit a program's registers, split beyond; the same bits from"
        " run to run."
    )
    deterministic = True
    traits = Persistent.traits & Split.traits | {Trait.ORDERED}

    def choose(self, asked: Asked) -> Launch:
        usual = automatic_strategy(asked)
        return LAUNCHED["persistent" if asked.wish.invariant else usual].choose(asked)


# In the order in which they are listed everywhere. The kernels of a new one are
# `lnkernels.passes.<name>`.
LAUNCHED: dict[str, LaunchedStrategy] = {
    one.name: one for one in (Locked(), Persistent(), Split(), Atomic())
}
CATALOGUE: dict[str, Strategy] = {**LAUNCHED, "auto": _Automatic()}
STRATEGIES = tuple(CATALOGUE)


def automatic_strategy(asked: Asked) -> str:
    """Return the strategy that `auto` takes for rows of n elements: persistent or split.

    A comparison on this machine holds for the rows for which the settings hold that it was made
    with.
    """

    def untuned(asked: Asked) -> object:
        held = holds_rows(asked.n, asked.dtype, asked.limits)
        return held, usual_rows(asked), usual_split(asked)

    compared: StrategyEntry | None = tuned_entry(StrategyEntry, asked, untuned)
    if compared is not None:
        return compared.strategy
    return "persistent" if holds_rows(asked.n, asked.dtype, asked.limits) else "split"


@lru_cache(maxsize=1024)
def resolve_launch(
    n: int,
    dtype: str,
    wish: LaunchWish | None = None,
    limits: DeviceLimits = USUAL_LIMITS,
    *,
    m: int | None = None,
) -> Launch:
    """Decide what `wish` leaves open.

    Settings are those tuned on this machine, else measured ones where the device class has a table,
    else derived from the device's limits. What somebody took over is taken as it is, and what hangs
    together with it follows; `check_launch` judges.

    Args:
        n: columns of a row, at least 1.
        dtype: element type of x, one of DTYPES.
        wish: a strategy and settings that somebody took over.
        limits: the device, on which the grids of all strategies but locked depend.
        m: rows, on whose number they depend; None for settings of few.
    """
    wish = wish or LaunchWish()
    strategy, asked = CATALOGUE.get(wish.strategy), Asked(n, dtype, limits, wish, m)
    if strategy is None:  # refused by `check_launch`
        return replace(CATALOGUE["locked"].choose(asked), strategy=wish.strategy)
    launch = strategy.choose(asked)
    # What a strategy does not choose, because nothing hangs together with it, is taken over all the
    # same.
    taken = {name: value for name, value in wish.given().items() if belongs(name, launch.strategy)}
    return replace(launch, **taken) if taken else launch


def reload_tuned_settings() -> bool:
    """Use settings that were tuned since this process read them; return True if there are any."""
    changed = forget_what_was_read(if_changed=True)
    if changed:
        resolve_launch.cache_clear()
    return changed


def launch_on(launch: Launch, n: int, dtype: str, limits: DeviceLimits) -> Launch:
    """Adapt a launch that was decided for one device to another: the same settings and grids, with
    what the device itself decides.
    """
    held = launch.forward_held and launch.strategy != "locked" and not launch.invariant
    return replace(
        launch,
        overlap=may_overlap(limits) and launch.strategy != "locked",
        turn_after=(
            turn_after(n * DTYPE_BYTES[dtype], launch.forward_num_warps, limits) if held else 0
        ),
    )


def own_settings(launch: Launch) -> dict[str, int | str | bool]:
    return {name: getattr(launch, name) for name in SETTING if belongs(name, launch.strategy)}


def as_wish(launch: Launch) -> LaunchWish:
    """Return the wish that leaves nothing of a launch open but grids that depend on the number of
    SMs.
    """
    return LaunchWish(strategy=launch.strategy, **own_settings(launch))  # type: ignore[arg-type]


def belongs(setting: str, strategy: str) -> bool:
    """Return True if a strategy has a setting. An unknown strategy has them all, because it is
    refused itself.
    """
    return strategy not in CATALOGUE or setting in CATALOGUE[strategy].settings


def foreign_settings(wish: LaunchWish) -> list[Problem]:
    problems = []
    for name, value in wish.given().items():
        if not belongs(name, wish.strategy):
            owners = " / ".join(one for one in LAUNCHED if belongs(name, one))
            allowed = say(
                "it belongs to strategy {owners}, not to {strategy}",
                owners=owners,
                strategy=wish.strategy,
            )
            problems.append(Problem(name, str(value), allowed))
    return problems


def check_launch(
    n: int, dtype: str, launch: Launch, limits: DeviceLimits | None = None
) -> list[Problem]:
    """Return everything that makes `launch` impossible for rows of `n` elements of `dtype`. Without
    limits, what depends on the device is left out.
    """
    strategy = LAUNCHED.get(launch.strategy)
    if strategy is None:
        return [
            Problem(
                "strategy",
                launch.strategy,
                say("choose one of {choices}", choices=STRATEGIES),
            )
        ]
    widest = strategy.widest(dtype)
    if widest is not None and n > widest:
        allowed = (
            say("take at most {most} columns", most=widest)
            if strategy.name == "split" or launch.invariant
            else say(
                "strategy {strategy} holds a row in one program, at most {most} columns; take split"
                " or auto",
                strategy=strategy.name,
                most=widest,
            )
        )
        return [Problem("n", str(n), allowed)]
    return check_ranges(launch, strategy.settings) or strategy.check(n, dtype, launch, limits)


def is_provider_name(name: str) -> bool:
    """Return True if a LayerNorm, a strategy or another, can have a name, which stands in commands,
    files and tables.
    """
    return re.fullmatch(PROVIDER_NAME, name) is not None


@frozen
class MemoryEstimate:
    """Bytes of device memory that a run asks for."""

    tensors: int  # x, y, dy, dx, weights, statistics
    partial_buffers: int  # partial sums of dw and db, and what programs tell each other
    check: int  # PyTorch's results, and float64 chunks
    timing: int  # the cache flush

    @property
    def total(self) -> int:
        return self.tensors + self.partial_buffers + self.check + self.timing


def grids(m: int, n: int, launch: Launch) -> dict[str, tuple[int, ...]]:
    names = ("forward", "backward_stage1", "backward_stage2")
    return dict(zip(names, LAUNCHED[launch.strategy].grids(m, n, launch), strict=True))


def buffers_in_use(m: int, launch: Launch) -> int:
    """Return the number of partial sums of dw, and of db, that m rows leave to stage 2."""
    return LAUNCHED[launch.strategy].partial_sums(m, launch)


def partial_buffer_bytes(m: int, n: int, dtype: str, launch: Launch) -> int:
    """Return the bytes of the partial sums of dw and db together, [2, buffers_in_use, n]."""
    element = 4 if launch.partial_dtype == "float32" else DTYPE_BYTES[dtype]
    return 2 * buffers_in_use(m, launch) * n * element


def memory_estimate(
    m: int, n: int, dtype: str, launch: Launch, norm: str = "layer_norm"
) -> MemoryEstimate:
    """Return the device memory that one checked and timed run of x [m, n] takes."""
    element = DTYPE_BYTES[dtype]
    matrix = m * n * element
    exchange = LAUNCHED[launch.strategy].exchange_bytes(m, launch)
    return MemoryEstimate(
        # x, y and their gradients; of a sum the residual, the sum, and the sum's gradient
        tensors=(7 if split_norm(norm)[1] else 4) * matrix + 4 * n * element + 2 * m * 4,
        partial_buffers=partial_buffer_bytes(m, n, dtype, launch) + exchange,
        check=2 * matrix + 4 * min(CHECK_CHUNK_BYTES, 8 * m * n),
        timing=FLUSH_BYTES,
    )
