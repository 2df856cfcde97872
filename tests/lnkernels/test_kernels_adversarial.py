"""The kernels on data that is hard on them, into poisoned outputs, held against float64."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import DISTRIBUTIONS, Inputs, make_inputs
from lnkernels.check.results import kernel_results, torch_results
from lnkernels.launch import STRATEGIES, USUAL_LIMITS, Launch, LaunchWish, resolve_launch
from tests.lnkernels.conftest import DEVICE
from tests.truth import truth

DTYPES = [torch.float16, torch.bfloat16, torch.float32]
NOT_FINITE = ("nan", "inf")


# So few SMs that a program has several tiles, or rows, to take.
LIMITS = replace(USUAL_LIMITS, sm_count=2)
# Settings with which small shapes meet every part of a strategy: several buffers, tiles, slices,
# steps of the forward pass.
SMALL: dict[str, dict[str, int]] = {
    "locked": {"group_size_m": 2, "block_size": 32},
    "persistent": {"rows": 2, "programs_per_sm": 1, "forward_rows": 4, "reduce_block_size_m": 1},
    "split": {"block_size_n": 32, "block_size": 32},
    "atomic": {"block_size": 16},
    "auto": {},
}


def launch_of(n: int, dtype: str, strategy: str, wished: dict[str, int]) -> Launch:
    return resolve_launch(n, dtype, LaunchWish(strategy=strategy, **wished), LIMITS)


def assert_correct(
    inputs: Inputs, strategy: str = "locked", eps: float = 1e-5, **wished: int
) -> None:
    launch = launch_of(
        inputs.x.shape[1], str(inputs.x.dtype).removeprefix("torch."), strategy, wished
    )
    accuracy = check_all(
        inputs, eps, launch, kernel_results(inputs, eps, launch), torch_results(inputs, eps)
    )
    assert accuracy.passed, [check for check in accuracy.checks if not check.passed]


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("distribution", [name for name in DISTRIBUTIONS if name not in NOT_FINITE])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_distribution_is_computed_correctly(strategy: str, distribution: str) -> None:
    dtype = DTYPES[STRATEGIES.index(strategy) % 3]
    assert_correct(make_inputs(9, 70, dtype, distribution, 1, DEVICE), strategy, **SMALL[strategy])


@settings(max_examples=settings().max_examples // 5)
@given(
    m=st.integers(0, 6),
    n=st.integers(1, 70),
    strategy_and_own=st.one_of(
        st.tuples(
            st.just("locked"),
            st.fixed_dictionaries(
                {
                    "group_size_m": st.integers(1, 8),
                    "reduce_block_size_m": st.sampled_from([1, 2, 32]),
                }
            ),
        ),
        st.tuples(
            st.just("persistent"),
            st.fixed_dictionaries(
                {"rows": st.sampled_from([1, 2, 8]), "programs_per_sm": st.integers(1, 2)}
            ),
        ),
        st.tuples(
            st.just("persistent"),
            st.fixed_dictionaries({"block_size_n": st.sampled_from([4, 16, 64])}),
        ),
        st.tuples(
            st.just("split"),
            st.fixed_dictionaries({"block_size_n": st.sampled_from([16, 32, 128])}),
        ),
        st.tuples(st.just("atomic"), st.fixed_dictionaries({"num_warps": st.sampled_from([1, 4])})),
    ),
    block_size=st.sampled_from([1, 16, 64, 256]),
    reduce_block_size_n=st.sampled_from([1, 16, 128]),
    distribution=st.sampled_from(sorted(DISTRIBUTIONS)),
    dtype=st.sampled_from(DTYPES),
)
def test_no_setting_of_a_strategy_changes_a_verdict(
    m: int,
    n: int,
    strategy_and_own: tuple[str, dict[str, int]],
    block_size: int,
    reduce_block_size_n: int,
    distribution: str,
    dtype: torch.dtype,
) -> None:
    strategy, own = strategy_and_own
    blocks = {"block_size": block_size, "reduce_block_size_n": reduce_block_size_n}
    assert_correct(make_inputs(m, n, dtype, distribution, 2, DEVICE), strategy, **own, **blocks)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("distribution", NOT_FINITE)
def test_what_is_not_finite_comes_out_where_pytorch_has_it(
    distribution: str, strategy: str
) -> None:
    inputs = make_inputs(9, 24, torch.float32, distribution, 1, DEVICE)
    launch = launch_of(24, "float32", strategy, SMALL[strategy])
    ours, theirs = kernel_results(inputs, 1e-5, launch), torch_results(inputs, 1e-5)
    for name in ("y", "dx", "dw", "db"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert torch.equal(mine.isnan(), other.isnan()), name
        assert torch.equal(mine.isinf(), other.isinf()), name
    assert ours.y.isnan().any(1).tolist() == [row % 4 == 0 for row in range(9)]


@pytest.mark.parametrize(("n", "value"), [(1, 0.1), (37, 10000.0), (100, -3e7)])
def test_rows_of_one_value_have_that_mean_and_no_variance(n: int, value: float) -> None:
    plain = make_inputs(2, n, torch.float32, "normal", 0, DEVICE)
    inputs = replace(plain, x=torch.full((2, n), value, device=DEVICE))
    launch = resolve_launch(n, "float32", LaunchWish(block_size=32))
    results = kernel_results(inputs, 1e-5, launch)
    assert torch.equal(results.mean, inputs.x[:, 0])
    torch.testing.assert_close(results.rstd, torch.full((2,), 1e5**0.5, device=DEVICE))
    assert inputs.bias is not None
    assert torch.equal(results.y, inputs.bias.expand(2, n))


@pytest.mark.parametrize("strategy", ["locked", "auto"])  # whose forward kernels are those of all
def test_a_large_mean_costs_no_more_than_its_own_rounding(strategy: str) -> None:
    inputs = make_inputs(4, 1000, torch.float32, "offset", 0, DEVICE)
    results = kernel_results(inputs, 1e-5, launch_of(1000, "float32", strategy, {}))
    true = truth(inputs, 1e-5)
    half_a_step = 2.0**-11  # of float32 at 10000
    assert float((results.mean.double() - true.mean).abs().max()) <= half_a_step * 1.01
    torch.testing.assert_close(results.rstd.double(), true.rstd, rtol=1e-5, atol=0)
