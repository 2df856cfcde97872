"""When the allocator's cache is given back; the device is made up."""

import pytest
import torch

from lnkernels.timing.cuda import give_back_unused

GIB = 1 << 30


@pytest.mark.parametrize(
    ("reserved", "allocated", "free", "given_back"),
    [
        (10, 8, 30, False),
        (30, 10, 70, False),
        (60, 10, 40, True),  # more than a quarter of all
        (80, 70, 4, True),  # a capture might not fit beside it
        (80, 78, 4, False),
    ],
)
def test_the_cache_is_emptied_only_when_it_holds_much(
    monkeypatch: pytest.MonkeyPatch, reserved: int, allocated: int, free: int, given_back: bool
) -> None:
    emptied: list[bool] = []
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: reserved * GIB)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda _: allocated * GIB)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (free * GIB, 100 * GIB))
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: emptied.append(True))
    give_back_unused(torch.device("cuda", 0))
    assert bool(emptied) == given_back
