"""The device of these tests, memory that nobody may mistake for zeros, and a small problem."""

import contextlib
from pathlib import Path

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import USUAL_LIMITS, LaunchWish, resolve_launch
from lnkernels.providers.protocol import Case
from lnkernels.timing import measure as measuring
from tests.lnkernels.own_files import OwnFile

DEVICE = torch.device("cpu" if IS_INTERPRETED else "cuda")


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill whatever torch.empty gives with NaN, or with a large integer."""
    empty = torch.empty

    def poisoned_empty(*args: object, **kwargs: object) -> torch.Tensor:
        tensor: torch.Tensor = empty(*args, **kwargs)  # type: ignore[call-overload]
        return tensor.fill_(torch.nan if tensor.is_floating_point() else 0x5A5A5A5A)

    monkeypatch.setattr(torch, "empty", poisoned_empty)


@pytest.fixture
def case() -> Case:
    """A small problem for files of one's own."""
    inputs = make_inputs(6, 40, torch.float32, "tutorial", 0, torch.device("cpu"))
    return Case.of(
        inputs,
        1e-5,
        resolve_launch(40, "float32", LaunchWish(strategy="locked"), USUAL_LIMITS, m=6),
    )


@pytest.fixture
def mine(tmp_path: Path, case: Case) -> OwnFile:
    """Files of one's own, checked on the small problem."""
    return OwnFile(tmp_path, case)


@pytest.fixture
def without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have measurements go on where there is none, with stopwatches that a test makes up."""
    for name in ("require_cuda", "Flush"):
        monkeypatch.setattr(measuring, name, lambda _: None)
    monkeypatch.setattr(measuring, "Capture", lambda _: lambda prepare, keep=False: prepare())
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    for name in ("synchronize", "empty_cache"):
        monkeypatch.setattr(torch.cuda, name, lambda: None)
