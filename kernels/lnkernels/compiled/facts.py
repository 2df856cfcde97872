"""A request to compile, and the facts that come back. Needs only the standard library."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lnkernels.launch import LaunchConfig, Occupancy
from lnkernels.values.compiled import KernelFacts

STAGES = ("ttir", "ttgir", "llir", "ptx", "sass")
# The kernels' functions, and their names in `lnkernels.launch.grids`.
KERNELS = {
    "forward_kernel": "forward",
    "stage1_kernel": "backward_stage1",
    "stage2_kernel": "backward_stage2",
    "whole_rows_kernel": "forward",
    "wide_row_kernel": "forward",
    "row_in_blocks_kernel": "forward",
    "rows_kernel": "backward_stage1",
    "rows_in_blocks_kernel": "backward_stage1",
    "split_kernel": "backward_stage1",
    "atomic_kernel": "backward_stage1",
    "sum_partials_kernel": "backward_stage2",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """Which kernels to compile, for what. Tensors are taken as contiguous and aligned, as the project's inputs are."""

    m: int
    n: int
    dtype: str  # of x, dy, y and dx
    launch: LaunchConfig
    architecture: str  # such as "sm_90"
    weight_dtype: str | None = None  # None is that of x
    with_weight: bool = True
    with_bias: bool = True
    stages: tuple[str, ...] = ()  # of STAGES: which texts to give besides the facts

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "CompileRequest":
        """The request behind plain values.

        Raises:
            ValueError: a field is missing, unknown or not possible; the message names it.
        """
        try:
            fields = {**document, "launch": LaunchConfig(**document["launch"])}
            fields["stages"] = tuple(document.get("stages", ()))
            request = cls(**fields)
        except (KeyError, TypeError) as error:
            raise ValueError(f"the request to compile is incomplete or has an unknown field: {error}") from error
        unknown = [stage for stage in request.stages if stage not in STAGES]
        if unknown:
            raise ValueError(f"stages = {', '.join(unknown)} is not possible: choose of {', '.join(STAGES)}")
        return request


def facts_from_json(document: Mapping[str, Any]) -> KernelFacts:
    """The facts behind the plain values that `asdict` gives."""
    known = document["occupancy"]
    occupancy = None if known is None else Occupancy(**known)
    return KernelFacts(**{**document, "grid": tuple(document["grid"]), "occupancy": occupancy})


def resource_usage(listing: str) -> tuple[int, int]:
    """Registers and stack bytes a thread, from what `cuobjdump -res-usage` prints about one kernel.

    Raises:
        ValueError: the listing names neither.
    """
    found = re.search(r"\bREG:(\d+)\s+STACK:(\d+)", listing)
    if found is None:
        raise ValueError(f"cuobjdump gave no resource usage, but {listing.strip()!r}")
    return int(found[1]), int(found[2])
