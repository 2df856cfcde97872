"""What of a row can be drawn: speeds, errors, and what the compiler made of the kernels. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.result import TENSORS, Figure
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.result import CellResult


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a row."""

    name: str
    label: str
    unit: str = ""
    higher_is_better: bool = False


# Of a pass: the kernels' speed in one way of calling.
SPEEDS = (
    Quantity("gbps", "throughput", "GB/s", higher_is_better=True),
    Quantity("counted_gbps", "throughput, all bytes", "GB/s", higher_is_better=True),
    Quantity("share_of_ceiling", "share of ceiling", higher_is_better=True),
    Quantity("p50_ms", "median time", "ms"),
)
# Of the whole setting: the largest absolute error of kernel − truth. Those beyond their tolerance have it, too.
ERRORS = tuple(Quantity(f"{tensor}_error", f"largest error of {tensor}") for tensor in TENSORS)
# Of a pass: the kernel that takes most registers, and the one of which fewest programs fit an SM.
COMPILED = (
    Quantity("registers", "registers per thread"),
    Quantity("spill_bytes", "spilled per thread", "B"),
    Quantity("occupancy", "programs per SM", higher_is_better=True),
)
# Of stage 1 of the backward pass, where the sweep asked for traces.
LOCK_WAIT = Quantity("lock_wait_us", "mean wait of a row for its lock", "µs")
QUANTITIES = {quantity.name: quantity for quantity in (*SPEEDS, *ERRORS, *COMPILED, LOCK_WAIT)}
KERNELS = {"forward": ("forward",), "backward": ("backward_stage1", "backward_stage2")}


def value_of(result: CellResult, quantity: str, direction: str, mode: str = "kernel_cold") -> float | None:
    """The number of a row; None where it has none.

    Args:
        result: the row.
        quantity: a key of QUANTITIES.
        direction: "forward" or "backward"; errors and waits do not depend on it.
        mode: one of MODES; only speeds depend on it.

    Raises:
        KeyError: there is no such quantity.
    """
    known = QUANTITIES[quantity]
    if known in ERRORS:
        error = result.error(quantity.removesuffix("_error"))
        return None if error is None else error.max_abs
    if known in COMPILED:
        return _of_kernels(result, quantity, direction)
    if known is LOCK_WAIT:
        return None if result.wait_ns is None else result.wait_ns / 1e3
    figure = result.figure(direction, mode) if result.status == "ok" else None
    return None if figure is None else _of_figure(figure, quantity)


def grid(
    sweep: SweepRequest, results: Iterable[CellResult], provider: str, quantity: str, direction: str, mode: str = "kernel_cold"
) -> NDArray[np.float64]:
    """A quantity over the axes, [values of the first axis, values of the second]; NaN where there is none (yet).

    Args:
        sweep: one with one or two axes; with one, the second dimension is 1.
        results: its rows so far. Of rows of unlike hardware give only those of one.
        provider: the strategy.
        quantity: a key of QUANTITIES.
        direction: as in `value_of`.
        mode: as in `value_of`.
    """
    shape = [len(axis.values) for axis in sweep.axes]
    found = np.full((*shape, *[1] * (2 - len(shape))), np.nan)
    for result in results:
        value = value_of(result, quantity, direction, mode) if result.cell.provider == provider else None
        if value is not None:
            found[(*result.cell.point, *[0] * (2 - len(shape)))] = value
    return found


def _of_figure(figure: Figure, quantity: str) -> float | None:
    value = getattr(figure, quantity)
    return None if value is None else float(value)


def _of_kernels(result: CellResult, quantity: str, direction: str) -> float | None:
    facts = [each for each in result.compiled if each.name in KERNELS[direction]]
    if quantity == "occupancy":
        programs = [each.occupancy.programs_per_sm for each in facts if each.occupancy is not None]
        return float(min(programs)) if programs else None
    values = [value for each in facts if (value := getattr(each, quantity)) is not None]
    return float(max(values)) if values else None
