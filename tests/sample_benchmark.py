"""A benchmark made up for tests; its numbers were measured by nobody."""

import numpy as np

from lnexplorer.domain.measuring import Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.report.benchmark_file import Benchmark
from lnkernels.values.accuracy import TensorErrors
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import verbatim

ENVIRONMENT = Environment(
    date="2026-01-01T00:00:00+00:00",
    python="3.12",
    torch="2.11",
    triton="3.6",
    gpu="a GPU",
    driver="1",
)


def figure(provider: str, direction: str = "forward", gbps: float = 1000.0) -> Figure:
    return Figure(
        provider=provider,
        direction=direction,
        mode="kernel_cold",
        samples_ms=np.array([0.1, 0.2, 0.3]),
        p20_ms=0.1,
        p50_ms=0.2,
        p80_ms=0.4,
        gbps=gbps,
        requested_gbps=2 * gbps,
        share_of_ceiling=0.5,
        host_us=None,
        settled=True,
    )


def sweep(*widths: int) -> SweepRequest:
    return SweepRequest(
        base=RunRequest.of(m=64, strategy="auto"),
        axes=(Axis(name="n", values=widths),),
        providers=("torch",),
        directions=("forward",),
    )


def results(request: SweepRequest) -> list[CellResult]:
    """Rows of a right `locked` and a wrong `torch` at each N."""
    errors = (
        TensorErrors(
            name="y", max_abs=1e-3, torch_max_abs=float("nan"), tolerance=2e-3, passed=True
        ),
    )
    return [
        CellResult(
            cell=cell,
            status="incorrect" if cell.peer else "ok",
            reason=verbatim("dw is wrong in 3 elements") if cell.peer else None,
            device="cuda:0",
            kind=Kind.MEASURED,
            environment=ENVIRONMENT,
            errors=() if cell.peer else errors,
            figures=() if cell.peer else (figure("locked"),),
            notes=(verbatim("The GPU's clock fell."),),
        )
        for cell in all_cells(request)
    ]


def measured(n: int) -> Measured:
    problem = RunRequest.of(m=64, n=n, strategy="locked")
    return Measured(
        request=MeasureRequest(settings=(problem,), providers=("torch",)),
        problem=problem,
        kind=Kind.MEASURED,
        outcomes=(),
        ceilings=(figure("copy", gbps=2000.0),),
        before=ENVIRONMENT,
        after=ENVIRONMENT,
        timing_seconds=1.0,
        total_seconds=1.25,
    )


def benchmark(*widths: int) -> Benchmark:
    request = sweep(*widths)
    rows = results(request)
    points = {n: ([row for row in rows if row.cell.request.n == n], [measured(n)]) for n in widths}
    return Benchmark(
        sweep=request,
        command="lnexplorer bench --m 64",
        points=points,
        finished=True,
    )
