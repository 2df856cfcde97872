"""The device of these tests, and memory that nobody may mistake for zeros."""

import pytest
import torch

from lnkernels.interpreter import IS_INTERPRETED

if IS_INTERPRETED:
    torch.set_num_threads(
        1
    )  # several threads wait for each other longer than such small tensors take


@pytest.fixture
def device() -> torch.device:
    return torch.device("cpu" if IS_INTERPRETED else "cuda")


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill whatever torch.empty gives with NaN, or with a large integer."""
    empty = torch.empty

    def poisoned_empty(*args: object, **kwargs: object) -> torch.Tensor:
        tensor: torch.Tensor = empty(*args, **kwargs)  # type: ignore[call-overload]
        return tensor.fill_(torch.nan if tensor.is_floating_point() else 0x5A5A5A5A)

    monkeypatch.setattr(torch, "empty", poisoned_empty)
