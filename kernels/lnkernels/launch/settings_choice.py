"""Which settings a launch gets: those tuned on this machine, else measured ones where the device class has a table, else derived
from the device's limits. What somebody took over is kept, and what hangs together with it follows. The strategy that `auto`
stands for likewise: the one that was the faster on this machine, else the table's, else the one that the limits speak for.

Needs only the standard library, as the files of the single strategies do: `settings_rows`, `settings_split`, `settings_forward`,
and what they share in `settings_shared`. Settings depend on N and the element's size, those of the forward pass also on whether
rows are few or many. Every function takes any number, a senseless one too: `check_launch` judges.
"""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.settings import AtomicSettings
from lnkernels.launch.settings_forward import forward_settings
from lnkernels.launch.settings_rows import holds_rows, rows_settings, usual_rows
from lnkernels.launch.settings_shared import NO_WISHES, reduce_settings, taken_or
from lnkernels.launch.settings_split import split_settings, usual_split
from lnkernels.launch.shapes import DTYPE_BYTES, next_power_of_two
from lnkernels.launch.tuned import StrategyEntry
from lnkernels.launch.tuned_choice import read_again, tuned_entry


@lru_cache(maxsize=1024)
def atomic_settings(n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> AtomicSettings:
    """Strategy `atomic`: as `locked` is launched by the tutorial's heuristics."""
    block = next_power_of_two(n)
    return AtomicSettings(
        block_n=block,
        num_warps=taken_or(wished.num_warps, max(1, min(16, block // 512))),
        reduce=reduce_settings(limits, wished),
    )


def automatic_strategy(n: int, dtype: str, limits: DeviceLimits) -> str:
    """What `auto` stands for with rows of `n` elements: persistent or split.

    A comparison on this machine holds for the rows for which the settings hold that it was made with.
    """
    size = DTYPE_BYTES[dtype]

    def untuned(width: int) -> object:
        return holds_rows(width, dtype, limits), usual_rows(width, size, limits), usual_split(width, size, limits)

    compared: StrategyEntry | None = tuned_entry(StrategyEntry, n, size, limits, untuned)
    if compared is not None:
        return compared.strategy
    return "persistent" if holds_rows(n, dtype, limits) else "split"


def choose_again() -> None:
    """Read the tuned settings anew, after they have changed, and forget what was chosen."""
    read_again()
    for chosen in (reduce_settings, rows_settings, split_settings, forward_settings, atomic_settings):
        chosen.cache_clear()
