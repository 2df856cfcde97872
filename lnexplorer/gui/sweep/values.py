"""What is read off a cell: speed, share of the ceiling, error, wait for the lock, registers, occupancy. No Qt."""

from dataclasses import dataclass

from lnexplorer.domain import wording
from lnexplorer.domain.sweep.cells import CellResult
from lnkernels.values.figures import Figure

QUANTITIES = ("gbps", "share", "error", "wait", "registers", "occupancy")
# What stands for the error of a pass. dx does not depend on how dw and db are summed, which is what settings change.
TENSORS = {"forward": ("y",), "backward": ("dw", "db")}
# Percentiles of a speed come from the opposite ones of the time.
Spread = tuple[float, float, float]  # value, low, high


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at."""

    quantity: str = "gbps"  # one of QUANTITIES
    direction: str = "backward"
    mode: str = "kernel_cold"


def value_of(result: CellResult, view: View) -> Spread | None:
    """The value of a cell with its 20th and 80th percentile, where these mean something; None where there is none."""
    match view.quantity:
        case "gbps" | "share":
            figure = result.figure(view.direction, view.mode)
            return None if figure is None or result.status != "ok" else _speed(figure, view.quantity)
        case "error":
            found = [error.max_abs for name in TENSORS[view.direction] if (error := result.error(name)) is not None]
            return (max(found),) * 3 if found and result.status == "ok" else None
        case "wait":
            return None if result.wait_ns is None else (result.wait_ns / 1e3,) * 3
        case _:
            return _compiled(result, view)


def text_of(value: float, quantity: str) -> str:
    """A value as it stands in a cell."""
    match quantity:
        case "gbps":
            return wording.gbps(value)
        case "share" | "occupancy":
            return wording.share(value)
        case "error":
            return wording.error(value)
        case "wait":
            return f"{wording.significant(value, 3)} µs"
        case _:
            return f"{value:.0f}"


def _speed(figure: Figure, quantity: str) -> Spread | None:
    value = figure.gbps if quantity == "gbps" else figure.share_of_ceiling
    if value is None or not figure.p80_ms or not figure.p20_ms:
        return None
    return value, value * figure.p50_ms / figure.p80_ms, value * figure.p50_ms / figure.p20_ms


def _compiled(result: CellResult, view: View) -> Spread | None:
    own = [facts for facts in result.compiled if facts.name.startswith(view.direction)]
    if view.quantity == "registers":
        most = max((float(facts.registers) for facts in own if facts.registers is not None), default=None)
        return None if most is None else (most, most, most)
    least = min((facts.occupancy.share_of_warps for facts in own if facts.occupancy is not None), default=None)
    return None if least is None else (least, least, least)
