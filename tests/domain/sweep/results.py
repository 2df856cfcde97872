"""Rows of sweeps, made by hand."""

from dataclasses import replace

import numpy as np

from lnexplorer.domain.measuring import Status
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import say
from tests.sample_results import figure_of

H200 = Environment(
    date="2026-01-01T00:00:00+00:00", python="3.12", torch="2.11", triton="3.6", gpu="NVIDIA H200"
)

OVER_N = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),))
WITH_TORCH = replace(OVER_N, providers=("torch",))


def figure(
    direction: str,
    time_ms: float,
    spread: float = 0.01,
    gbps: float | None = None,
    mode: str = "kernel_cold",
) -> Figure:
    """A speed whose samples lie evenly within `spread` of `time_ms`."""
    samples = time_ms * np.linspace(1 - spread, 1 + spread, 101)
    return figure_of(
        samples, 100 / time_ms if gbps is None else gbps, direction=direction, mode=mode
    )


def row(
    cell: Cell | None = None,
    *,
    time_ms: float | None = 1.0,
    spread: float = 0.01,
    status: Status = "ok",
    reason: str = "",
    gpu: str = "NVIDIA H200",
    device: str = "cuda:0",
) -> CellResult:
    """A row whose passes both take `time_ms`."""
    cell = cell or Cell(
        number=0, point=(), provider="locked", peer=False, request=RunRequest(m=4096, n=1024)
    )
    figures = (
        ()
        if time_ms is None
        else tuple(figure(direction, time_ms, spread) for direction in ("forward", "backward"))
    )
    return CellResult(
        cell=cell,
        status=status,
        reason=say("{text}", text=reason) if reason else None,
        device=device,
        kind=Kind.MEASURED,
        environment=replace(H200, gpu=gpu),
        resolved=resolve(cell.request, "cuda"),
        figures=figures if status == "ok" else (),
        seconds=1.5,
        timing_seconds=1.25,
    )
