"""Tests marked `gpu` are skipped where Triton has no GPU to compile for."""

from collections.abc import Iterable

import pytest
import torch

from lnkernels.interpreter import IS_INTERPRETED
from tests.engine.conftest import fault_file  # noqa: F401  # a fixture


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    if torch.cuda.is_available() and not IS_INTERPRETED:
        return
    reason = (
        "TRITON_INTERPRET is set" if torch.cuda.is_available() else "torch sees no NVIDIA GPU here"
    )
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(pytest.mark.skip(reason=reason))
