"""Bounds of values from files: what is shown, multiplied or divided by cannot be any number.

msgspec checks them while it decodes a value as a struct with the fields of its class and narrower
types. Bounds go by the names of fields, which end in their unit.
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
from lnexplorer.protocol.codec import DecodeError, WireArray, from_wire
from lnkernels.launch import PROVIDER_NAME, Launch, LaunchWish
from lnkernels.launch.settings import MAX_GROUP_SIZE_M
from lnkernels.values import Sentence

# What a form asks for is checked as it is when somebody types it.
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
# By the name of a field, or by that with its class where another field of that name differs.
BOUNDS = {
    "m": ROWS,
    "n": COLUMNS,
    "traced_n": COLUMNS,
    "eps": Meta(ge=0),
    "tile_block_m": BLOCK,
    "tile_block_n": BLOCK,
    "group_size_m": GROUP,
    "fitted_to": GROUP,
    "tick_ns": DURATION,
    "plain_ns": DURATION,
    "traced_ns": DURATION,
    "time_ns": ANY,
    "stretch_ns": ANY,
    "log10_edges": ANY,
    "sm": SMALL,
    "tile_sm": SMALL,
    "registers": SMALL,
    "instructions": COUNT,
    "num_warps": Meta(ge=1, le=64),
    "programs_per_sm": Meta(ge=0, le=128),
    # A simulation has so many programs, and takes memory for each.
    "resident_programs": BLOCK,
    "sm_count": BLOCK,
    "hold_slowdown": TIME,
    "jitter": TIME,
    "tile_jitter": TIME,
    **dict.fromkeys(("ms", "p20_ms", "p50_ms", "p80_ms", "forward_ms", "backward_ms"), SPEED),
    "ms_float32": SPEED,
    "ms_same": SPEED,
    "one_shot_gbps": SPEED,
    "ring_gbps": SPEED,
    "StrategyRow.gbps": SPEED,
    "Interval.value": SPEED,
    **dict.fromkeys(
        (
            "samples_ms",
            "host_us",
            "share",
            "share_of_ceiling",
            "spread",
            "uncorrelated",
            "one_shot_error",
            "nccl_error",
            "x",
            "y",
        ),
        SHARE,
    ),
    "share_of_warps": Meta(ge=0, le=1),
    "p": Meta(ge=0, le=1),
    "correlations": Meta(ge=-1, le=1),
    **dict.fromkeys(
        (
            "grid",
            "repetitions",
            "runs",
            "distinct",
            "blocks",
            "bytes",
            "StrategyTimeline.rows",
            "Invariance.rows",
        ),
        SOME,
    ),
    **dict.fromkeys(
        (
            "samples",
            "by_reason",
            "bytes_float32",
            "bytes_same",
            "row_start",
            "at",
            "column_start",
            "columns",
            "elements",
            "fewest",
            "most",
            "wrong_runs",
            "wrong_dw",
            "wrong_db",
            "StrategyRow.runs",
            "ErrorMap.rows",
            "ErrorHistogram.kernel",
            "ErrorHistogram.torch",
        ),
        COUNT,
    ),
    "rank": Meta(ge=0, le=MOST_RANKS - 1),
    "ranks": Meta(ge=2, le=MOST_RANKS),
    "strategy": NAME,
    "strategies": NAME,
    "Cell.provider": NAME,
    "BitsSide.name": NAME,
    "RunResult.providers": NAME,
    "SweepRequest.providers": NAME,
}


def check_bounds(data: bytes, kind: type) -> None:
    """Raise DecodeError where a number, a name or a length in an encoded value is out of bounds."""
    try:
        _decoder(kind).decode(data)
    except Exception as error:  # numpy answers an odd dtype with whatever its parser raises
        raise DecodeError(str(error) or type(error).__name__) from error


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
    """Check what msgspec does not decode itself: findings, and the elements of an array."""
    if kind is Findings:
        bounded = _bounded_class(findings_class(value))  # type: ignore[arg-type]  # no instance
        msgspec.convert(value, bounded, dec_hook=_check_part)
        return kind()
    return kind()


class _BoundedArray(WireArray):
    """An array of a field; a list of as many numbers would take far more memory."""

    hint: ClassVar[Any] = None
    bounds: ClassVar[Meta | None] = None

    def __post_init__(self) -> None:
        array, bounds = from_wire(self.hint, self), self.bounds
        if bounds is not None and not ((array >= bounds.ge) & (array <= bounds.le)).all():
            raise ValueError(f"Expected elements from {bounds.ge:g} to {bounds.le:g}")
