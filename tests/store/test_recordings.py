"""Recordings, recorded sweeps and recorded experiments come back as they were; what cannot be is
refused in a sentence.
"""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.simulation.prediction import Kernel, kernel_of
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import TUTORIAL, Axis
from lnexplorer.protocol.codec import encode
from lnexplorer.store.archive import EXPERIMENT, RECORDING, SWEEP, Manifest, heads_in, write_archive
from lnexplorer.store.files import StoreError
from lnexplorer.store.packed import cleaned
from lnexplorer.store.recordings import (
    PUBLISHED_SOURCES,
    RecordedSweep,
    Recording,
    default_title,
    published_curves,
    read_experiment,
    read_recorded_sweep,
    read_recording,
    recorded_sweep,
    seen_launches,
    write_experiment,
    write_recorded_sweep,
    write_recording,
)
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.domain.sweep.results import WITH_TORCH as SWEEP_OVER_N
from tests.gui.sample_sweeps import invented_rows
from tests.sample_experiments import sample
from tests.sample_results import some_counters
from tests.store.examples import small_result, small_timeline, traced_timeline

RECORDINGS = resource("recordings")


def read_content(tmp_path: Path, kind: Any, content: Any) -> Any:
    """Read a file that holds `content`, which was not looked at when it was written."""
    path = tmp_path / f"foreign{kind.suffix}"
    write_archive(path, kind, Manifest(kind=kind.name), [("content", content)])
    return {RECORDING: read_recording, SWEEP: read_recorded_sweep, EXPERIMENT: read_experiment}[
        kind
    ](path)


@pytest.mark.parametrize("timeline", [None, traced_timeline()])
def test_a_recording_comes_back_and_what_was_measured_is_recorded(
    tmp_path: Path, timeline: Any
) -> None:
    written = Recording(title="Three rows — 三", result=small_result(), timeline=timeline)
    write_recording(tmp_path / "one.lnrec", written)
    found = read_recording(tmp_path / "one.lnrec")
    assert found.result is not None
    assert found.result.provenance.kind is Kind.RECORDED
    assert found.result.provenance.environment == small_result().provenance.environment
    measured = replace(found.result, provenance=small_result().provenance)
    assert encode(measured) == encode(small_result())
    assert found.date
    if timeline is not None:
        assert found.timeline is not None
        assert encode(replace(found.timeline, kind=Kind.MEASURED)) == encode(timeline)
    assert [(head.title, path) for path, head in heads_in(tmp_path, RECORDING)] == [
        ("Three rows — 三", tmp_path / "one.lnrec")
    ]


def test_a_timeline_alone_keeps_its_launch_and_where_it_was_made(tmp_path: Path) -> None:
    result = small_result()
    environment = result.provenance.environment
    alone = Recording(
        title="",
        result=None,
        timeline=small_timeline(),
        alone=result.resolved,
        alone_in=environment,
    )
    write_recording(tmp_path / "one.lnrec", alone)
    found = read_recording(tmp_path / "one.lnrec")
    assert (found.launch, found.environment, found.result) == (result.resolved, environment, None)
    with pytest.raises(StoreError, match=r"cannot be saved as .*neither a run nor a timeline"):
        write_recording(tmp_path / "none.lnrec", Recording(title="", result=None, timeline=None))


def _of_figure(**values: Any) -> RunResult:
    result = small_result()
    assert result.throughput is not None
    first, *others = result.throughput.figures
    return replace(
        result, throughput=replace(result.throughput, figures=(replace(first, **values), *others))
    )


def _of_launch(**values: Any) -> RunResult:
    return replace(small_result(), resolved=replace(small_result().resolved, **values))


def _of_checks(**values: Any) -> RunResult:
    return replace(small_result(), correctness=replace(small_result().correctness, **values))


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (_of_figure(p20_ms=0.0), r"float` > 0.0 - at .*p20_ms"),
        (_of_figure(p20_ms=1e9), "are not in their order"),
        (_of_figure(samples_ms=np.array([1.0, math.nan])), "Expected elements from 0"),
        (_of_launch(dtype="float64"), "its dtype is float64, which no kernel takes"),
        (_of_checks(checks=()), "its checks is none, not y, dx, dw, db"),
        (
            _of_checks(maps=(replace(small_result().correctness.maps[0], row_start=1),)),
            "lies outside its tensor",
        ),
        (
            replace(small_result(), providers=("a b; rm",)),
            "matching regex .*providers",
        ),
        (
            replace(small_result(), schema_version=99),
            "its run has version 99, and this program reads version 1",
        ),
        (replace(small_result(), request=RunRequest(m=-5)), "its run is not possible: m"),
    ],
)
def test_a_run_that_cannot_be_is_refused_before_a_chart_draws_it(
    tmp_path: Path, result: RunResult, why: str
) -> None:
    with pytest.raises(StoreError, match=why):
        read_content(tmp_path, RECORDING, Recording(title="", result=result, timeline=None))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"m": 7}, "the size of its timeline is 7×16, not 8×16"),
        ({"tile_block_m": 4}, r"blocks of its timeline is \(2, 4, 8\), not"),
        ({"sm": np.full(8, -1, np.int32)}, "Expected elements from 0 to 65536"),
        ({"held_ns": np.zeros(8, np.int64)}, "its timeline is impossible: "),
        ({"kind": Kind.SIMULATED}, "has not the clock timer and SM clocks"),
        ({"released_ns": np.full(8, 1 << 60, np.int64)}, "Expected elements from 0 to 3.6e"),
    ],
)
def test_a_timeline_that_cannot_have_happened_is_refused(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    timeline = replace(traced_timeline(), **change)
    with pytest.raises(StoreError, match=why):
        read_content(
            tmp_path, RECORDING, Recording(title="", result=small_result(), timeline=timeline)
        )


def test_hostile_texts_are_cleaned(tmp_path: Path) -> None:
    result = small_result()
    environment = replace(result.provenance.environment, gpu="\x1b[31mH200\n", triton="x" * 100_000)
    result = replace(
        result,
        provenance=replace(result.provenance, environment=environment),
        notes=(verbatim("two\nlines\x07"),),
    )
    found = read_content(
        tmp_path, RECORDING, Recording(title="\u202etitle", result=result, timeline=None)
    )
    read = found.result.provenance.environment
    assert (found.title, read.gpu) == (" title", " [31mH200 ")
    assert len(read.triton) < 3000
    assert [str(note) for note in found.result.notes] == ["two\nlines "]


def test_a_sweep_comes_back_with_its_samples(tmp_path: Path) -> None:
    written = recorded_sweep(
        SWEEP_OVER_N, invented_rows(SWEEP_OVER_N), title="Curves", ended="finished"
    )
    write_recorded_sweep(tmp_path / "one.lnsweep", replace(written, note="slow 慢"))
    found = read_recorded_sweep(tmp_path / "one.lnsweep")
    assert (found.sweep, found.title, found.note, found.ended) == (
        SWEEP_OVER_N,
        "Curves",
        "slow 慢",
        "finished",
    )
    assert {result.kind for result in found.results} == {Kind.RECORDED}
    measured = replace(
        found, results=tuple(replace(each, kind=Kind.MEASURED) for each in found.results), note=""
    )
    assert encode(measured) == encode(written)
    assert [(head.title, path) for path, head in heads_in(tmp_path, SWEEP)] == [
        ("Curves", tmp_path / "one.lnsweep")
    ]
    assert str(default_title(written)) == "N, M = 4096, float16, NVIDIA H200"


ROWS = tuple(invented_rows(SWEEP_OVER_N))


def _of_row(**values: Any) -> tuple[CellResult, ...]:
    return (replace(ROWS[0], **values), *ROWS[1:])


def _of_cell(**values: Any) -> tuple[CellResult, ...]:
    return _of_row(cell=replace(ROWS[0].cell, **values))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"results": ()}, "it has no row"),
        ({"results": ROWS[::-1]}, "its rows are not in the order of its 6 cells"),
        (
            {"results": _of_cell(point=(9,))},
            "row 0: its setting is none of its sweep",
        ),
        ({"results": _of_row(status="failed")}, "row 0: it has a speed, and no right results"),
        ({"sweep": replace(SWEEP_OVER_N, effort="none")}, "its sweep is not possible: effort"),
        (
            {"sweep": replace(SWEEP_OVER_N, axes=(Axis(name="<b>", values=(1, 2)),))},
            "vary parameters of a run",
        ),
        (
            {"sweep": replace(SWEEP_OVER_N, providers=("$(rm)",))},
            "matching regex",
        ),
    ],
)
def test_a_sweep_that_cannot_be_is_refused(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    sweep = replace(RecordedSweep(sweep=SWEEP_OVER_N, results=ROWS), **change)
    with pytest.raises(StoreError, match=why):
        read_content(tmp_path, SWEEP, sweep)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_comes_back(name: str, tmp_path: Path) -> None:
    written, path = sample(name), tmp_path / "one.lnexperiment"
    write_experiment(path, written, "A title")
    read = read_experiment(path)
    assert read.provenance.kind is Kind.RECORDED
    assert encode(read) == encode(cleaned(written))
    assert [(head.title, found) for found, head in heads_in(tmp_path, EXPERIMENT)] == [
        ("A title", path)
    ]


def _barrier(**values: Any) -> ExperimentResult:
    result = sample("barrier")
    found = result.findings_of(Barriers)
    side = replace(found.plain_count, **values)
    return replace(result, findings=replace(found, plain_count=side))


def _strategies(**values: Any) -> ExperimentResult:
    result = sample("strategies")
    return replace(result, findings=replace(result.findings_of(Strategies), **values))


def _impossible_walk() -> ExperimentResult:
    atomic, walk = sample("strategies").findings_of(Strategies).others
    return _strategies(others=(atomic, replace(walk, add_end_ns=walk.add_begin_ns - 1)))


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (_barrier(wrong_runs=1 << 20), "it counts wrong runs or sums that there are not"),
        (_barrier(wrong_dw=np.zeros(3, np.int64)), r"the shape of wrong_dw is 3"),
        (_impossible_walk(), "its timeline is impossible"),
        (
            replace(sample("barrier"), request=replace(sample("barrier").request, name="order")),
            "findings of order alone",
        ),
    ],
)
def test_findings_that_cannot_be_are_refused(
    tmp_path: Path, result: ExperimentResult, why: str
) -> None:
    with pytest.raises(StoreError, match=why):
        read_content(tmp_path, EXPERIMENT, result)


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.ln*")), ids=lambda path: path.name)
def test_what_comes_with_the_program_can_be_opened_and_says_where_it_is_from(path: Path) -> None:
    match path.suffix:
        case ".lnrec":
            recording = read_recording(path)
            assert recording.title
            assert recording.environment is not None
            kinds = {recording.kind}
            gpus = {recording.environment.gpu}
        case ".lnsweep":
            sweep = read_recorded_sweep(path)
            assert len(sweep.results) == sweep.total
            kinds = {result.kind for result in sweep.results}
            gpus = {result.environment.gpu for result in sweep.results}
        case _:
            experiment = read_experiment(path)
            assert experiment.findings.experiment == experiment.request.name
            where = experiment.provenance
            kinds, gpus = {where.kind}, {where.environment.gpu}
    made_up = path.name.startswith("simulated")
    kind = Kind.SIMULATED if made_up else Kind.RECORDED
    assert (kinds, gpus) == ({kind}, {"NVIDIA H200"})


def kernel(name: str) -> Kernel:
    result = read_recording(RECORDINGS / f"h200_{name}.lnrec").result
    assert result is not None
    return kernel_of(result.resolved, result.provenance.environment)


def test_traces_of_other_launches_of_a_kernel_are_found_in_a_folder(tmp_path: Path) -> None:
    own = kernel("4096x1024_g256")
    found = seen_launches(RECORDINGS, own)
    assert {1, 2, 16, 256, 512} <= {launch.timeline.group_size_m for launch in found}
    for other in ({"gpu": "NVIDIA A100"}, {"gpu": None}, {"triton": "3.0.0"}, {"num_warps": 8}):
        assert seen_launches(RECORDINGS, replace(own, **other)) == []  # type: ignore[arg-type]
    whole = (RECORDINGS / "h200_4096x1024_g1.lnrec").read_bytes()
    (tmp_path / "cut.lnrec").write_bytes(whole[:2000])
    (tmp_path / "good.lnrec").write_bytes(whole)
    assert [launch.timeline.group_size_m for launch in seen_launches(tmp_path, own)] == [1]


def test_both_published_tables_have_a_line_for_each_provider_on_the_tutorial_s_axis() -> None:
    assert list(published_curves()) == list(PUBLISHED_SOURCES.values())
    for curves in published_curves().values():
        assert {"locked", "torch"} <= {curve.provider for curve in curves}
    for curve in itertools.chain(*published_curves().values()):
        assert curve.x == TUTORIAL.sweep.axes[0].values
        assert all(0 < speed < 5000 for speed in curve.y)


def test_counters_come_back_with_a_run_and_have_to_fit_their_instructions(tmp_path: Path) -> None:
    counted = replace(small_result(), counters=(some_counters(),))
    file = tmp_path / "counted.lnrec"
    write_recording(file, Recording(title="counted", result=counted, timeline=None))
    found = read_recording(file).result
    assert found is not None
    assert encode(found.counters) == encode(counted.counters)
    impossible = replace(counted, counters=(replace(some_counters(), places=()),))
    with pytest.raises(StoreError, match="do not belong to their instructions"):
        write_recording(file, Recording(title="", result=impossible, timeline=None))
