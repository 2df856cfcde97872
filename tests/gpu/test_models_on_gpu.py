"""layer_norm and dropout in models on a GPU: compiled, captured, under autocast, and shared by two
GPUs.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from lnkernels import dropout, fused_dropout_add_layer_norm, layer_norm

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.filterwarnings(
        "ignore:The CUDA Graph is empty:UserWarning"
    ),  # that of its own warm-up
]
N = 768
ROOT = Path(__file__).parents[2]


def gradients(function, *given: torch.Tensor) -> list[torch.Tensor]:  # type: ignore[no-untyped-def]
    y = function(*given)
    return [y.detach(), *torch.autograd.grad(y.square().sum(), given)]


def leaves(m: int) -> list[torch.Tensor]:
    generator = torch.Generator("cuda").manual_seed(m)
    given = (
        torch.randn(*size, device="cuda", generator=generator) for size in ((m, N), (N,), (N,))
    )
    return [one.requires_grad_() for one in given]


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_a_compiled_block_gives_what_torch_gives(mode: str) -> None:
    """reduce-overhead captures both passes in CUDA graphs."""
    torch.compiler.reset()
    dynamic = mode == "default"
    compiled = torch.compile(
        lambda x, weight, bias: layer_norm(x * 2, (N,), weight, bias).sin(),
        fullgraph=True,
        dynamic=dynamic,
        mode=mode,
    )
    for m in (64, 200, 64, 64):
        given = leaves(m if dynamic else 64)
        torch.compiler.cudagraph_mark_step_begin()
        found = [one.clone() for one in gradients(compiled, *given)]
        expected = gradients(
            lambda x, w, b: torch.nn.functional.layer_norm(x * 2, (N,), w, b).sin(), *given
        )
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_a_captured_step_is_replayed_on_new_numbers() -> None:
    given = leaves(512)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):
            gradients(lambda x, w, b: layer_norm(x, (N,), w, b), *given)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = gradients(lambda x, w, b: layer_norm(x, (N,), w, b), *given)
    with torch.no_grad():
        given[0].copy_(torch.randn_like(given[0]))
    graph.replay()
    expected = gradients(lambda x, w, b: torch.nn.functional.layer_norm(x, (N,), w, b), *given)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("m", "n"), [(513, 4096), (1024, 1000), (100, 8191), (33, 20000)])
def test_the_fused_kernels_give_what_the_steps_give(m: int, n: int, dtype: torch.dtype) -> None:
    x, residual, dy, dtotal = (torch.randn(m, n, device="cuda", dtype=dtype) for _ in range(4))
    weight, bias = (torch.randn(n, device="cuda", dtype=dtype) for _ in range(2))
    given = [one.requires_grad_() for one in (x, residual, weight, bias)]
    y, total = fused_dropout_add_layer_norm(*given, 0.1, 3)
    found = [y, total, *torch.autograd.grad((y, total), given, (dy, dtotal))]
    exact = [one.detach().double().requires_grad_() for one in given]
    mask = dropout(torch.ones_like(x), 0.1, 3) > 0
    true_total = exact[0] * mask / 0.9 + exact[1]
    true_y = torch.nn.functional.layer_norm(true_total, (n,), exact[2], exact[3])
    expected = [
        true_y,
        true_total,
        *torch.autograd.grad((true_y, true_total), exact, (dy.double(), dtotal.double())),
    ]
    unit = 1e-4 if dtype == torch.float32 else 2e-2
    for one, other in zip(found, expected, strict=True):
        assert float((one.detach().double() - other.detach()).norm() / other.detach().norm()) < unit


_RANK = """
import sys, torch, torch.distributed as dist
from lnkernels import LayerNorm

backend, rank, ranks, device = sys.argv[1], *map(int, sys.argv[2:5])
torch.cuda.set_device(device)
dist.init_process_group(backend, init_method=f"file://{sys.argv[5]}", rank=rank, world_size=ranks)
torch.manual_seed(0)
x, dy = (torch.randn(64, 768, device="cuda") for _ in range(2))
part = slice(64 // ranks * rank, 64 // ranks * (rank + 1))
kinds = LayerNorm, torch.nn.LayerNorm
models = [
    torch.nn.parallel.DistributedDataParallel(kind(768, device="cuda"), device_ids=[device])
    for kind in kinds
]
alone = torch.nn.LayerNorm(768, device="cuda")
for step in range(3):
    found = []
    for model in (*models, alone):
        model.zero_grad()
        rows = slice(None) if model is alone else part
        (model(x[rows]) * dy[rows]).sum().backward()
        found.append(
            [one.grad / ranks if model is alone else one.grad for one in model.parameters()]
        )
    for one, other, whole in zip(*found):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(one, whole, rtol=1e-4, atol=1e-4)
dist.destroy_process_group()
"""


@pytest.mark.parametrize(
    ("backend", "devices"),
    [
        ("gloo", (0, 0)),
        ("nccl", (0, 0)),
        pytest.param(
            "nccl",
            (0, 1),
            marks=pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs"),
        ),
    ],
    ids=["gloo, one GPU", "nccl, one GPU", "nccl, two GPUs"],
)
def test_processes_share_a_batch(backend: str, devices: tuple[int, ...], tmp_path: Path) -> None:
    """The sums of all processes are those of one that has the whole batch, and PyTorch's."""
    command = [sys.executable, "-W", "ignore", "-c", _RANK, backend]
    started = []
    for rank, device in enumerate(devices):
        # NCCL refuses two processes of a host that share a GPU. Of two hosts, as far as it can
        # tell, it takes them.
        hosts = (
            {"NCCL_HOSTID": str(rank), "NCCL_SOCKET_IFNAME": "lo"}
            if len(set(devices)) < len(devices)
            else {}
        )
        given = map(str, (rank, len(devices), device, tmp_path / "store"))
        started.append(
            subprocess.Popen([*command, *given], cwd=ROOT / "kernels", env=os.environ | hosts)
        )
    assert [process.wait(120) for process in started] == [0] * len(devices)
