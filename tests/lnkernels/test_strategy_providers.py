"""The project's own strategies as providers: found by name, right in both ways of calling, launched as the case says."""

from dataclasses import replace

import pytest
import torch

from lnkernels.inputs import make_inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import STRATEGIES, LaunchWish, resolve_launch
from lnkernels.providers.discovery import discover
from lnkernels.providers.protocol import Case
from lnkernels.providers.verify import Verifier
from lnkernels.strategies.registry import decide_launch

DEVICE = torch.device("cpu" if IS_INTERPRETED else "cuda")
OWN = {
    "locked": {"group_size_m": 2},
    "persistent": {"rows": 2, "programs_per_sm": 1},
    "split": {"block_size_n": 16},
    "atomic": {"num_warps": 1},
    "auto": {"num_warps": 2},
}


def case_of(strategy: str, **wished: int) -> Case:
    launch = resolve_launch(40, "float32", LaunchWish(strategy=strategy, **wished))
    return Case.of(make_inputs(5, 40, torch.float32, "normal", 0, DEVICE), 1e-5, launch)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_a_provider_that_passes_its_check(strategy: str) -> None:
    provider = discover().providers[strategy]
    assert provider.unavailable() is None
    for wished in ({}, OWN[strategy]):
        case = case_of(strategy, **wished)
        assert Verifier(case)(provider) is None


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_beside_a_launch_of_another_strategy_it_has_its_own_settings(strategy: str) -> None:
    other = "split" if strategy == "locked" else "locked"
    assert Verifier(case_of(other, **OWN[other]))(discover().providers[strategy]) is None


def test_a_row_too_wide_for_a_strategy_is_a_reason_and_no_fault() -> None:
    case = replace(case_of("split"), x=torch.zeros(1, 70000, device=DEVICE))
    for strategy in ("locked", "persistent", "atomic"):
        with pytest.raises(ValueError, match="n = 70000 is not possible"):
            discover().providers[strategy].forward(case)


def test_settings_that_are_given_are_those_that_are_launched() -> None:
    wished = LaunchWish(strategy="persistent", rows=2, num_warps=4, forward_rows=1)
    launch = decide_launch(wished, 40, "float32", DEVICE)
    assert (launch.rows, launch.num_warps, launch.forward_rows) == (2, 4, 1)
