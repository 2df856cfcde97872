"""The strategies without locks on a GPU alone: programs that wait for each other, full widths,
repeated runs.
"""

import pytest
import torch

from lnkernels import layer_norm
from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import DISTRIBUTIONS, Inputs, make_inputs
from lnkernels.check.results import KernelResults, kernel_results, torch_results
from lnkernels.launch import Launch, LaunchWish
from lnkernels.passes.registry import STRATEGY_KERNELS, decide_launch

pytestmark = pytest.mark.gpu

EPS = 1e-5
DTYPES = [torch.float16, torch.bfloat16, torch.float32]
DEVICE = torch.device("cuda", 0)


def launch_for(strategy: str, inputs: Inputs, m: int | None = None) -> Launch:
    dtype = str(inputs.x.dtype).removeprefix("torch.")
    return decide_launch(LaunchWish(strategy=strategy), inputs.x.shape[1], dtype, DEVICE, m)


def results(strategy: str, inputs: Inputs, m: int | None = None) -> KernelResults:
    """Both passes, into outputs of NaN."""
    return kernel_results(inputs, EPS, launch_for(strategy, inputs, m))


def assert_correct(strategy: str, inputs: Inputs, m: int | None = None) -> None:
    """With the settings for m rows; without m, with those for any number."""
    found = results(strategy, inputs, m)
    accuracy = check_all(
        inputs, EPS, launch_for(strategy, inputs, m), found, torch_results(inputs, EPS)
    )
    assert accuracy.passed, [check for check in accuracy.checks if not check.passed]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("m", "n"),
    [
        (1151, 8192),
        (4096, 256),
        (4096, 1024),
        (4096, 4096),
        (517, 3000),
        (1151, 9000),
        (517, 13312),
        (1, 1),
        (3, 16384),
        (65, 20000),
        (301, 65536),
        (1151, 1000),  # multiples of 8, 4, 2 and 1, which are loaded as many at once
        (517, 1004),
        (517, 1002),
        (517, 1001),
        (257, 9004),
        (65, 20004),
        (33, 65544),
        (1, 1024),  # few rows, and many narrow ones, which have settings of their own
        (1, 16384),
        (2, 16384),
        (64, 4000),
        (65536, 448),
        (65536, 1728),
        (65536, 2048),
    ],
)
def test_every_width_is_computed_correctly(m: int, n: int, dtype: torch.dtype) -> None:
    inputs = make_inputs(m, n, dtype, "tutorial", 0, DEVICE)
    assert_correct("auto", inputs)
    assert_correct("auto", inputs, m)


@pytest.mark.parametrize("strategy", ["persistent", "split", "atomic", "locked"])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_every_distribution_is_computed_correctly(distribution: str, strategy: str) -> None:
    for dtype in DTYPES:
        assert_correct(strategy, make_inputs(513, 2047, dtype, distribution, 0, DEVICE))


@pytest.mark.parametrize("strategy", STRATEGY_KERNELS)
@pytest.mark.parametrize("n", [1000, 16384])
def test_a_captured_graph_gives_what_the_call_gives(strategy: str, n: int) -> None:
    inputs = make_inputs(300, n, torch.float16, "tutorial", 3, DEVICE)
    weight, bias = (
        tensor.clone().requires_grad_()
        for tensor in (inputs.weight, inputs.bias)
        if tensor is not None
    )
    x = inputs.x.clone().requires_grad_()

    def gradients() -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(
            layer_norm(x, n, weight, bias, EPS, launch=strategy), (x, weight, bias), inputs.dy
        )

    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream(DEVICE)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        expected = [gradient.clone() for gradient in gradients()]
    torch.cuda.current_stream().wait_stream(stream)
    with torch.cuda.graph(graph, stream=stream):
        captured = gradients()
    for _ in range(3):
        for gradient in captured:
            gradient.fill_(torch.nan)
        graph.replay()
        assert torch.equal(captured[0], expected[0])
        torch.testing.assert_close(
            captured[1], expected[1], atol=2e-2, rtol=2e-3
        )  # atomics add in any order
        torch.testing.assert_close(captured[2], expected[2], atol=2e-2, rtol=2e-3)


def test_more_than_two_to_the_31_elements_are_computed_correctly() -> None:
    m, n = 2**17 + 3, 16384
    inputs = make_inputs(m, n, torch.float16, "tutorial", 0, DEVICE)
    ours = results("split", inputs)
    tail = Inputs(inputs.x[-64:], inputs.weight, inputs.bias, inputs.dy[-64:])
    theirs = torch_results(tail, EPS)
    torch.testing.assert_close(ours.y[-64:], theirs.y, atol=5e-3, rtol=0)
    torch.testing.assert_close(ours.dx[-64:], theirs.dx, atol=5e-3, rtol=0)


def gradients(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, dy: torch.Tensor, strategy: str
) -> list[torch.Tensor]:
    """y, dx, dw and db through autograd."""
    leaves = [tensor.detach().requires_grad_() for tensor in (x, weight, bias)]
    y = layer_norm(leaves[0], (x.shape[-1],), *leaves[1:], launch=strategy)
    y.backward(dy)
    return [y.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None)]


@pytest.mark.parametrize("strategy", ["persistent", "split", "locked"])
def test_repeated_calls_work_on_the_tensors_that_they_are_given(strategy: str) -> None:
    """Later calls go past Triton's look at their arguments: other tensors and streams, odd
    addresses, one row less.
    """
    n = 1000
    for seed in range(3):
        for rows, first in ((64, 0), (64, 1), (63, 0)):
            inputs = make_inputs(rows, n + first, torch.float16, "normal", seed, DEVICE)
            assert inputs.weight is not None
            assert inputs.bias is not None
            tensors = (
                inputs.x[:, first:],
                inputs.weight[first:],
                inputs.bias[first:],
                inputs.dy[:, first:],
            )
            contiguous = [tensor.contiguous() for tensor in tensors]
            with torch.cuda.stream(torch.cuda.Stream(DEVICE)):  # type: ignore[no-untyped-call]
                torch.cuda.synchronize()
                found = gradients(*tensors, strategy)
                torch.cuda.synchronize()
            expected = gradients(*contiguous, "atomic")
            torch.testing.assert_close(found, expected, atol=4e-3, rtol=4e-3)


def test_many_backward_passes_at_once_do_not_meet() -> None:
    inputs = make_inputs(512, 16384, torch.float16, "normal", 0, DEVICE)
    assert inputs.weight is not None
    assert inputs.bias is not None
    given = (inputs.x, inputs.weight, inputs.bias, inputs.dy)
    expected = gradients(*given, "auto")
    streams = [torch.cuda.Stream(DEVICE) for _ in range(4)]  # type: ignore[no-untyped-call]
    torch.cuda.synchronize()
    found = []
    for _ in range(25):
        for stream in streams:
            with torch.cuda.stream(stream):
                found.append(gradients(*given, "auto"))
    torch.cuda.synchronize()
    for results_of_one in found:
        assert all(
            torch.equal(one, other) for one, other in zip(results_of_one, expected, strict=True)
        )
