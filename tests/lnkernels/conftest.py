"""Where the kernels run in these tests, and memory that nobody may mistake for zeros."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import resolve_launch
from lnkernels.launch.tuned import forget_what_was_read

if IS_INTERPRETED:
    torch.set_num_threads(1)  # several threads wait for each other longer than such small tensors take


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


def forget_launches() -> None:
    """Have the file of tuned settings read anew by the next choice."""
    forget_what_was_read()
    resolve_launch.cache_clear()


@pytest.fixture
def tuned_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own for what is tuned."""
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    forget_launches()
    yield tmp_path
    monkeypatch.undo()
    forget_launches()
