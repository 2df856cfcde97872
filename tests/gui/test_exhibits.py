"""What the cards of a gallery are made of."""

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lnexplorer.domain.benchmark import rows
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.gui.history.gallery_files import GROUPS, PUBLISHED, files_in, read_exhibit
from lnexplorer.report.benchmark_file import benchmark_document, file_text
from lnexplorer.store.recordings import Recording, recorded_sweep, write_experiment, write_recorded_sweep, write_recording
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from tests.gui.sample_sweeps import invented_rows
from tests.sample_benchmark import benchmark
from tests.sample_experiments import sample
from tests.store.examples import small_result, small_timeline

CURVE = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048, 4096)),), providers=("torch",))
SIZES = SweepRequest(
    base=RunRequest(m=4096, n=8192), axes=(Axis(name="group_size_m", values=(1, 2, 8, 64)),), providers=("torch",)
)
MAP = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(Axis(name="block_size", values=(1024, 2048, 4096)), Axis(name="num_warps", values=(8, 32))),
)


def test_every_file_that_comes_with_the_program_has_a_card() -> None:
    folder = resource("recordings")
    exhibits = [read_exhibit(path) for path in files_in(folder)]
    assert {path.name for path in folder.iterdir()} == {each.path.name for each in exhibits}
    assert not [each.trouble for each in exhibits if each.trouble]
    for each in exhibits:
        assert each.kind in (Kind.RECORDED, Kind.PUBLISHED)
        assert each.group in GROUPS
        assert each.timeline is not None or each.curves or each.grid is not None or each.experiment
        if each.kind is Kind.RECORDED:
            assert each.gpu == "NVIDIA H200"
            assert each.date.startswith("20")


def test_a_recording_is_placed_by_its_group_size(tmp_path: Path) -> None:
    places = []
    for size in (8, 2, 4):
        path = tmp_path / f"{size}.lnrec"
        write_recording(path, Recording(title=f"G {size}", result=None, timeline=small_timeline(group_size_m=size)))
        exhibit = read_exhibit(path)
        assert (exhibit.group, exhibit.title, exhibit.gpu) == ("traces", f"G {size}", "")
        places.append((exhibit.place, size))
    assert [size for _, size in sorted(places)] == [2, 4, 8]


def test_a_run_with_all_its_numbers_is_a_small_problem(tmp_path: Path) -> None:
    path = tmp_path / "small.lnrec"
    write_recording(path, Recording(title="small", result=small_result(), timeline=small_timeline()))
    exhibit = read_exhibit(path)
    assert exhibit.group == "numbers"
    assert exhibit.kind is Kind.RECORDED
    assert exhibit.gpu == small_result().provenance.environment.gpu


def test_a_benchmark_has_the_curves_of_one_pass_without_the_ceilings(tmp_path: Path) -> None:
    measured = benchmark(1024, 2048)
    path = tmp_path / "my_bench.json"
    path.write_text(file_text(benchmark_document(measured)))
    exhibit = read_exhibit(path)
    assert exhibit.group == "speeds"
    directions = {row.direction for point in measured.points for row in rows(measured, point)}
    shown = "backward" if "backward" in directions else "forward"
    expected = {
        (row.provider, float(row.n)): row.gbps
        for point in measured.points
        for row in rows(measured, point)
        if row.direction == shown and row.gbps is not None and row.provider not in ("copy", "add")
    }
    found = {(curve.label, x): y for curve in exhibit.curves for x, y in zip(curve.x, curve.y, strict=True)}
    assert found
    assert found == expected


def test_a_sweep_has_its_curves_and_those_of_unlike_devices_are_not_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.lnsweep"
    ours, theirs = invented_rows(CURVE), invented_rows(CURVE, gpu="NVIDIA A100")
    write_recorded_sweep(path, recorded_sweep(CURVE, [*ours[:4], *theirs[4:]], title="A curve"))
    exhibit = read_exhibit(path)
    assert (exhibit.group, exhibit.title, exhibit.kind, exhibit.sweep) == ("speeds", "A curve", Kind.RECORDED, True)
    assert exhibit.gpu == "NVIDIA H200, NVIDIA A100"
    figures = [result.figure("backward") for result in (*ours[:4], *theirs[4:])]
    drawn = {curve.label: curve.y.tolist() for curve in exhibit.curves}
    assert drawn == {
        "locked · NVIDIA H200": [figures[0] and figures[0].gbps, figures[2] and figures[2].gbps],
        "PyTorch · NVIDIA H200": [figures[1] and figures[1].gbps, figures[3] and figures[3].gbps],
        "locked · NVIDIA A100": [figures[4] and figures[4].gbps],
        "PyTorch · NVIDIA A100": [figures[5] and figures[5].gbps],
    }


def test_a_peer_is_level_along_launch_settings_and_errors_stand_for_speeds_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.lnsweep"
    write_recorded_sweep(path, recorded_sweep(SIZES, invented_rows(SIZES)))
    locked, torch = read_exhibit(path).curves
    assert (locked.x.size, torch.x.size) == (3, 4), "one setting of locked is wrong"
    assert len(set(torch.y)) == 1
    write_recorded_sweep(path, recorded_sweep(SIZES, invented_rows(SIZES, gpu=None)))
    exhibit = read_exhibit(path)
    assert (exhibit.kind, exhibit.gpu) == (Kind.INTERPRETED, "")
    assert exhibit.curves[0].y == pytest.approx([2e-3 / size**0.5 for size in (1, 8, 64)])


def test_two_parameters_are_a_map_from_the_slowest_to_the_fastest(tmp_path: Path) -> None:
    path = tmp_path / "mine.lnsweep"
    rows = invented_rows(MAP)
    write_recorded_sweep(path, recorded_sweep(MAP, rows))
    grid = read_exhibit(path).grid
    assert grid is not None
    assert grid.shape == (2, 3)
    assert np.isnan(grid[1, 0]), "32 warps find no room"
    assert (np.nanmin(grid), np.nanmax(grid)) == (0.0, 1.0)
    speeds = {row.cell.point: figure.gbps for row in rows if (figure := row.figure("backward")) is not None}
    fastest = max(speeds, key=lambda point: speeds[point])
    assert grid[fastest[1], fastest[0]] == 1.0


def test_an_experiment_says_which_it_is(tmp_path: Path) -> None:
    path = tmp_path / "order.lnexperiment"
    write_experiment(path, sample("order"))
    exhibit = read_exhibit(path)
    assert (exhibit.group, exhibit.experiment, exhibit.kind) == ("experiments", "order", Kind.RECORDED)


def _cut_off(path: Path, kept: Path) -> None:
    path.write_bytes(kept.read_bytes()[:900])


def _newer(path: Path, kept: Path) -> None:
    with zipfile.ZipFile(kept) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = json.dumps(json.loads(data) | {"version": 7}).encode()
            new.writestr(name, data)


@pytest.mark.parametrize(("spoil", "says"), [(_cut_off, "its end is missing"), (_newer, "version 7")])
@pytest.mark.parametrize("suffix", [".lnrec", ".lnsweep", ".lnexperiment"])
def test_a_file_that_cannot_be_read_says_why_and_the_others_are_there(suffix: str, spoil, says: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kept = tmp_path / f"kept{suffix}"
    if suffix == ".lnrec":
        write_recording(kept, Recording(title="kept", result=small_result(), timeline=None))
    elif suffix == ".lnsweep":
        write_recorded_sweep(kept, recorded_sweep(SIZES, invented_rows(SIZES)))
    else:
        write_experiment(kept, sample("barrier"))
    spoil(tmp_path / f"spoilt{suffix}", kept)
    exhibits = {path.name: read_exhibit(path) for path in files_in(tmp_path)}
    spoilt = exhibits[f"spoilt{suffix}"]
    assert spoilt.group == "damaged"
    assert says in str(spoilt.trouble)
    assert str(tmp_path) not in str(spoilt.trouble)
    assert not exhibits[f"kept{suffix}"].trouble


def test_a_benchmark_of_another_program_and_a_file_that_is_gone_have_their_sentences(tmp_path: Path) -> None:
    foreign = tmp_path / "their_bench.json"
    foreign.write_text("{}")
    assert "holds no benchmark" in str(read_exhibit(foreign).trouble)
    assert "cannot be read" in str(read_exhibit(tmp_path / "gone.lnrec").trouble)


def test_published_tables_are_of_their_own_kind(tmp_path: Path) -> None:
    shutil.copy(resource("recordings") / PUBLISHED, tmp_path)
    exhibit = read_exhibit(tmp_path / PUBLISHED)
    assert exhibit.kind is Kind.PUBLISHED
    assert {curve.label for curve in exhibit.curves} >= {"locked", "torch"}
