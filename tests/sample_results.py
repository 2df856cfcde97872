"""Results as a run gives them, made with numpy: LayerNorm in float64, and the same rounded as
float16 kernels round.
"""

from dataclasses import replace
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnkernels.launch import KNOWN_DEVICES
from lnkernels.values.accuracy import (
    TENSORS,
    ColumnError,
    Correctness,
    ErrorHistogram,
    ErrorMap,
    ErrorStats,
    TensorCheck,
)
from lnkernels.values.counters import KernelCounters
from lnkernels.values.environment import Device, Environment, Kind, Provenance
from lnkernels.values.figures import Figure, Refusal, Throughput
from lnkernels.values.sentence import verbatim

Array = NDArray[np.float64]
LOG10_EDGES = np.linspace(-10, 2, 97, dtype=np.float32)
# GB/s at M = 4096, float16, on an H200 by N: forward and backward of the kernels, of PyTorch, and
# the ceilings.
SPEEDS = {
    1024: {"locked": (1633, 552), "torch": (1510, 842), "ceiling": (2020, 2149)},
    2048: {"locked": (2185, 795), "torch": (1890, 1107), "ceiling": (2700, 2760)},
    4096: {"locked": (2869, 1316), "torch": (2350, 1398), "ceiling": (3031, 3361)},
    8192: {"locked": (2765, 1689), "torch": (2810, 1434), "ceiling": (3640, 3795)},
    16384: {"locked": (2469, 1802), "torch": (3105, 1513), "ceiling": (4010, 4100)},
}

# From Triton 3.9 on the compiler puts a barrier before an exchange itself.
NEEDS_BARRIER = tuple(map(int, version("triton").split(".")[:2])) < (3, 9)


def make_environment(gpu: str | None = "NVIDIA H200") -> Environment:
    """An environment stamp."""
    return Environment(
        date="2025-11-20T09:30:00+00:00", python="3.12.3", torch="2.11.0", triton="3.6.0", gpu=gpu
    )


def make_device(backend: str = "cuda") -> Device:
    """A GPU, or the interpreter."""
    limits = next(limits for limits in KNOWN_DEVICES if "H200" in limits.name)
    return Device(
        backend=backend,
        name="NVIDIA H200" if backend == "cuda" else "Triton's interpreter",
        index=0 if backend == "cuda" else None,
        limits=limits,
        free_memory_bytes=100 << 30,
        notes=(),
        environment=make_environment("NVIDIA H200" if backend == "cuda" else None),
    )


def make_stats(error: Array, truth: Array | None = None) -> ErrorStats:
    """Statistics of an error."""
    size = np.abs(error)
    finite = np.where(np.isfinite(size), size, 0)
    scale = np.ones_like(size) if truth is None else np.maximum(np.abs(truth), 1e-3)
    return ErrorStats(
        max_abs=float(finite.max(initial=0)),
        mean_abs=float(finite.mean()) if finite.size else 0.0,
        max_rel=float((finite / scale).max(initial=0)),
        max_ulp=float((finite / (scale * 2**-10)).max(initial=0)),
        misplaced=int((~np.isfinite(size)).sum()),
    )


def make_map(name: str, error: Array, row_start: int = 0, column_start: int = 0) -> ErrorMap:
    """A map in full resolution."""
    rows, columns = error.shape
    values = np.abs(error).astype(np.float32)
    return ErrorMap(
        name=name,
        row_start=row_start,
        rows=rows,
        column_start=column_start,
        columns=columns,
        values=values,
    )


def make_histogram(name: str, kernel: Array, torch: Array) -> ErrorHistogram:
    """How many elements have which error."""
    kernel, torch = np.abs(kernel[np.isfinite(kernel)]), np.abs(torch[np.isfinite(torch)])
    counts = [
        np.histogram(np.log10(side[side > 0]), LOG10_EDGES)[0].astype(np.int64)
        for side in (kernel, torch)
    ]
    return ErrorHistogram(
        name=name,
        log10_edges=LOG10_EDGES,
        kernel=counts[0],
        torch=counts[1],
        kernel_zeros=int((kernel == 0).sum()),
        torch_zeros=int((torch == 0).sum()),
    )


def make_errors(m: int, n: int, seed: int = 0) -> dict[str, tuple[Array, Array, Array]]:
    """Truth, kernel's error and PyTorch's error of each result."""
    rng = np.random.default_rng(seed)
    x = (-2.3 + 0.5 * rng.standard_normal((m, n))).astype(np.float16).astype(np.float64)
    dy = (0.1 * rng.standard_normal((m, n))).astype(np.float16).astype(np.float64)
    weight, bias = rng.random((2, n)).astype(np.float16).astype(np.float64)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    xhat = (x - x.mean(axis=1, keepdims=True)) * rstd
    wdy = weight * dy
    c1, c2 = (xhat * wdy).mean(axis=1, keepdims=True), wdy.mean(axis=1, keepdims=True)
    truth = {
        "y": xhat * weight + bias,
        "dx": (wdy - (xhat * c1 + c2)) * rstd,
        "dw": (dy * xhat).sum(axis=0),
        "db": dy.sum(axis=0),
    }
    errors = {}
    for name, exact in truth.items():
        kernel = exact.astype(np.float16) - exact
        if exact.ndim == 1:
            kernel = exact.astype(np.float32) - exact
            torch = exact.astype(np.float16) - exact + 2e-3 * rng.standard_normal(exact.shape)
        else:
            torch = (exact * (1 + 1e-4 * rng.standard_normal(exact.shape))).astype(
                np.float16
            ) - exact
        errors[name] = (exact, kernel, torch)
    return errors


def make_correctness(
    m: int = 256, n: int = 1024, *, failing: tuple[str, ...] = (), misplaced: int = 0
) -> Correctness:
    """Errors of a run; those named in `failing` are far beyond their tolerance, and `misplaced`
    elements are NaN.
    """
    errors = make_errors(m, n)
    checks = []
    for name in TENSORS:
        exact, kernel, torch = errors[name]
        if name in failing:
            kernel.flat[kernel.size // 3] += 0.48
        if misplaced:
            kernel.flat[:misplaced] = np.nan
        kernel_stats, torch_stats = make_stats(kernel, exact), make_stats(torch, exact)
        checks.append(
            TensorCheck(
                name=name,
                kernel_vs_truth=kernel_stats,
                torch_vs_truth=torch_stats,
                kernel_vs_torch=make_stats(kernel - torch, exact),
                tolerance=1.2 * torch_stats.max_abs,
                passed=name not in failing and not misplaced,
                tutorial_passed=name not in failing and not misplaced,
            )
        )
    return Correctness(
        checks=tuple(checks),
        maps=tuple(make_map(name, errors[name][1]) for name in ("y", "dx")),
        columns=tuple(
            ColumnError(
                name=name,
                kernel=np.abs(errors[name][1]).astype(np.float32),
                torch=np.abs(errors[name][2]).astype(np.float32),
            )
            for name in ("dw", "db")
        ),
        histograms=tuple(
            make_histogram(name, errors[name][1], errors[name][2]) for name in TENSORS
        ),
        partial_rows=None,
    )


def make_resolved(m: int = 4096, n: int = 8192, dtype: str = "float16") -> ResolvedRequest:
    """A request without open choices."""
    return resolve(RunRequest(m=m, n=n, dtype=dtype), "cuda")


def figure_of(
    samples_ms: Array,
    gbps: float,
    provider: str = "locked",
    direction: str = "forward",
    mode: str = "kernel_cold",
    *,
    share: float | None = 0.5,
    host_us: float | None = None,
) -> Figure:
    """A speed with these samples."""
    p20, p50, p80 = (float(value) for value in np.percentile(samples_ms, (20, 50, 80)))
    return Figure(
        provider=provider,
        direction=direction,
        mode=mode,
        samples_ms=samples_ms,
        p20_ms=p20,
        p50_ms=p50,
        p80_ms=p80,
        gbps=gbps,
        requested_gbps=1.02 * gbps,
        share_of_ceiling=share,
        host_us=host_us,
        settled=True,
    )


def make_figure(
    provider: str,
    direction: str,
    gbps: float,
    resolved: ResolvedRequest,
    *,
    mode: str = "kernel_cold",
    share: float | None = None,
) -> Figure:
    """A speed with a skewed cloud of samples."""
    rng = np.random.default_rng(int(gbps))
    passes = 2 if direction == "forward" else 3
    p50_ms = passes * resolved.m * resolved.n * 2 / gbps / 1e6
    samples = p50_ms * (1 + 0.02 * rng.gamma(2.0, 0.5, 100) - 0.02)
    host_us = None if mode != "autograd" else 38.4 if provider == "locked" else 21.7
    return figure_of(samples, gbps, provider, direction, mode, share=share, host_us=host_us)


def make_throughput(resolved: ResolvedRequest, wobble: float = 1.0) -> Throughput:
    """Speeds of the kernels and of PyTorch in three modes, and the ceilings."""
    nearest = min(SPEEDS, key=lambda n: abs(n - resolved.n))
    speeds = SPEEDS[nearest]
    figures = []
    for mode, factor in (("kernel_cold", 1.0), ("kernel_warm", 1.15), ("autograd", 0.6)):
        for place, direction in enumerate(("forward", "backward")):
            ceiling = float(speeds["ceiling"][place])
            for provider in ("locked", "torch"):
                speed = speeds[provider][place] * factor * (wobble if provider == "locked" else 1)
                figures.append(
                    make_figure(
                        provider, direction, speed, resolved, mode=mode, share=speed / ceiling
                    )
                )
            if mode == "kernel_cold":
                figures.append(
                    make_figure(
                        ("copy", "add")[place], direction, ceiling, resolved, mode=mode, share=1.0
                    )
                )
    refusals = (
        Refusal(provider="apex", reason=verbatim("apex.normalization has no FusedLayerNorm here")),
    )
    return Throughput(figures=tuple(figures), refusals=refusals)


def make_result(
    m: int = 4096,
    n: int = 8192,
    *,
    dtype: str = "float16",
    kind: Kind = Kind.MEASURED,
    correctness: Correctness | None = None,
    wobble: float = 1.0,
) -> RunResult:
    """A whole run; on the interpreter without speeds."""
    resolved = make_resolved(m, n, dtype)
    interpreted = kind is Kind.INTERPRETED
    return RunResult(
        request=RunRequest(m=m, n=n, dtype=dtype),
        resolved=resolved,
        provenance=Provenance(
            kind=kind, environment=make_environment(None if interpreted else "NVIDIA H200")
        ),
        correctness=make_correctness(64, 128) if correctness is None else correctness,
        compiled=(),
        throughput=None if interpreted else make_throughput(resolved, wobble),
    )


def exported_run(request: RunRequest, resolved: ResolvedRequest | None = None) -> RunResult:
    """What an export needs of a run: without `resolved`, one on the interpreter."""
    return RunResult(
        request=request,
        resolved=resolved or resolve(request, "interpreter"),
        provenance=Provenance(
            kind=Kind.MEASURED if resolved else Kind.INTERPRETED, environment=make_environment(None)
        ),
        correctness=make_correctness(4, 8),
        compiled=(),
        throughput=None,
    )


def without_errors(correctness: Correctness) -> Correctness:
    """The same, with every element exact."""
    return replace(
        correctness,
        maps=tuple(
            replace(error_map, values=np.zeros_like(error_map.values))
            for error_map in correctness.maps
        ),
        columns=tuple(
            replace(c, kernel=np.zeros_like(c.kernel), torch=np.zeros_like(c.torch))
            for c in correctness.columns
        ),
        histograms=tuple(
            replace(
                h,
                kernel=np.zeros_like(h.kernel),
                torch=np.zeros_like(h.torch),
                kernel_zeros=int(h.kernel.sum()) + h.kernel_zeros,
                torch_zeros=int(h.torch.sum()) + h.torch_zeros,
            )
            for h in correctness.histograms
        ),
    )


def some_counters() -> KernelCounters:
    """Of a stage 1 with three instructions."""
    shares = dict.fromkeys(
        ("dram_percent", "l2_percent", "l1_percent", "l1_hit_percent", "sm_percent"), 12.5
    )
    return KernelCounters(
        name="backward_stage1",
        function="stage1_kernel",
        time_us=179.52,
        dram_gbps=1076.09,
        l2_hit_percent=75.9,
        issue_percent=18.7,
        warps_percent=10.8,
        **shares,
        stalls={"barrier": 2.9, "selected": 1.0},
        sass=("LDC R1, c[0x0][0x28]", "@!P0 STG.E.128 desc[UR8][R52.64], R36", "EXIT"),
        places=(
            "lnkernels/locked.py:197",
            "lnkernels/locked.py:158 < lnkernels/locked.py:255",
            "lnkernels/locked.py:235",
        ),
        samples=np.array([54, 1020, 3], np.int32),
        reasons=("barrier", "selected"),
        by_reason=np.array([[0, 54], [1000, 20], [0, 3]], np.int32),
    )
