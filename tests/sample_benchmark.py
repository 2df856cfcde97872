"""A benchmark made up for tests; its numbers were measured by nobody."""

import numpy as np

from lnexplorer.domain.benchmark import Benchmark
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
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


def point(n: int) -> Measured:
    setting = RunRequest.of(m=64, n=n, strategy="locked")
    errors = (
        TensorErrors(
            name="y", max_abs=1e-3, torch_max_abs=float("nan"), tolerance=2e-3, passed=True
        ),
    )
    locked = CandidateOutcome(
        label="locked", status="ok", setting=setting, errors=errors, figures=(figure("locked"),)
    )
    wrong = CandidateOutcome(
        label="torch", status="incorrect", reason=verbatim("dw is wrong in 3 elements")
    )
    return Measured(
        request=MeasureRequest(settings=(setting,), providers=("torch",)),
        problem=setting,
        kind=Kind.MEASURED,
        outcomes=(locked, wrong),
        ceilings=(figure("copy", gbps=2000.0),),
        before=ENVIRONMENT,
        after=ENVIRONMENT,
        warnings=(verbatim("The GPU's clock fell."),),
        timing_seconds=1.0,
        total_seconds=1.25,
    )


def benchmark(*widths: int) -> Benchmark:
    return Benchmark(
        problem=RunRequest.of(m=64, strategy="auto"),
        directions=("forward",),
        modes=("kernel_cold",),
        command="lnexplorer bench --m 64",
        kind=Kind.MEASURED,
        points=tuple(point(n) for n in widths),
        finished=True,
    )
