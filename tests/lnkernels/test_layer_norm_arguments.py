"""Whatever layer_norm cannot do is refused by an error that names the argument."""

from typing import Any

import pytest
import torch

from lnkernels import layer_norm
from lnkernels.launch import SETTING, LaunchWish
from tests.lnkernels.conftest import DEVICE


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"input": [1.0, 2.0]}, "x is a list"),
        ({"input": torch.zeros(2, 6, dtype=torch.float64)}, "x is torch.float64"),
        ({"normalized_shape": 6.0}, "normalized_shape = 6.0"),
        ({"weight": 1.0}, "weight is a float"),
        ({"weight": torch.zeros(6, dtype=torch.float16)}, "weight is torch.float16"),
        ({"eps": "small"}, "eps is a str"),
        ({"group_size_m": 2.0}, "group_size_m is a float"),
        ({"strategy": 1}, "strategy is a int"),
        ({"launch": 1}, "launch is a int"),
    ],
)
def test_a_wrong_type_is_a_type_error_that_names_the_argument(
    changed: dict[str, Any], named: str
) -> None:
    with pytest.raises(TypeError, match=named):
        call(changed)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"normalized_shape": (5,)}, r"normalized_shape = \[5\]"),
        ({"normalized_shape": ()}, r"normalized_shape = \[\]"),
        ({"weight": torch.zeros(5)}, "weight has shape"),
        ({"bias": torch.zeros(1, 6)}, "bias has shape"),
        ({"strategy": "magic"}, "strategy = magic"),
        ({"num_stages": 0}, "num_stages = 0"),
        (
            {"rows": 2},
            "rows = 2 is not possible: it belongs to strategy persistent.*, not to locked",
        ),
        (
            {"strategy": "auto", "partial_dtype": "same"},
            "partial_dtype = same is not possible: .*locked, not to auto",
        ),
    ],
)
def test_an_impossible_value_is_a_value_error_that_names_the_argument(
    changed: dict[str, Any], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        call(changed)


def test_a_block_that_would_drop_columns_is_refused_with_its_least_value() -> None:
    with pytest.raises(ValueError, match="block_size_n = 4 is not possible: take at least 8"):
        call({"block_size_n": 4})


@pytest.mark.parametrize(("dtype", "widest"), [(torch.float32, 16384), (torch.bfloat16, 32768)])
def test_locked_takes_rows_of_64_kib_and_no_more(dtype: torch.dtype, widest: int) -> None:
    x = torch.zeros(1, widest + 1, dtype=dtype, device=DEVICE)
    assert layer_norm(x[:, :widest], widest, launch="locked").shape == (1, widest)
    with pytest.raises(ValueError, match=f"normalized_shape.*at most {widest} columns"):
        layer_norm(x, widest + 1, launch="locked")


def test_a_strategy_is_wished_by_its_name_or_with_settings() -> None:
    x = torch.randn(4, 6, device=DEVICE)
    assert torch.equal(
        layer_norm(x, 6, launch="split"),
        layer_norm(x, 6, launch=LaunchWish(strategy="split", slices=1)),
    )
    assert torch.equal(layer_norm(x, 6), layer_norm(x, 6, launch="locked"))


def test_another_device_is_refused() -> None:
    with pytest.raises(ValueError, match="weight is on device meta"):
        layer_norm(torch.zeros(2, 6, device=DEVICE), 6, torch.zeros(6, device="meta"))


def call(changed: dict[str, Any]) -> torch.Tensor:
    wish = {name: value for name, value in changed.items() if name == "strategy" or name in SETTING}
    arguments: dict[str, Any] = {"input": torch.zeros(2, 6), "normalized_shape": 6, **changed}
    on_device = {
        k: v.to(DEVICE) if isinstance(v, torch.Tensor) else v
        for k, v in arguments.items()
        if k not in wish
    }
    return layer_norm(**{"launch": LaunchWish(**wish), **on_device})
