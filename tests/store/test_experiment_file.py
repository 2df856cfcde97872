"""A recorded experiment comes back as it was, and whatever is not one is refused in a sentence."""

import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.experiments.findings import Barriers, ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.report.experiment_document import experiment_document
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import SUFFIX, experiments_in, read_experiment, write_experiment
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from tests.sample_experiments import sample
from tests.sample_timelines import sharing_timeline, walking_timeline

RECORDED = sorted(resource("recordings").glob(f"*{SUFFIX}"))


def as_json(result: ExperimentResult) -> str:
    return json.dumps(experiment_document(result), allow_nan=False)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    written, path = sample(name), tmp_path / f"one{SUFFIX}"
    write_experiment(path, written, "A title")
    read = read_experiment(path)
    assert read.provenance.kind is Kind.RECORDED
    assert as_json(replace(read, provenance=written.provenance)) == as_json(written)
    assert [(each.name, each.title, each.path) for each in experiments_in(tmp_path)] == [(name, "A title", path)]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_sent_arrives(name: str) -> None:
    assert as_json(decode(encode(sample(name)), ExperimentResult)) == as_json(sample(name))


def test_the_interpreters_stays_interpreted(tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_experiment(path, sample("order", gpu=False))
    assert read_experiment(path).provenance.kind is Kind.INTERPRETED


def _more_wrong_than_runs(found: Barriers) -> Barriers:
    return replace(found, left_out=replace(found.left_out, wrong_runs=found.left_out.runs + 1))


def _other_columns(found: Barriers) -> Barriers:
    return replace(found, put_back=replace(found.put_back, wrong_db=np.zeros(3, np.int64)))


def _more_wrong_in_a_column(found: Barriers) -> Barriers:
    return replace(found, left_out=replace(found.left_out, wrong_dw=found.left_out.wrong_dw * 3))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_more_wrong_than_runs, "it counts 1001 wrong runs of 1000"),
        (_other_columns, r"wrong_db has shape \(3,\); it has one count for each of 2048 columns"),
        (_more_wrong_in_a_column, "wrong_dw has counts from 0 to 6; each column was wrong in 0 to 5 runs"),
    ],
)
def test_impossible_findings_are_refused(change: Callable[[Barriers], Barriers], words: str, tmp_path: Path) -> None:
    result = sample("barrier")
    assert result.barrier is not None
    with pytest.raises(StoreError, match=words):
        write_experiment(tmp_path / "one", replace(result, barrier=change(result.barrier)))


def test_sides_of_no_run_are_refused(tmp_path: Path) -> None:
    result = sample("barrier")
    assert result.barrier is not None
    none = replace(result.barrier.put_back, runs=0, wrong_runs=0, wrong_dw=np.zeros(result.resolved.n, np.int64))
    none = replace(none, wrong_db=none.wrong_dw)
    with pytest.raises(StoreError, match="a side has 0 runs"):
        write_experiment(tmp_path / "one", replace(result, barrier=replace(result.barrier, put_back=none)))


@pytest.mark.parametrize("ms", [0.0, -1.0, math.inf, math.nan])
def test_times_that_nothing_can_take_are_refused(ms: float, tmp_path: Path) -> None:
    strategies, sizes = sample("strategies"), sample("group_size")
    assert strategies.strategies is not None
    assert sizes.group_size is not None
    rows, points = strategies.strategies.rows, sizes.group_size.points
    findings = replace(strategies.strategies, rows=(replace(rows[0], ms=ms), *rows[1:]))
    with pytest.raises(StoreError, match=f"the time of {rows[0].strategy} is {ms}"):
        write_experiment(tmp_path / "one", replace(strategies, strategies=findings))
    found = replace(sizes.group_size, points=(*points[:-1], replace(points[-1], ms_same=ms)))
    with pytest.raises(StoreError, match=f"with narrow buffers is {ms}"):
        write_experiment(tmp_path / "one", replace(sizes, group_size=found))


def test_findings_of_another_experiment_are_refused(tmp_path: Path) -> None:
    result = sample("barrier")
    with pytest.raises(StoreError, match="findings of order"):
        write_experiment(tmp_path / "one", replace(result, request=replace(result.request, name="order")))


def test_an_impossible_walk_is_refused(tmp_path: Path) -> None:
    result = sample("strategies")
    assert result.strategies is not None
    atomic, walk = result.strategies.others
    wrong = replace(walk, add_end_ns=walk.add_begin_ns - 1)
    with pytest.raises(StoreError, match="persistent is impossible"):
        write_experiment(tmp_path / "one", replace(result, strategies=replace(result.strategies, others=(atomic, wrong))))


def test_programs_that_share_rows_come_back_and_those_of_older_files_share_none(tmp_path: Path) -> None:
    path, result, shared = tmp_path / f"one{SUFFIX}", sample("strategies"), sharing_timeline(8)
    assert result.strategies is not None
    write_experiment(path, replace(result, strategies=replace(result.strategies, others=(walking_timeline(m=8), shared))))
    found = read_experiment(path).strategies
    assert found is not None
    assert [each.slices for each in found.others] == [1, 2]
    assert found.others[0].wait_begin_ns is None
    assert np.array_equal(found.others[1].waits_ns, shared.waits_ns)

    def without(document: dict[str, Any]) -> None:
        document["strategies"]["others"].pop()
        for other in document["strategies"]["others"]:
            del other["slices"], other["wait_begin_ns"], other["wait_end_ns"]

    _rewritten(path, "content.json", without)
    older = read_experiment(path).strategies
    assert older is not None
    assert [(each.slices, each.wait_end_ns) for each in older.others] == [(1, None)]


def test_a_file_from_before_the_walks_were_recorded_opens(tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_experiment(path, sample("strategies"))

    def without(document: dict[str, object]) -> None:
        strategies = document["strategies"]
        assert isinstance(strategies, dict)
        del strategies["others"]

    _rewritten(path, "content.json", without)
    read = read_experiment(path).strategies
    assert read is not None
    assert read.others == ()
    assert read.timeline is not None


def test_a_file_from_before_both_waits_were_measured_opens_without_the_second(tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_experiment(path, sample("group_size"))

    def without(document: dict[str, Any]) -> None:
        for point in document["group_size"]["points"]:
            del point["wait_same_ns"]

    _rewritten(path, "content.json", without)
    found = read_experiment(path).group_size
    assert found is not None
    assert all(point.wait_ns is not None and point.wait_same_ns is None for point in found.points)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9])
def test_a_truncated_file_is_refused(kept: float, tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_experiment(path, sample("barrier"))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(StoreError, match="cannot be opened"):
        read_experiment(path)
    assert experiments_in(tmp_path) == []


def _rewritten(path: Path, member: str, change: Callable[[dict[str, object]], None]) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members[member])
    change(document)
    members[member] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    ("member", "change", "words"),
    [
        ("manifest.json", {"format": "lnexplorer recording"}, "not a recorded experiment"),
        ("manifest.json", {"version": 2}, "version 2"),
        ("content.json", {"resolved": None}, "not complete"),
        ("content.json", {"order": {"sides": 3}}, "not complete"),
    ],
)
def test_a_foreign_or_newer_or_damaged_one_is_refused(member: str, change: dict[str, object], words: str, tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_experiment(path, sample("order"))
    _rewritten(path, member, lambda document: document.update(change))
    with pytest.raises(StoreError, match=words):
        read_experiment(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be saved"):
        write_experiment(tmp_path / "file" / "one", sample("order"))
    with pytest.raises(StoreError, match="cannot be read"):
        read_experiment(tmp_path / "none")


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_those_that_come_with_the_program_are_of_a_gpu(path: Path) -> None:
    result = read_experiment(path)
    assert result.provenance.kind is Kind.RECORDED
    assert result.provenance.environment.gpu
    assert path.stat().st_size < 2**20
