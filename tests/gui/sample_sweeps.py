"""Rows of sweeps, invented: smooth speeds with noise, and some settings with which something is
wrong.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from lnexplorer.domain.request import check, resolve
from lnexplorer.domain.sweep.cells import Cell, CellResult, all_cells
from lnexplorer.domain.sweep.request import PRESETS, SweepRequest
from lnkernels.launch import Occupancy
from lnkernels.values.accuracy import TensorErrors
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import Sentence, say
from tests.sample_results import figure_of, make_environment

MAP, GROUPS = (preset.sweep for preset in PRESETS[1:3])
TOTAL_BYTES = 3 * 4096 * 8192 * 2


def invented_rows(sweep: SweepRequest, gpu: str | None = "NVIDIA H200") -> list[CellResult]:
    """A row for every cell. GROUP_SIZE_M = 2 is wrong, 32 warps find no room, BLOCK_SIZE = 256
    takes too long.
    """
    return list(_all_rows(sweep, gpu))


@cache
def _all_rows(sweep: SweepRequest, gpu: str | None) -> tuple[CellResult, ...]:
    return tuple(invented_row(sweep, cell, gpu) for cell in all_cells(sweep))


def invented_row(sweep: SweepRequest, cell: Cell, gpu: str | None = "NVIDIA H200") -> CellResult:
    """Invent the row of a cell."""
    request = cell.request
    launch = request.launch
    problems = check(request, "cuda")
    row = CellResult(
        cell=cell,
        status="ok",
        reason=None,
        device="cuda:0" if gpu else "interpreter",
        kind=Kind.MEASURED if gpu else Kind.INTERPRETED,
        environment=make_environment(gpu),
        resolved=None if problems else resolve(request, "cuda"),
    )

    def failed(status: str, reason: Sentence) -> CellResult:
        return replace(row, status=status, reason=reason)

    if problems:
        return failed("invalid", say("{problems}", problems="; ".join(map(str, problems))))
    if launch.group_size_m == 2:
        wrong = failed("incorrect", say("dw is beyond its tolerance."))
        return replace(wrong, errors=_errors(cell, passed=False))
    if launch.num_warps == 32 and launch.block_size is not None and launch.block_size < 2048:
        return failed("out_of_resources", say("It takes more registers than there are."))
    if launch.num_warps == 1 and launch.block_size == 256:
        return failed("timed_out", say("Its compilation took longer than 60 s."))
    ways = [(direction, mode) for direction in sweep.directions for mode in sweep.modes]
    return replace(
        row,
        figures=tuple(_figure(cell, *way) for way in ways if gpu),
        errors=_errors(cell, passed=True),
        compiled=_compiled(cell),
    )


def _figure(cell: Cell, direction: str, mode: str) -> Figure:
    launch = cell.request.launch
    n = cell.request.n or 8192

    def slower(share: float, value: int, best: int) -> float:
        return 1 + share * abs(np.log2(value / best))

    if cell.peer:
        speed = 1450 * n / (n + 700)
    else:
        speed = 2200 * n / (n + 3000)
        speed /= slower(0.15, launch.num_warps or 8, 8)
        speed /= slower(0.1, launch.group_size_m or 64, 96)
        speed /= slower(0.12, launch.block_size or 4096, 2048)
        speed *= 0.9 if n > 8192 else 1.0
    speed *= 1.4 if direction == "forward" else 1.0
    rng = np.random.default_rng(cell.number)
    samples = TOTAL_BYTES / speed / 1e6 * (1 + 0.03 * rng.gamma(2.0, 0.5, 60))
    gbps = TOTAL_BYTES / float(np.median(samples)) / 1e6
    host_us = 30.0 if mode == "autograd" else None
    return figure_of(
        samples, gbps, cell.provider, direction, mode, share=gbps / 3800, host_us=host_us
    )


def _errors(cell: Cell, *, passed: bool) -> tuple[TensorErrors, ...]:
    group = cell.request.launch.group_size_m or 64
    size = 2e-3 / np.sqrt(group) if passed else 1.0
    return tuple(
        TensorErrors(
            name=name, max_abs=float(size), torch_max_abs=1e-3, tolerance=1e-2, passed=passed
        )
        for name in ("y", "dx", "dw", "db")
    )


def _compiled(cell: Cell) -> tuple[KernelFacts, ...]:
    warps = cell.request.launch.num_warps or 8
    return tuple(
        KernelFacts(
            name=name,
            architecture="sm_90",
            grid=(4096, 1, 1),
            num_warps=warps,
            registers=min(255, 24 + 512 // warps),
            spill_bytes=0,
            shared_bytes=128,
            occupancy=Occupancy(
                programs_per_sm=2, limited_by="registers", share_of_warps=warps / 32
            ),
        )
        for name in ("forward", "backward_stage1", "backward_stage2")
        if not cell.peer
    )
