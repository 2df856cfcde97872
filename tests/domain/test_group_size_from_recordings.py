"""The recorded GROUP_SIZE_M experiment says what the recordings say, and nothing else."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from lnexplorer.domain.experiments.request import GROUP_SIZES
from lnexplorer.domain.experiments.words import SEPARATE_RUNS, seen
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.timeline_summary import summarize
from lnexplorer.storage.experiment_file import experiments_in, read_experiment, write_experiment
from lnexplorer.storage.recording import read_recording
from lnexplorer.storage.resources import resource

RECORDINGS = resource("recordings")
SCRIPT = Path(__file__).parents[1] / "benchmarks" / "group_size_from_recordings.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def paths_of(*sizes: int) -> list[Path]:
    return [RECORDINGS / f"h200_4096x1024_g{size}.lnrec" for size in sizes]


def test_every_figure_is_that_of_its_recording(script: ModuleType, tmp_path: Path) -> None:
    made = script.group_sizes_of(paths_of(64, 1, 512))
    file = tmp_path / "made.lnexperiment"
    write_experiment(file, made, "a title")
    found = read_experiment(file)
    assert found.provenance.kind is Kind.RECORDED
    assert found.group_size is not None
    assert [point.group_size_m for point in found.group_size.points] == [1, 64, 512]
    for point in found.group_size.points:
        recording = read_recording(*paths_of(point.group_size_m))
        run, timeline = recording.result, recording.timeline
        assert run is not None
        assert run.throughput is not None
        assert timeline is not None
        figure = run.throughput.find("locked", "backward", "kernel_cold")
        assert figure is not None
        assert point.ms_float32 == figure.p50_ms
        assert point.wait_ns == pytest.approx(summarize(timeline).wait_mean_ns)
        assert point.error_float32 == {check.name: check for check in run.correctness.checks}["dw"].kernel_vs_truth.max_abs
        assert (point.ms_same, point.error_same) == (None, None), "nobody recorded these"
        assert point.bytes_float32 == 2 * point.bytes_same == 2 * 4 * 1024 * point.group_size_m
    assert "float16" not in seen(found)


def test_recordings_of_unlike_problems_are_no_experiment(script: ModuleType) -> None:
    with pytest.raises(SystemExit, match="not of one problem"):
        script.group_sizes_of([*paths_of(1), RECORDINGS / "h200_4096x2048_g128.lnrec"])


def test_the_program_comes_with_all_sizes() -> None:
    found = next(each for each in experiments_in(RECORDINGS) if each.name == "group_size")
    result = read_experiment(found.path)
    assert result.group_size is not None
    points = result.group_size.points
    assert tuple(point.group_size_m for point in points) == GROUP_SIZES
    assert all(point.ms_float32 and point.wait_ns is not None for point in points)
    measured_together = all(point.ms_same is not None for point in points)
    assert measured_together or ("recordings" in found.title and {point.reason for point in points} == {SEPARATE_RUNS})
