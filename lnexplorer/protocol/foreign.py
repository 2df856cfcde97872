"""Bounds of the numbers, names and lengths in values from files and other machines.

A number that is shown, multiplied or divided by may not be any number. msgspec checks the bounds
while it decodes a value as a struct that has the fields of its class, with narrower types. Bounds
go by the names of fields, which end in their unit.
"""

from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from msgspec import Meta

from lnexplorer.domain.experiments.catalogue import findings_class
from lnexplorer.domain.experiments.experiment import MOST_RANKS, ExperimentRequest, Findings
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.protocol.codec import WireArray, decoding, from_wire
from lnkernels.launch import PROVIDER_NAME, Launch, LaunchWish
from lnkernels.launch.settings import MAX_GROUP_SIZE_M
from lnkernels.values import Sentence

# Forms, whose values are checked where they are used, as typed ones are.
FORMS = (RunRequest, LaunchWish, Launch, ExperimentRequest, SweepRequest, Axis)
MOST_ENTRIES = Meta(max_length=1 << 16)  # of any tuple or dict
LARGE = 1e38
COUNT = Meta(ge=0, le=1 << 40)
SOME = Meta(ge=1, le=1 << 31)
SMALL = Meta(ge=0, le=1 << 16)
BLOCK = Meta(ge=1, le=1 << 20)
ROWS = Meta(ge=1, le=BY_NAME["m"].maximum)
COLUMNS = Meta(ge=1, le=BY_NAME["n"].maximum)
GROUP = Meta(ge=1, le=MAX_GROUP_SIZE_M)
TIME = Meta(ge=0, le=3_600_000_000_000)  # ns: no reduction takes an hour
DURATION = Meta(gt=0, le=3.6e12)  # that something is divided by
SPEED = Meta(gt=0, le=LARGE)  # divided by, or drawn on a logarithmic axis
SHARE = Meta(ge=0, le=LARGE)
ANY = Meta(ge=-LARGE, le=LARGE)
NAME = Meta(pattern=rf"\A{PROVIDER_NAME}\Z")  # as it stands in commands and scripts
UNITS = {
    "ns": TIME,
    "us": SPEED,
    "ms": SHARE,
    "seconds": Meta(ge=0, le=3.2e9),  # no sweep takes a hundred years
    "gbps": SHARE,
    "percent": SHARE,
    "bytes": COUNT,
    "zeros": COUNT,
}
# Bounds, and the fields that have them: by name, or behind the name of their class where a field of
# another class has other bounds.
BOUNDED = (
    (ROWS, "m"),
    (COLUMNS, "n traced_n"),
    (GROUP, "group_size_m fitted_to"),
    (BLOCK, "tile_block_m tile_block_n"),
    # A simulation has so many programs, and takes memory for each.
    (BLOCK, "resident_programs sm_count"),
    (DURATION, "tick_ns plain_ns traced_ns"),
    (TIME, "hold_slowdown jitter tile_jitter"),
    (ANY, "time_ns stretch_ns log10_edges"),
    (SPEED, "ms p20_ms p50_ms p80_ms forward_ms backward_ms ms_float32 ms_same"),
    (SPEED, "one_shot_gbps ring_gbps StrategyRow.gbps Interval.value"),
    (SHARE, "samples_ms host_us share share_of_ceiling spread uncorrelated x y"),
    (SHARE, "one_shot_error nccl_error"),
    (Meta(ge=0, le=1), "share_of_warps p"),
    (Meta(ge=-1, le=1), "correlations"),
    (SMALL, "sm tile_sm registers"),
    (SOME, "grid repetitions runs distinct blocks bytes StrategyTimeline.rows Invariance.rows"),
    (COUNT, "samples by_reason bytes_float32 bytes_same row_start column_start columns at"),
    (COUNT, "elements instructions fewest most wrong_runs wrong_dw wrong_db"),
    (COUNT, "StrategyRow.runs ErrorMap.rows ErrorHistogram.kernel ErrorHistogram.torch"),
    (Meta(ge=0), "eps"),
    (Meta(ge=1, le=64), "num_warps"),
    (Meta(ge=0, le=128), "programs_per_sm"),
    (Meta(ge=0, le=MOST_RANKS - 1), "rank"),
    (Meta(ge=2, le=MOST_RANKS), "ranks"),
    (NAME, "strategy strategies Cell.provider BitsSide.name"),
    (NAME, "RunResult.providers SweepRequest.providers"),
)
BOUNDS = {name: bounds for bounds, names in BOUNDED for name in names.split()}


def check_bounds(data: bytes, kind: type) -> None:
    """Raise a DecodeError if a number, a name or a length in an encoded value is out of bounds."""
    with decoding():
        _decoder(kind).decode(data)


@cache
def _decoder(kind: type) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(_bounded_class(kind), dec_hook=_check_part)


@cache
def _bounded_class(kind: type) -> type:
    bounded = []
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is ClassVar:
            continue
        bounds = BOUNDS.get(f"{kind.__name__}.{name}") or BOUNDS.get(name)
        bounds = bounds or UNITS.get(name.rpartition("_")[2])
        if kind in FORMS and bounds is not NAME:
            bounds = None
        bounded.append((name, _bounded_type(hint, bounds), None))
    return msgspec.defstruct(kind.__name__, bounded)


def _bounded_type(hint: Any, bounds: Meta | None) -> Any:
    origin = get_origin(hint)
    if hasattr(origin, "__value__"):  # NDArray of numpy 2.5 is a type alias, from Python 3.12 on
        return _bounded_type(origin.__value__[get_args(hint)], bounds)
    if origin is np.ndarray:
        return type("_Array", (_BoundedArray,), {"hint": hint, "bounds": bounds})
    if origin in (Union, UnionType, tuple, dict):
        parts = tuple(
            part if part is ... else _bounded_type(part, bounds) for part in get_args(hint)
        )
        if origin in (Union, UnionType):
            return Union[parts]  # noqa: UP007 - of a tuple
        bounded = origin[parts]
        return Annotated[bounded, MOST_ENTRIES] if origin is dict or ... in parts else bounded
    if is_dataclass(hint) and hint is not Sentence:
        return _bounded_class(hint)  # type: ignore[arg-type]  # no instance
    fits = bounds is not None and hint in ((str,) if bounds.pattern else (int, float))
    return Annotated[hint, bounds] if fits else hint


def _check_part(kind: Any, value: Any) -> Any:
    """Check what msgspec does not decode by itself: findings, and the elements of an array."""
    if kind is Findings:
        bounded = _bounded_class(findings_class(value))  # type: ignore[arg-type]  # no instance
        msgspec.convert(value, bounded, dec_hook=_check_part)
    return kind()


class _BoundedArray(WireArray):
    """An array on the wire that checks its elements; as a list they would take far more memory."""

    hint: ClassVar[Any] = None
    bounds: ClassVar[Meta | None] = None

    def __post_init__(self) -> None:
        array, bounds = from_wire(self.hint, self), self.bounds
        if bounds is not None and not ((array >= bounds.ge) & (array <= bounds.le)).all():
            raise ValueError(f"Expected elements from {bounds.ge:g} to {bounds.le:g}")
