"""The strategies: what each is in a sentence, whether its sums are the same in every run, and which settings belong to it."""

from dataclasses import dataclass, fields

from lnkernels.launch.config import LaunchOverrides, Problem

_STAGE2 = frozenset(("reduce_block_size_m", "reduce_block_size_n", "reduce_num_warps"))
_FORWARD = frozenset(
    ("block_size", "forward_rows", "forward_num_warps", "forward_held", "forward_num_stages", "forward_grid_per_sm")
)
_RESIDENT = _FORWARD | _STAGE2 | {"block_size_n", "programs_per_sm", "num_warps", "num_stages"}


@dataclass(frozen=True, slots=True)
class Strategy:
    """What a name stands for."""

    summary: str
    deterministic: bool  # the same bits from run to run on one device
    settings: frozenset[str]  # fields of LaunchOverrides that somebody may take over


CATALOGUE = {
    "locked": Strategy(
        "Rows add into GROUP_SIZE_M buffers, each behind a spin lock; the last bits of dw and db differ from run to run.",
        deterministic=False,
        settings=_STAGE2 | {"block_size", "block_size_n", "group_size_m", "num_warps", "num_stages", "partial_dtype", "barrier"},
    ),
    "persistent": Strategy(
        "A grid that fills the GPU once walks all rows, sums in registers: no locks, the same bits from run to run.",
        deterministic=True,
        settings=_RESIDENT | {"rows", "sums_per_row"},
    ),
    "split": Strategy(
        "For wide rows: several programs share a row and exchange its sums; no locks, the same bits from run to run.",
        deterministic=True,
        settings=_RESIDENT | {"slices"},
    ),
    "atomic": Strategy(
        "Every row adds straight to dw and db by atomics, for comparison; the last bits differ from run to run.",
        deterministic=False,
        settings=_FORWARD | {"num_warps", "reduce_block_size_n", "reduce_num_warps"},
    ),
    "auto": Strategy(
        "persistent where a row's sums fit a program's registers, split beyond; the same bits from run to run.",
        deterministic=True,
        settings=_RESIDENT,
    ),
}
STRATEGIES = tuple(CATALOGUE)


def belongs(setting: str, strategy: str) -> bool:
    """Whether a strategy has a setting; one that is not known has them all, for it is refused itself."""
    return strategy not in CATALOGUE or setting in CATALOGUE[strategy].settings


def foreign_settings(wished: LaunchOverrides) -> list[Problem]:
    """What somebody took over that the wished strategy does not have."""
    strategy = wished.strategy or "locked"
    problems = []
    for field in fields(LaunchOverrides):
        value = getattr(wished, field.name)
        if field.name != "strategy" and value is not None and not belongs(field.name, strategy):
            owners = " / ".join(name for name in STRATEGIES if name != "auto" and belongs(field.name, name))
            problems.append(Problem(field.name, str(value), f"it belongs to strategy {owners}, not to {strategy}"))
    return problems
