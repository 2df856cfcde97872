"""Reads the recordings of the lecture; no Qt, so that another thread can."""

import time

from lnexplorer.domain.lecture.material import GROUP_SIZES, LectureCase, LectureMaterial, work_out
from lnexplorer.domain.lecture.scenes import LectureStep
from lnexplorer.domain.lecture.storyboard import storyboard
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.timeline import summarize
from lnexplorer.gui.timeline.source import kernel_source
from lnexplorer.store.recordings import read_experiment, read_recorded_sweep, read_recording
from lnexplorer.store.resources import resource

CASES = {size: f"h200_4096x1024_g{size}.lnrec" for size in GROUP_SIZES}
SMALL, ROUNDED, WIDE = (
    "h200_lecture.lnrec",
    "h200_8x8_g2_float16_buffers.lnrec",
    "h200_default.lnrec",
)
COUNTED = "h200_counters_locked.lnrec"
CODE = {"put_back": "barrier", "left_out": "no_barrier", "plain_count": "plain_count"}
SWEEP, WIDTHS = "h200_sweep_group_size.lnsweep", "h200_sweep_widths.lnsweep"
EXPERIMENTS = ("group_size", "barrier", "order", "strategies")
HANGS = "h200_hang.lnexperiment"
REST_S = 0.002  # between two pieces of work, for the event loop


def lecture_steps() -> tuple[LectureStep, ...]:
    """Return all steps, from the program's own recordings; 0.3 s of computing.

    Raises:
        StoreError: a recording cannot be read.
    """
    return storyboard(load_material())


def load_material() -> LectureMaterial:
    """Read the program's own recordings.

    Raises:
        StoreError: one cannot be read.
    """
    experiments = {
        name: read_experiment(resource(f"recordings/h200_{name}.lnexperiment"))
        for name in EXPERIMENTS
    }
    return LectureMaterial(
        example=work_out(),
        cases={size: _read_case(name) for size, name in CASES.items()},
        small=_read_case(SMALL),
        rounded=_read_case(ROUNDED),
        wide=_read_case(WIDE),
        counted=_read_result(COUNTED),
        code={
            side: resource(f"lecture/stage1_{name}.sass").read_text("utf-8").splitlines()
            for side, name in CODE.items()
        },
        kernel=_kernel_lines(),
        hang=read_experiment(resource(f"recordings/{HANGS}")),
        sweep=read_recorded_sweep(resource(f"recordings/{SWEEP}")).results,
        widths=read_recorded_sweep(resource(f"recordings/{WIDTHS}")).results,
        **experiments,
    )


def _kernel_lines() -> dict[str, list[tuple[int, str]]]:
    source = kernel_source()
    return {
        step.name: [(line, text.strip()) for line, text in source.lines if first <= line <= last]
        for step, (first, last) in source.steps.items()
    }


def _read_result(name: str) -> RunResult:
    result = read_recording(resource(f"recordings/{name}")).result
    assert result is not None, "recorded with its results"
    return result


def _read_case(name: str) -> LectureCase:
    recording = read_recording(resource(f"recordings/{name}"))
    time.sleep(REST_S)
    timeline, result = recording.timeline, recording.result
    assert timeline is not None, "recorded with the times of its locks"
    assert result is not None, "recorded with its results"
    return LectureCase(timeline, summarize(timeline), result)
