"""The experiment that finds out whose bits change with what is around a row."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lnexplorer.domain.experiments.invariance import INVARIANT, BitsSide, Invariance
from lnexplorer.domain.request import RunRequest
from lnexplorer.worker import timing
from lnexplorer.worker.device import open_device
from lnexplorer.worker.experiments.invariance import measure
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.measuring import Measurer
from lnkernels.launch import LaunchWish
from lnkernels.launch.source import find_source
from lnkernels.values.figures import DIRECTIONS, Throughput
from tests.sample_results import figure_of
from tests.worker.test_experiments import work

# From 7 rows on, it adds each row in two halves.
SWITCHING = """
import torch
import triton
import triton.language as tl

NAME = "switching"

@triton.jit
def rows_kernel(x, weight, bias, y, means, rstds, eps, N: tl.constexpr, HALVES: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, N)
    given = tl.load(x + row * N + columns).to(tl.float32)
    if HALVES:
        half = tl.arange(0, N // 2)
        first = tl.load(x + row * N + 2 * half).to(tl.float32)
        second = tl.load(x + row * N + 2 * half + 1).to(tl.float32)
        mean = (tl.sum(first, axis=0) + tl.sum(second, axis=0)) / N
    else:
        mean = tl.sum(given, axis=0) / N
    centred = given - mean
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / N + eps)
    tl.store(means + row, mean)
    tl.store(rstds + row, rstd)
    found = centred * rstd * tl.load(weight + columns) + tl.load(bias + columns)
    tl.store(y + row * N + columns, found)

def forward(x, weight, bias, eps):
    m, n = x.shape
    y = torch.empty_like(x)
    mean, rstd = (torch.empty(m, device=x.device) for _ in range(2))
    rows_kernel[(m,)](x, weight, bias, y, mean, rstd, eps, N=n, HALVES=m > 6)
    return y, mean, rstd

def backward(dy, x, weight, mean, rstd):
    xhat = (x - mean[:, None]) * rstd[:, None]
    wdy = dy * weight
    c1, c2 = ((each.double().mean(1, keepdim=True)).float() for each in (xhat * wdy, wdy))
    dx = (wdy - xhat * c1 - c2) * rstd[:, None]
    return dx, (dy * xhat).double().sum(0).float(), dy.double().sum(0).float()
"""
PROBLEM = RunRequest(
    m=8, n=64, dtype="float32", data="normal", launch=LaunchWish(strategy="persistent")
)


@pytest.fixture(scope="module")
def measured() -> Iterator[Callable[..., Invariance]]:
    """Return what does the experiment; all of them share the process that judges kernels."""
    measurer = Measurer(*open_device("interpreter"))

    def measured(runs: int, *providers: str, **given: object) -> Invariance:
        asked = work("invariance", runs, PROBLEM, providers=providers, **given)
        return measure(replace(asked, measurer=measurer))

    yield measured
    measurer._referee.close()


@pytest.fixture(scope="module")
def sides(
    tmp_path_factory: pytest.TempPathFactory, measured: Callable[..., Invariance]
) -> dict[str, BitsSide]:
    path = tmp_path_factory.mktemp("own") / "switching.py"
    path.write_text(SWITCHING)
    found = measured(2, "switching", "torch", kernel=find_source(str(path)))
    assert found.rows == 2
    return {side.name: side for side in found.sides}


def first(side: BitsSide, way: str, result: str) -> tuple[int | None, str]:
    (cell,) = (cell for cell in side.cells if (cell.way, cell.result) == (way, result))
    assert (cell.at is None) == (cell.share == 0)
    return cell.at, cell.setting


def test_a_kernel_that_switches_its_reduction_with_the_batch_is_found_out(
    sides: dict[str, BitsSide],
) -> None:
    switching = sides["switching"]
    assert first(switching, "size", "y") == (7, "rows_kernel.HALVES False → True")
    assert first(switching, "size", "dw") == (7, "rows_kernel.HALVES False → True")
    assert first(switching, "size", "db") == (None, "")  # which takes no mean
    for way in ("place", "nan", "stride", "run"):
        assert first(switching, way, "y") == (None, ""), way


def test_another_kernel_is_named_in_place_of_its_settings(
    measured: Callable[..., Invariance], tmp_path: Path
) -> None:
    kernel = SWITCHING[SWITCHING.index("@triton.jit") : SWITCHING.index("def forward(")]
    path = tmp_path / "switching.py"
    path.write_text(
        SWITCHING.replace(kernel, kernel + kernel.replace("rows_kernel", "halves_kernel")).replace(
            "    rows_kernel[", "    (halves_kernel if m > 6 else rows_kernel)["
        )
    )
    sides = measured(1, "switching", kernel=find_source(str(path))).sides
    (switching,) = (side for side in sides if side.name == "switching")
    assert first(switching, "size", "y") == (7, "rows_kernel → halves_kernel")


def test_the_invariant_launch_keeps_all_bits_and_every_way_is_tried(
    sides: dict[str, BitsSide],
) -> None:
    assert list(sides) == ["persistent", "switching", "torch", INVARIANT]
    invariant = sides[INVARIANT]
    assert {cell.at for cell in invariant.cells} == {None}
    assert {cell.way for cell in invariant.cells if cell.result == "y"} == {
        *("size", "place", "nan", "stride", "sms", "run")
    }
    assert all(cell.runs for cell in invariant.cells)
    assert not any(cell.way == "sms" for cell in sides["torch"].cells)


def test_a_provider_that_is_not_here_is_refused_with_its_name(
    measured: Callable[..., Invariance],
) -> None:
    with pytest.raises(Exception, match="nobody cannot be looked at"):
        measured(2, "nobody")


def test_on_a_gpu_all_that_are_looked_at_are_timed(
    monkeypatch: pytest.MonkeyPatch, measured: Callable[..., Invariance]
) -> None:
    def measure(_case: object, providers: list[Any], **_others: object) -> Throughput:
        figures = [
            figure_of(np.full(30, 0.2 if each.name == "torch" else 0.1), 1.0, each.name, way)
            for each in providers
            for way in DIRECTIONS
        ]
        return Throughput(figures=tuple(figures))

    monkeypatch.setattr(timing, "measure", measure)
    monkeypatch.setattr(Work, "on_gpu", True)
    times = {side.name: side.backward_ms for side in measured(2, "torch").sides}
    assert times == {
        name: pytest.approx(ms) for name, ms in zip(times, (0.1, 0.2, 0.1), strict=True)
    }
    assert list(times) == ["persistent", "torch", INVARIANT]


def test_a_kernel_that_differs_from_run_to_run_is_found_out(
    sides: dict[str, BitsSide], measured: Callable[..., Invariance], monkeypatch: pytest.MonkeyPatch
) -> None:
    native, calls = torch.nn.functional.layer_norm, iter(range(10**6))

    def drifting(*given: object, **named: object) -> torch.Tensor:
        return native(*given, **named) + 1e-3 * (next(calls) % 2)  # type: ignore[arg-type]

    monkeypatch.setattr(torch.nn.functional, "layer_norm", drifting)
    found = measured(3, "torch")
    drifted = next(side for side in found.sides if side.name == "torch")
    assert first(drifted, "run", "y")[0] is not None
    assert first(sides["torch"], "run", "y") == (None, "")


def test_of_a_forward_pass_alone_y_is_looked_at(
    tmp_path: Path, measured: Callable[..., Invariance]
) -> None:
    path = tmp_path / "alone.py"
    path.write_text(
        "import torch\n\n@torch.no_grad()\ndef layer_norm(x, shape, weight, bias, eps):\n"
        "    return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)\n"
    )
    found = measured(2, "torch", kernel=find_source(str(path)))
    alone = next(side for side in found.sides if side.name == "alone")
    assert {cell.result for cell in alone.cells} == {"y"}
