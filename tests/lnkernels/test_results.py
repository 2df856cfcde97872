"""Inputs are what their descriptions say, the truth is what float64 autograd computes, and no bad
element is lost.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from lnkernels.check.accuracy import PooledMap, RunningStats, abs_error, unit_in_last_place
from lnkernels.check.inputs import DISTRIBUTIONS, make_inputs
from lnkernels.check.results import torch_results, true_rows
from tests.lnkernels.conftest import DEVICE


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_seed_gives_the_same_inputs_again_and_another_seed_others(distribution: str) -> None:
    first, again, other = (
        make_inputs(9, 16, torch.float16, distribution, seed, DEVICE) for seed in (3, 3, 4)
    )
    for name in ("x", "weight", "bias", "dy"):
        assert torch.equal(getattr(first, name).nan_to_num(), getattr(again, name).nan_to_num())
    assert not torch.equal(first.dy, other.dy)
    assert first.x.shape == first.dy.shape == (9, 16)
    assert first.x.dtype == first.dy.dtype == torch.float16


def test_the_distributions_have_what_they_are_named_for() -> None:
    x = {name: make_inputs(64, 256, torch.float32, name, 0, "cpu").x for name in DISTRIBUTIONS}
    assert x["tutorial"].mean() == pytest.approx(-2.3, abs=0.05)
    assert x["tutorial"].std() == pytest.approx(0.5, abs=0.05)
    assert x["offset"].mean() == pytest.approx(1e4, abs=0.01)
    assert torch.equal(x["constant"], x["constant"][:, :1].expand(64, 256))
    assert (x["spike"] == 1e4).sum(1).tolist() == [1] * 64
    assert x["nan"].isnan().sum(1).tolist() == [1, 0, 0, 0] * 16
    assert x["inf"].isinf().sum(1).tolist() == [1, 0, 0, 0] * 16
    assert x["inf"].isposinf().sum() == x["inf"].isneginf().sum() == 8


@pytest.mark.parametrize("parameters", [True, False])
@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm"])
def test_the_truth_is_float64_autograds(norm: str, parameters: bool) -> None:
    inputs = make_inputs(5, 16, torch.float64, "tutorial", 0, "cpu", norm)
    if not parameters:
        inputs = replace(inputs, weight=None, bias=None)
    theirs, true = torch_results(inputs, 1e-5), true_rows(inputs, 1e-5, slice(0, 5))
    sums = {"dw": (true.dy * true.xhat).sum(0), "db": true.dy.sum(0)}
    for name in ("y", "dx", "dw", "db"):
        if (expected := getattr(theirs, name)) is not None:
            found = sums[name] if name in sums else getattr(true, name)
            torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


def pooled_abs_error(result: torch.Tensor, truth: torch.Tensor) -> NDArray[np.float32]:
    pooled = PooledMap(*result.shape)
    pooled.add(result, truth)
    return pooled.error_map("y").values


def test_one_bad_element_among_millions_is_in_the_map() -> None:
    truth = torch.zeros(1500, 3000, dtype=torch.float64)
    result = truth.float()
    result[1499, 2999] = 0.5
    pooled = pooled_abs_error(result, truth)
    assert pooled.shape == (500, 1000)
    assert pooled.max() == 0.5
    assert pooled[499, 999] == 0.5
    assert np.count_nonzero(pooled) == 1


def test_a_unit_in_the_last_place_is_the_distance_to_the_next_number() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        values = torch.tensor([1.0, 1.5, 2.0, 1000.0, 0.1, 0.0], dtype=dtype)
        steps = unit_in_last_place(values.double(), dtype)
        assert steps[0] == torch.finfo(dtype).eps
        assert steps[2] == 2 * torch.finfo(dtype).eps
        assert steps[-1] == torch.finfo(dtype).tiny * torch.finfo(dtype).eps


def test_the_stats_of_two_results() -> None:
    running, truth = RunningStats(), torch.tensor([1.0, 2.0, 3.0, torch.inf], dtype=torch.float64)
    result = torch.tensor([1.0, 2.002, torch.nan, 4.0], dtype=torch.float16)
    running.add(abs_error(result, truth), truth, torch.float16)
    stats = running.result()
    assert stats.misplaced == 2
    assert stats.max_ulp == 1.0
    assert stats.max_abs == 2.0**-9
    assert stats.mean_abs == 2.0**-10
    assert stats.max_rel == 2.0**-10
