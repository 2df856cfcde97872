"""The picture of a benchmark, drawn offscreen."""

from pathlib import Path

from lnexplorer.domain import wording
from lnexplorer.domain.benchmark import Benchmark, rows
from lnkernels.values.environment import Environment


def draw(benchmark: Benchmark, path: Path) -> str:
    """Save GB/s against N of the first way of calling; the empty text, or why that is not possible."""
    from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence  # noqa: PLC0415

    missing = missing_libraries(("offscreen",))
    if missing:
        return missing_sentence(missing)
    from lnexplorer.gui.shell.benchmark_picture import save_benchmark_picture  # noqa: PLC0415  (Qt from here on)

    mode = benchmark.modes[0]
    title = f"LayerNorm, M = {benchmark.problem.m}, {benchmark.problem.dtype}: {wording.WAYS[mode]}"
    found = [row for point in benchmark.points for row in rows(benchmark, point)]
    return save_benchmark_picture(found, mode, title, provenance(benchmark), path)


def provenance(benchmark: Benchmark) -> str:
    """Kind, device, versions, date and command, as they are printed on the picture."""
    return f"{benchmark.kind.value} · {_where(benchmark.environment)}\n{benchmark.command}"


def _where(environment: Environment | None) -> str:
    if environment is None:
        return "device not known"
    clock = "" if environment.sm_clock_mhz is None else f" at {environment.sm_clock_mhz} MHz"
    parts = [
        f"{environment.gpu}{clock}",
        f"driver {environment.driver}",
        f"torch {environment.torch}",
        f"triton {environment.triton}",
        environment.date,
    ]
    return " · ".join(parts)
