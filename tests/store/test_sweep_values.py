"""A sweep as plain values comes back as it was, and whatever is none is refused in a sentence."""

import copy
import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.table import row as table_row
from lnexplorer.store.files import StoreError
from lnexplorer.store.recorded_sweep import RecordedSweep, recorded_sweep, sweep_from_plain, sweep_to_plain
from lnkernels.values.environment import Kind
from tests.domain.sweep.results import row
from tests.gui.sample_sweeps import invented_rows

CURVE = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048, 70_000)),), providers=("torch",))
MAP = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(Axis(name="block_size", values=(256, None)), Axis(name="num_warps", values=(1, 32))),
    waits=True,
)


def plain_of(recorded: RecordedSweep) -> Any:
    return json.loads(json.dumps(sweep_to_plain(recorded), allow_nan=False))


def curve() -> RecordedSweep:
    return recorded_sweep(CURVE, invented_rows(CURVE), title="A curve", ended="finished")


@pytest.mark.parametrize("sweep", [CURVE, MAP])
def test_what_is_taken_apart_comes_back_as_recorded_with_its_device(sweep: SweepRequest) -> None:
    written = recorded_sweep(sweep, invented_rows(sweep)[::-1], title="A title", ended="cancelled")
    read = sweep_from_plain(plain_of(written))
    assert (read.sweep, read.title, read.date, read.ended) == (sweep, "A title", written.date, "cancelled")
    assert {result.kind for result in read.results} == {Kind.RECORDED}
    assert read.gpus == ("NVIDIA H200",)
    measured = [replace(result, kind=Kind.MEASURED) for result in read.results]
    assert [table_row(sweep, result) for result in measured] == [table_row(sweep, result) for result in written.results]
    for one, other in zip(read.results, written.results, strict=True):
        assert (one.cell, one.environment, one.resolved) == (other.cell, other.environment, other.resolved)
        for mine, theirs in zip(one.figures, other.figures, strict=True):
            assert np.array_equal(mine.samples_ms, theirs.samples_ms)


def test_what_stands_for_the_samples_is_the_caller_s_choice() -> None:
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> dict[str, str]:
        arrays.append(array)
        return {"array": "0"}

    plain = sweep_to_plain(curve(), put)
    (samples,) = arrays
    assert plain["samples_ms"] == {"array": "0"}
    read = sweep_from_plain(plain | {"samples_ms": samples})
    assert sum(figure.samples_ms.size for result in read.results for figure in result.figures) == samples.size > 0


def test_times_of_single_precision_take_half_the_room() -> None:
    def rounded(result: CellResult) -> CellResult:
        figures = [replace(f, samples_ms=f.samples_ms.astype(np.float32).astype(np.float64)) for f in result.figures]
        return replace(result, figures=tuple(figures))

    arrays: list[np.ndarray] = []
    results = [rounded(result) for result in invented_rows(CURVE)]
    sweep_to_plain(recorded_sweep(CURVE, results), arrays.append)
    sweep_to_plain(curve(), arrays.append)
    assert [array.dtype.itemsize for array in arrays] == [4, 8]


def test_the_interpreter_s_stays_interpreted_and_a_number_that_is_none_comes_back() -> None:
    results = invented_rows(CURVE, gpu=None)
    spoilt = replace(results[0], errors=(replace(results[0].errors[0], max_abs=math.inf, passed=False),))
    read = sweep_from_plain(plain_of(recorded_sweep(CURVE, [spoilt, *results[1:]])))
    assert {result.kind for result in read.results} == {Kind.INTERPRETED}
    assert read.gpus == ("CPU",)
    assert read.results[0].errors[0].max_abs == math.inf


def test_a_search_has_cells_of_its_own() -> None:
    search = SweepRequest(base=RunRequest(m=4096, n=1024), search=5)
    cells = [
        Cell(number=number, point=(), provider="locked", peer=False, request=RunRequest(m=4096, n=1024, num_warps=2**number))
        for number in range(3)
    ]
    read = sweep_from_plain(plain_of(recorded_sweep(search, [row(cell) for cell in cells])))
    assert [result.cell for result in read.results] == cells
    assert read.total == 5


def _more_samples(plain: Any) -> None:
    plain["samples_ms"].append(1.0)


def _fewer_samples(plain: Any) -> None:
    del plain["samples_ms"][5:]


def _set(place: str, value: Any) -> Callable[[Any], None]:
    """A change of one value: "results.0.cell.number"."""

    def change(plain: Any) -> None:
        *path, last = place.split(".")
        for name in path:
            plain = plain[int(name)] if isinstance(plain, list) else plain[name]
        plain[int(last) if isinstance(plain, list) else last] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_more_samples, "samples, and its figures"),
        (_fewer_samples, "samples"),
        (_set("samples_ms", "many"), "not complete"),
        (_set("samples_ms", None), "not complete"),
        (_set("results", None), "not complete"),
        (_set("results", []), "samples, and its figures 0"),
        (_set("results.0.cell.number", 1), "not in the order"),
        (_set("results.0.cell.number", -1), "cell -1"),
        (_set("results.5.cell.number", 6), "cell 6, and 6 cells"),
        (_set("results.0.cell.point", [3]), "row 0: it lies at"),
        (_set("results.0.cell.point", [1]), "n is 1024, and at its place 2048"),
        (_set("results.0.cell.provider", "torch"), "which its sweep has not"),
        (_set("results.0.status", "splendid"), "not complete"),
        (_set("results.0.status", "failed"), "no right results"),
        (_set("results.0.kind", "interpreted"), "no right results"),
        (_set("results.0.figures.0.samples_ms", -1), "how many samples"),
        (_set("results.0.figures.0.p50_ms", 0.0), "impossible"),
        (_set("results.0.figures.0.gbps", {"float": "nan"}), "impossible"),
        (_set("results.0.figures.0.direction", "sideways"), "sideways"),
        (_set("results.0.errors.0.max_abs", -1.0), "the error of y"),
        (_set("results.0.errors.0.name", "z"), "the error of z"),
        (_set("results.0.resolved.m", 0), "0 rows"),
        (_set("results.0.resolved.launch.num_warps", 3), "not possible"),
        (_set("results.0.wait_ns", -1.0), "impossible time"),
        (_set("results.0.seconds", {"float": "inf"}), "impossible time"),
        (_set("ended", "well"), "ended as 'well'"),
        (_set("sweep.axes.0.name", "speed"), "sweep is not possible"),
        (_set("sweep.effort", "lazy"), "sweep is not possible"),
        (_set("sweep.base.m", 2**70), "not complete"),
    ],
)
def test_values_that_cannot_be_are_refused(change: Callable[[Any], None], words: str) -> None:
    plain = copy.deepcopy(plain_of(curve()))
    change(plain)
    with pytest.raises(StoreError, match=words):
        sweep_from_plain(plain)


@pytest.mark.parametrize("plain", [None, [], {}, {"samples_ms": []}, 3, "sweep"])
def test_something_else_is_refused(plain: Any) -> None:
    with pytest.raises(StoreError, match="not complete"):
        sweep_from_plain(plain)


def test_a_sweep_without_rows_is_not_recorded() -> None:
    with pytest.raises(StoreError, match="no row"):
        recorded_sweep(CURVE, [])


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("gpu of its environment", {"gpu": "H200\nrm -rf"}),
        ("gpu of its environment", {"gpu": "=HYPERLINK(1)"}),
        ("torch of its environment", {"torch": "2" * 300}),
    ],
)
def test_texts_that_would_be_more_than_text_elsewhere_are_refused(what: str, change: dict[str, str]) -> None:
    whole = curve()
    results = tuple(replace(each, environment=replace(each.environment, **change)) for each in whole.results)
    with pytest.raises(StoreError, match=what):
        sweep_from_plain(plain_of(replace(whole, results=results)))


def test_names_that_a_shell_would_run_are_refused() -> None:
    def renamed(cell: Cell) -> Cell:
        return replace(cell, provider="torch;touch$IFS/x") if cell.peer else cell

    whole = curve()
    sweep = replace(CURVE, providers=("torch;touch$IFS/x",))
    results = tuple(replace(each, cell=renamed(each.cell)) for each in whole.results)
    with pytest.raises(StoreError, match="a provider of its sweep is called torch;touch"):
        sweep_from_plain(plain_of(replace(whole, sweep=sweep, results=results)))
    fixed = replace(CURVE, base=replace(CURVE.base, dtype="float16;x"))
    with pytest.raises(StoreError, match="dtype"):
        sweep_from_plain(plain_of(replace(whole, sweep=fixed)))
