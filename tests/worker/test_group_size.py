"""The experiment with GROUP_SIZE_M: each figure stands with its size and its type of buffers. Figures are made up."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from lnexplorer.domain.experiments.request import GROUP_SIZES
from lnexplorer.domain.measuring import CandidateOutcome, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.worker.experiments import group_size
from tests.sample_results import make_device
from tests.worker.test_experiments import Quiet


class Measurer:
    """Finds everything right, and times nothing."""

    def measure(self, _task: object, request: MeasureRequest) -> SimpleNamespace:
        outcomes = [CandidateOutcome(label=str(each), status="ok", setting=each) for each in request.settings]
        return SimpleNamespace(outcomes=tuple(outcomes))

    def forget(self) -> None:
        pass


def test_rows_wait_with_buffers_of_either_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(_task: object, request: RunRequest, _backend: str, _device: object) -> float:
        return (1000.0 if request.launch.partial_dtype == "float32" else 1.0) * (request.launch.group_size_m or 0)

    monkeypatch.setattr(group_size, "mean_wait_ns", wait)
    problem, device = RunRequest(m=4096, n=1024), replace(make_device("cuda"), backend="interpreter")
    found = group_size.group_sizes(Quiet(), problem, Measurer(), torch.device("cpu"), device)  # type: ignore[arg-type]
    assert [point.wait_ns for point in found.points] == [1000.0 * size for size in GROUP_SIZES]
    assert [point.wait_same_ns for point in found.points] == [1.0 * size for size in GROUP_SIZES]
