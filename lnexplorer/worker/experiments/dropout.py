"""Measures dropout with a mask from a seed beside PyTorch's, which is stored."""

import math
from collections.abc import Callable
from functools import partial

import torch

from lnexplorer.domain.experiments.dropout import DropoutRow, Dropouts
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.trace import interruptible
from lnexplorer.worker.turns import turn
from lnkernels.call.dropout import dropout, fused_dropout_add_layer_norm
from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch
from lnkernels.timing.rounds import Effort, interleave
from lnkernels.values import say

PROBABILITY = 0.1
BLOCKS = (256, 4096)  # elements a program, of the two masks that have to be the same
_Z = 3.29  # of the normal distribution, 99.9 % of which lie within so many deviations
_EFFORT = Effort(seconds=4.0)


def measure(work: Work) -> Dropouts:
    """Compare masks of both block sizes, of the fused kernel and of the seeds that follow.

    On a GPU both passes are timed.
    """
    task, resolved, device, neighbours = work.task, work.resolved, work.torch_device, work.runs
    task.begin("run")
    seed, count = resolved.seed, resolved.m * resolved.n
    ones = torch.ones((resolved.m, resolved.n), dtype=getattr(torch, resolved.dtype), device=device)
    kept = dropout(ones, PROBABILITY, seed, block_size=BLOCKS[0]) > 0
    alike = bool((kept == (dropout(ones, PROBABILITY, seed, block_size=BLOCKS[1]) > 0)).all())
    _, total = fused_dropout_add_layer_norm(
        ones, torch.zeros_like(ones), None, None, PROBABILITY, seed
    )
    correlations = []
    for other in range(1, neighbours + 1):
        task.step(say("seeds"), other - 1, neighbours)
        with interruptible(task, device):
            correlations.append(_correlation(kept, dropout(ones, PROBABILITY, seed + other) > 0))
    deviation = math.sqrt(count * PROBABILITY * (1 - PROBABILITY))
    return Dropouts(
        p=PROBABILITY,
        elements=count,
        zeros=count - int(kept.sum()),
        fewest=max(math.floor(count * PROBABILITY - _Z * deviation), 0),
        most=math.ceil(count * PROBABILITY + _Z * deviation),
        blocks=BLOCKS,
        alike=alike,
        alike_fused=bool((kept == (total > 0)).all()),
        correlations=tuple(correlations),
        uncorrelated=_Z / math.sqrt(count),
        rows=_rows(task, resolved, device),
    )


def _correlation(one: torch.Tensor, other: torch.Tensor) -> float:
    """Return Pearson's correlation of two masks."""
    both, first, second = (float(mask.double().mean()) for mask in (one & other, one, other))
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    return (both - first * second) / spread if spread else 0.0


def _rows(task: Task, resolved: ResolvedRequest, device: torch.device) -> tuple[DropoutRow, ...]:
    """Return the bytes that each way moves at least, and on a GPU its times."""
    count = resolved.m * resolved.n
    matrix = count * getattr(torch, resolved.dtype).itemsize
    moved = {
        "seed": (2 * matrix, 2 * matrix),
        "stored": (2 * matrix + count, 2 * matrix + count),
        "fused": (4 * matrix, 5 * matrix),
        # Dropout, addition and norm forward; norm, addition of both gradients of the sum, and
        # dropout backward.
        "sequence": (7 * matrix + count, 8 * matrix + count),
    }
    times = _times(task, resolved, device) if device.type == "cuda" else {}
    return tuple(
        DropoutRow(
            way=way,
            forward_bytes=forward,
            backward_bytes=backward,
            mask_bytes=0 if way in ("seed", "fused") else count,
            forward_ms=times.get((way, "forward")),
            backward_ms=times.get((way, "backward")),
        )
        for way, (forward, backward) in moved.items()
    )


def _times(
    task: Task, resolved: ResolvedRequest, device: torch.device
) -> dict[tuple[str, str], float]:
    """Return ms by way and direction: kernels alone, cold L2, in turns."""
    inputs = inputs_of(resolved, device)
    assert inputs.weight is not None
    assert inputs.bias is not None
    tensors = [
        one.detach().clone().requires_grad_()
        for one in (inputs.x, inputs.dy, inputs.weight, inputs.bias)
    ]
    x, residual, weight, bias = tensors
    shape, functional = (resolved.n,), torch.nn.functional

    def sequence() -> tuple[torch.Tensor, ...]:
        total = residual + functional.dropout(x, PROBABILITY)
        return functional.layer_norm(total, shape, weight, bias, resolved.eps), total

    forwards: dict[str, Callable[[], tuple[torch.Tensor, ...]]] = {
        "seed": lambda: (dropout(x, PROBABILITY, resolved.seed),),
        "stored": lambda: (functional.dropout(x, PROBABILITY),),
        "fused": lambda: fused_dropout_add_layer_norm(
            x, residual, weight, bias, PROBABILITY, resolved.seed, resolved.eps
        ),
        "sequence": sequence,
    }

    def backward(way: str) -> Callable[[], object]:
        outputs, leaves = forwards[way](), tensors if way in ("fused", "sequence") else tensors[:1]
        return lambda: torch.autograd.grad(
            outputs, leaves, (inputs.dy,) * len(outputs), retain_graph=True
        )

    calls = {(way, "forward"): partial(lambda call: call, call) for way, call in forwards.items()}
    calls |= {(way, "backward"): partial(backward, way) for way in forwards}
    capture, flush = Capture(device), Flush(device)
    watches = {
        key: KernelStopwatch(capture(prepare), "cold", flush) for key, prepare in calls.items()
    }
    medians: dict[tuple[str, str], float] = {}
    with turn(task, device):
        for key, timing in interleave(watches, _EFFORT):
            task.step(say("times"), len(medians), len(watches))
            if isinstance(timing, Exception):
                raise timing
            medians[key] = timing.p50_ms
    return medians
