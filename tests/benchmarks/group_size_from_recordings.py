"""Make an experiment of the recordings of one problem at several GROUP_SIZE_M: `group_size_from_recordings.py [FOLDER] [FILE]`.

Everything is read from FOLDER/h200_4096x1024_g*.lnrec: speeds, errors and waits as they were measured there, each in a run of its
own, with float32 buffers. What was not recorded, buffers of the type of x, stays empty.
"""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

from lnexplorer.domain.experiments.findings import ExperimentResult, GroupSizePoint, GroupSizes  # noqa: E402
from lnexplorer.domain.experiments.request import ExperimentRequest, completed  # noqa: E402
from lnexplorer.domain.experiments.words import SEPARATE_RUNS  # noqa: E402
from lnexplorer.domain.provenance import Kind  # noqa: E402
from lnexplorer.domain.request import RunRequest  # noqa: E402
from lnexplorer.domain.result import RunResult  # noqa: E402
from lnexplorer.domain.timeline import ReductionTimeline  # noqa: E402
from lnexplorer.domain.timeline_summary import summarize  # noqa: E402
from lnexplorer.storage.experiment_file import SUFFIX, write_experiment  # noqa: E402
from lnexplorer.storage.recording import read_recording  # noqa: E402
from lnkernels.launch.consequences import partial_buffer_bytes  # noqa: E402

NAME = re.compile(r"h200_4096x1024_g\d+\.lnrec")
TITLE = "4096×1024 float16, {gpu}, put together from {count} recordings with float32 buffers"


def main() -> None:
    """Read, put together, write."""
    folder = ROOT / "resources" / "recordings"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=folder)
    parser.add_argument("file", nargs="?", type=Path, default=folder / f"h200_group_size{SUFFIX}")
    options = parser.parse_args()
    result = group_sizes_of([path for path in options.folder.iterdir() if NAME.fullmatch(path.name)])
    assert result.group_size is not None, "made above"
    title = TITLE.format(gpu=result.provenance.environment.gpu, count=len(result.group_size.points))
    write_experiment(options.file, result, title)
    for point in result.group_size.points:
        figures = f"{point.ms_float32:.4f} ms, wait {point.wait_ns:.0f} ns, dw error {point.error_float32:.3g}"
        sys.stdout.write(f"{point.group_size_m:4d}: {figures}\n")


def group_sizes_of(paths: list[Path]) -> ExperimentResult:
    """The experiment that these recordings are, one GROUP_SIZE_M each.

    Raises:
        SystemExit: one of them lacks its run, its locks or its speeds, or is of another problem or GPU than the others.
    """
    runs: list[tuple[RunResult, ReductionTimeline]] = []
    for path in paths:
        recording = read_recording(path)
        if recording.result is None or recording.timeline is None or recording.timeline.kind is not Kind.RECORDED:
            raise SystemExit(f"{path} holds no recorded run with its locks.")
        runs.append((recording.result, recording.timeline))
    runs.sort(key=lambda run: run[1].group_size_m)
    alike = {
        (run.resolved.m, run.resolved.n, run.resolved.dtype, run.resolved.launch.partial_dtype, run.provenance.environment.gpu)
        for run, _ in runs
    }
    if len(alike) != 1:
        raise SystemExit(f"The recordings are not of one problem on one GPU: {sorted(map(str, alike))}.")
    last = runs[-1][0]
    problem = RunRequest(m=last.resolved.m, n=last.resolved.n, dtype=last.resolved.dtype)
    return ExperimentResult(
        request=completed(ExperimentRequest(name="group_size", problem=problem), "cuda"),
        resolved=last.resolved,
        provenance=last.provenance,
        group_size=GroupSizes(
            points=tuple(_point(run, timeline) for run, timeline in runs),
            torch_error=next(check.torch_vs_truth.max_abs for check in last.correctness.checks if check.name == "dw"),
        ),
    )


def _point(run: RunResult, timeline: ReductionTimeline) -> GroupSizePoint:
    resolved = run.resolved
    figure = run.throughput.find("locked", "backward", "kernel_cold") if run.throughput is not None else None
    if figure is None:
        raise SystemExit(f"The recording of GROUP_SIZE_M {timeline.group_size_m} has no speed of the backward pass.")
    sizes = {
        buffers: partial_buffer_bytes(resolved.m, resolved.n, resolved.dtype, replace(resolved.launch, partial_dtype=buffers))
        for buffers in ("float32", "same")
    }
    return GroupSizePoint(
        group_size_m=timeline.group_size_m,
        ms_float32=figure.p50_ms,
        ms_same=None,
        wait_ns=summarize(timeline).wait_mean_ns,
        error_float32=next(check.kernel_vs_truth.max_abs for check in run.correctness.checks if check.name == "dw"),
        error_same=None,
        bytes_float32=sizes["float32"],
        bytes_same=sizes["same"],
        reason=SEPARATE_RUNS,
    )


if __name__ == "__main__":
    main()
