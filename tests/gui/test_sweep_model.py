"""What the Sweep pane makes of rows, without a window."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.sweep.request import PRESETS, TUTORIAL, Axis, SweepRequest
from lnexplorer.gui.charts.axes import value_scale
from lnexplorer.gui.sweep.model import SweepModel
from lnexplorer.gui.sweep.overlays import overlay_lines, read_overlays
from lnexplorer.gui.sweep.values import View, value_of
from lnexplorer.store.resources import resource
from tests.gui.sample_sweeps import invented_rows

MAP, GROUPS = (preset.sweep for preset in PRESETS[1:])


def model_of(sweep: SweepRequest, view: View | None = None, gpu: str | None = "NVIDIA H200") -> SweepModel:
    model = SweepModel(sweep)
    model.add(invented_rows(sweep, gpu))
    model.look_at(view or View())
    return model


def test_each_strategy_and_peer_is_a_line_with_its_band() -> None:
    ours, torch = model_of(TUTORIAL.sweep).lines()
    assert (ours.label, torch.label) == ("locked", "PyTorch")
    assert ours.x.size == len(TUTORIAL.sweep.axes[0].values)
    assert (ours.low <= ours.y).all()
    assert (ours.y <= ours.high).all()
    assert (np.diff(ours.x) > 0).all()


def test_figures_of_unlike_devices_are_never_one_line() -> None:
    rows = invented_rows(TUTORIAL.sweep)
    other = replace(rows[0].environment, gpu="NVIDIA A100")
    model = SweepModel(TUTORIAL.sweep)
    model.add(replace(row, environment=other) if row.cell.number % 4 < 2 else row for row in rows)
    labels = [line.label for line in model.lines()]
    assert sorted(labels) == sorted(f"{name} · {gpu}" for name in ("locked", "PyTorch") for gpu in ("NVIDIA H200", "NVIDIA A100"))
    assert all(not np.isnan(line.y).any() for line in model.lines())


def test_a_wrong_setting_breaks_the_line_and_stands_at_its_foot() -> None:
    model = model_of(GROUPS)
    (line,) = model.lines()
    place = list(GROUPS.axes[0].values).index(2)
    assert np.isnan(line.y[place])
    (mark,) = model.foot()
    assert (mark.status, mark.x) == ("incorrect", 1.0)  # log2 of 2


def test_a_peer_beside_launch_settings_is_a_level_line() -> None:
    sweep = replace(GROUPS, providers=("torch",))
    torch = model_of(sweep).lines()[1]
    assert torch.x.size == len(GROUPS.axes[0].values)
    assert len(set(torch.y)) == 1
    assert len(set(torch.cells)) == 1


def test_a_row_that_comes_again_replaces_the_one_before() -> None:
    model = model_of(GROUPS)
    again = replace(model.results[1], status="ok", reason="", figures=model.results[2].figures)
    model.add([again])
    assert model.foot() == ()
    assert not np.isnan(model.lines()[0].y).any()


def test_every_cell_of_a_map_says_what_became_of_it() -> None:
    grid = model_of(MAP).grid(("locked", "NVIDIA H200"), {})
    assert grid.values.shape == (6, 7)
    assert (grid.cells >= 0).all()
    assert set(grid.states.reshape(-1)) == {"ok", "out_of_resources", "timed_out"}
    assert grid.states[0, 0] == "timed_out"
    assert np.isnan(grid.values[0, 0])
    best = np.unravel_index(np.nanargmax(grid.values), grid.values.shape)
    assert list(grid.best) == [grid.cells[best]]


def test_a_map_under_way_has_cells_without_a_row() -> None:
    model = SweepModel(MAP)
    model.add(invented_rows(MAP)[:3])
    grid = model.grid(("locked", "NVIDIA H200"), {})
    assert (grid.cells >= 0).sum() == 3
    assert (grid.states == "").sum() == grid.states.size - 3


def test_the_best_setting_knows_how_sure_it_is() -> None:
    (found,) = model_of(GROUPS).bests()
    assert found.result.cell.request.group_size_m == 96
    assert found.sure
    assert model_of(TUTORIAL.sweep).bests() == []  # one setting for each problem: nothing to choose from


def test_the_axis_names_where_the_heuristics_choose_otherwise_and_where_curves_meet() -> None:
    model = model_of(TUTORIAL.sweep)
    while not model.knows_changes:
        model.changes()
    changes = {(change.at, change.name) for change in model.changes()}
    assert (8704, "block_size") in changes
    assert all(name in {"block_size", "num_warps", "group_size_m"} for _, name in changes)
    held = SweepModel(replace(TUTORIAL.sweep, base=replace(TUTORIAL.sweep.base, group_size_m=64)))
    while not held.knows_changes:
        held.changes()
    assert len(held.changes()) < len(changes)
    assert not any(change.name == "group_size_m" for change in held.changes())
    assert model.crossings()


@pytest.mark.parametrize("quantity", ["share", "error", "registers", "occupancy"])
def test_other_quantities_are_read_off_the_same_rows(quantity: str) -> None:
    model = model_of(GROUPS, View(quantity=quantity))
    (line,) = model.lines()
    assert np.isfinite(line.y).sum() >= len(GROUPS.axes[0].values) - 1


def test_the_interpreter_gives_errors_and_no_speeds() -> None:
    assert model_of(GROUPS, gpu=None).lines() == ()
    (line,) = model_of(GROUPS, View(quantity="error"), gpu=None).lines()
    assert line.y[-1] < line.y[0]


def test_the_error_of_a_pass_is_that_of_its_results() -> None:
    row = invented_rows(GROUPS)[0]
    errors = tuple(replace(error, max_abs=size) for error, size in zip(row.errors, (1.0, 2.0, 3.0, 4.0), strict=True))
    row = replace(row, errors=errors)
    assert value_of(row, View("error", "forward")) == (1.0, 1.0, 1.0)
    assert value_of(row, View("error", "backward")) == (4.0, 4.0, 4.0)


def test_values_stand_by_size_by_powers_or_side_by_side() -> None:
    assert value_scale((1024, 1536, 2048), ("a", "b", "c")).places == (1024.0, 1536.0, 2048.0)
    powers = value_scale((1, 4, 16, 64), ("a", "b", "c", "d"))
    assert powers.places == (0.0, 2.0, 4.0, 6.0)
    assert powers.value_at(powers.place_of(16)) == 16
    assert not value_scale(("float16", "float32"), ("a", "b")).by_size
    assert value_scale((None, 4), ("automatic", "4")).places == (0.0, 1.0)


def test_published_tables_lie_beside_the_backward_pass_and_nothing_else() -> None:
    english, _chinese = (overlay for overlay in read_overlays(resource("recordings")) if overlay.kind.value == "published")
    scale = model_of(TUTORIAL.sweep).scales[0]
    lines = overlay_lines(english, View(), scale, "published")
    assert {line.label for line in lines} == {"locked · published", "PyTorch · published", "Apex · published"}
    assert overlay_lines(english, View(direction="forward"), scale, "published") == ()
    assert overlay_lines(english, View(quantity="error"), scale, "published") == ()


def test_a_sweep_over_what_is_no_number_has_its_values_side_by_side() -> None:
    sweep = SweepRequest(base=RunRequest(m=64, n=512), axes=(Axis(name="dtype", values=("float16", "float32")),))
    model = model_of(sweep)
    assert [line.x.tolist() for line in model.lines()] == [[0.0, 1.0]]
    assert model.crossings() == []


def test_curves_that_differ_by_noise_alone_are_not_said_to_overtake_each_other() -> None:
    sweep = replace(TUTORIAL.sweep, strategies=("locked", "persistent"), providers=())
    sweep = replace(sweep, axes=(Axis(name="n", values=tuple(range(1024, 15872, 64))),))
    assert model_of(sweep).crossings() == []


def test_one_launch_under_two_names_overtakes_itself_nowhere() -> None:
    sweep = replace(TUTORIAL.sweep, strategies=("persistent", "auto"), providers=())
    rows = invented_rows(sweep)
    chosen = {row.cell.request.n: row.resolved for row in rows if row.cell.provider == "persistent"}
    # One row in two is the faster one, by noise.
    shaken = [
        replace(row, resolved=chosen[row.cell.request.n], figures=tuple(replace(f, gbps=f.gbps * factor) for f in row.figures))
        for number, row in enumerate(rows)
        for factor in (1.02 if number % 4 in (0, 3) else 0.98,)
    ]
    model = SweepModel(sweep)
    model.add(shaken[:16])
    assert model.crossings() == []
    apart = SweepModel(sweep)
    apart.add(
        replace(row, resolved=resolve(replace(row.cell.request, num_warps=8 if place % 2 else 4), "cuda"))
        for place, row in enumerate(shaken[:16])
    )
    assert apart.crossings()


def test_maps_of_unlike_devices_are_apart() -> None:
    rows = invented_rows(MAP)
    other = replace(rows[0].environment, gpu="NVIDIA A100")
    model = SweepModel(MAP)
    model.add(replace(row, environment=other) if row.cell.number % 2 else row for row in rows)
    assert model.map_keys() == (("locked", "NVIDIA A100"), ("locked", "NVIDIA H200"))
    shown = [(model.grid(key, {}).cells >= 0).sum() for key in model.map_keys()]
    assert shown == [21, 21]
