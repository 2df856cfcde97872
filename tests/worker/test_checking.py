"""What is looked at again of a run that has ended."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from lnexplorer.domain.jobs import InspectJob
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.worker import checking
from lnexplorer.worker.checking import LastRun, check_kernels, inspect
from lnexplorer.worker.connection import Cancellation, Task
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import kernel_results, torch_results
from lnkernels.passes import locked
from lnkernels.trace.flight_recorder import snapshot
from lnkernels.values.accuracy import ErrorMap
from lnkernels.values.timeline import HangSnapshot

EPS = 1e-5


def test_an_element_has_the_values_of_kernel_pytorch_and_float64() -> None:
    inputs = make_inputs(6, 40, torch.float16, "normal", 0, "cpu")
    theirs = torch_results(inputs, EPS)
    assert theirs.dx is not None
    kernel = replace(theirs, dx=theirs.dx + 0.5)
    assert kernel.dx is not None
    found = inspect(LastRun(inputs, kernel, EPS), InspectJob("dx", 4, 5, 7, 8))
    assert isinstance(found, ErrorMap)
    assert found.element is not None
    got, torch_value, truth = found.element
    assert got == float(kernel.dx[4, 7])
    assert torch_value == float(theirs.dx[4, 7])
    x, dy, weight = inputs.x.double(), inputs.dy.double(), inputs.weight.double()  # type: ignore[union-attr]
    rstd = (x.var(1, keepdim=True, unbiased=False) + EPS).rsqrt()
    xhat = (x - x.mean(1, keepdim=True)) * rstd
    scaled = dy * weight
    dx = rstd * (
        scaled - scaled.mean(1, keepdim=True) - xhat * (scaled * xhat).mean(1, keepdim=True)
    )
    assert truth == pytest.approx(float(dx[4, 7]), rel=1e-9)
    assert found.values.item() == pytest.approx(abs(got - truth), rel=1e-5)
    whole = inspect(LastRun(inputs, kernel, EPS), InspectJob("dx", 4, 6, 7, 8))
    assert isinstance(whole, ErrorMap)
    assert whole.element is None


@pytest.mark.parametrize("watched", [False, True])
def test_a_check_that_is_recorded_knows_where_rows_of_locked_stand(
    watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[HangSnapshot | None] = []

    def results(*given: Any) -> Any:
        made = kernel_results(*given)
        seen.append(snapshot())  # as the engine asks for it while the kernel hangs
        return made

    monkeypatch.setattr(checking, "kernel_results", results)
    resolved = resolve(RunRequest.of(m=6, n=8, group_size_m=4, strategy="locked"), "interpreter")
    inputs = make_inputs(6, 8, torch.float16, "tutorial", 0, "cpu")
    task = Task(1, SimpleNamespace(send=lambda _: None), Cancellation())  # type: ignore[arg-type]
    theirs = torch_results(inputs, EPS)
    check_kernels(task, inputs, resolved, theirs, lambda: None, watched=watched)
    (hang,) = seen
    assert (hang is not None) is watched
    if hang is not None:
        text = Path(locked.__file__).read_text().splitlines()
        told = {name: text[line - 1] for name, (line,) in zip(hang.stamps, hang.lines, strict=True)}
        assert list(told) == ["start", "wanted", "held", "released"]
        assert all(f'stamp(watch_ptr, "{name}"' in line for name, line in told.items())
        assert hang.row.tolist() == list(range(6))
    assert snapshot() is None
