"""From a strategy's name to everything that it launches, and back and forth between that and a LaunchConfig."""

from dataclasses import dataclass, replace
from functools import lru_cache

from lnkernels.launch.config import LaunchConfig, LaunchOverrides
from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.settings import AtomicSettings, ForwardSettings, RowsSettings, SplitSettings
from lnkernels.launch.settings_choice import atomic_settings, automatic_strategy, choose_again
from lnkernels.launch.settings_forward import forward_settings, has_many_rows
from lnkernels.launch.settings_rows import rows_settings, sums_per_sm
from lnkernels.launch.settings_shared import NO_WISHES
from lnkernels.launch.settings_split import split_settings
from lnkernels.launch.strategies import CATALOGUE
from lnkernels.launch.tuned_choice import tuned_file_changed

Backward = RowsSettings | SplitSettings | AtomicSettings


@dataclass(frozen=True, slots=True)
class Chosen:
    """Everything decided for one row length, dtype and device. It is right for any number of rows, and best for the one given."""

    strategy: str  # persistent, split or atomic
    forward: ForwardSettings
    backward: Backward


@lru_cache(maxsize=1024)
def choose(
    strategy: str, n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES, *, m: int | None = None
) -> Chosen:
    """What a strategy without locks launches for rows of n elements. `check_launch` says whether that is possible.

    Args:
        strategy: one of `lnkernels.launch.STRATEGIES` but locked.
        n: columns of a row.
        dtype: of x, one of DTYPES.
        limits: the device's.
        wished: settings that somebody took over; what does not belong to the strategy is not looked at.
        m: rows, if their number is known: the forward pass differs for few and many, and more rows allow more partial sums.
    """
    if strategy == "auto":
        strategy = automatic_strategy(n, dtype, limits)
    backward: Backward
    match strategy:
        case "persistent":
            backward = rows_settings(n, dtype, limits, wished, most_per_sm=sums_per_sm(m, dtype, limits))
        case "split":
            backward = split_settings(n, dtype, limits, wished)
        case "atomic":
            backward = atomic_settings(n, limits, wished)
        case _:
            raise ValueError(f"strategy = {strategy} has no settings of this kind")
    return Chosen(strategy, forward_settings(n, dtype, limits, wished, many_rows=has_many_rows(m)), backward)


def look_again() -> bool:
    """Have settings that were tuned since this process read them used from now on; whether there are any."""
    if not tuned_file_changed():
        return False
    choose_again()
    choose.cache_clear()
    return True


def chosen_again(launch: LaunchConfig, n: int, dtype: str, limits: DeviceLimits) -> Chosen:
    """What `launch` was made of by `as_launch`. Its grids stay those of the device that it was decided for."""
    own = CATALOGUE[launch.strategy].settings
    chosen = choose(launch.strategy, n, dtype, limits, LaunchOverrides(**{name: getattr(launch, name) for name in own}))
    forward = replace(chosen.forward, programs=launch.forward_programs or None, held=launch.forward_held)
    match chosen.backward:
        case RowsSettings() as rows:
            return replace(chosen, forward=forward, backward=replace(rows, programs=launch.programs, block_n=launch.block_size_n))
        case SplitSettings() as shared:
            groups = max(launch.programs // launch.slices, 1)
            return replace(chosen, forward=forward, backward=replace(shared, slices=launch.slices, groups=groups))
        case _:
            return replace(chosen, forward=forward)


def as_launch(chosen: Chosen, sm_count: int) -> LaunchConfig:
    """The settings as one flat value.

    Args:
        chosen: by `choose`, or put together by hand.
        sm_count: SMs of the device that it was chosen for.
    """
    forward, backward = chosen.forward, chosen.backward
    programs, programs_per_sm, rows, slices = 0, 0, 1, 1
    match backward:
        case RowsSettings():
            programs, rows = backward.programs, backward.rows
            programs_per_sm = programs // max(sm_count, 1)
        case SplitSettings():
            programs, slices = backward.groups * backward.slices, backward.slices
            programs_per_sm = backward.programs_per_sm
    return LaunchConfig(
        strategy=chosen.strategy,
        block_size=forward.block_n,
        block_size_n=backward.block_n,
        group_size_m=0,
        reduce_block_size_m=backward.reduce.block_m,
        reduce_block_size_n=backward.reduce.block_n,
        num_warps=backward.num_warps,
        reduce_num_warps=backward.reduce.num_warps,
        num_stages=1 if isinstance(backward, AtomicSettings) else backward.num_stages,
        partial_dtype="float32",
        barrier=True,
        rows=rows,
        programs_per_sm=programs_per_sm,
        programs=programs,
        slices=slices,
        forward_rows=forward.rows,
        forward_num_warps=forward.num_warps,
        forward_programs=forward.programs or 0,
        forward_held=forward.held,
        forward_num_stages=forward.num_stages,
        forward_grid_per_sm=(forward.programs or 0) // max(sm_count, 1),
        sums_per_row=backward.sums_per_row if isinstance(backward, RowsSettings) else None,
    )
