"""Rows that are shared among processes, as by SequenceParallel and DistributedDataParallel: two
processes compute what one does.
"""

from pathlib import Path

import pytest
import torch

from tests.programs import start_program

PROGRAM = """
import os, sys
import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.distributed.tensor.parallel import SequenceParallel, parallelize_module
import lnkernels

store, rank = sys.argv[1], int(sys.argv[2])
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
mesh = init_device_mesh("cpu", (2,))
torch.manual_seed(0)
x, dy, weight, bias = torch.randn(2, 4, 8), torch.randn(2, 4, 8), torch.rand(8), torch.rand(8)
leaves = [each.clone().requires_grad_() for each in (x, weight, bias)]
y = torch.nn.functional.layer_norm(leaves[0], (8,), *leaves[1:])
expected = (y, *torch.autograd.grad(y, leaves, dy))
for rows in (Shard(0), Shard(1), Replicate()):
    placed = [(x, rows), (weight, Replicate()), (bias, Replicate())]
    given = [distribute_tensor(each, mesh, [place]).requires_grad_() for each, place in placed]
    y = lnkernels.layer_norm(given[0], (8,), *given[1:])
    assert y.placements == (rows,)
    found = (y, *torch.autograd.grad(y, given, distribute_tensor(dy, mesh, [rows])))
    for one, wanted in zip(found, expected):
        torch.testing.assert_close(one.full_tensor(), wanted, atol=1e-5, rtol=1e-4)
    y = lnkernels.rms_norm(given[0], (8,), given[1], 1e-5)
    assert y.placements == (rows,)
    found = (y, *torch.autograd.grad(y, given[:2], distribute_tensor(dy, mesh, [rows])))
    z = torch.nn.functional.rms_norm(leaves[0], (8,), leaves[1], 1e-5)
    for one, wanted in zip(found, (z, *torch.autograd.grad(z, leaves[:2], dy))):
        torch.testing.assert_close(one.full_tensor(), wanted, atol=1e-5, rtol=1e-4)
model = torch.nn.Sequential(lnkernels.LayerNorm(8))
parallelize_module(model, mesh, {"0": SequenceParallel()})
y = model(x.chunk(2, 1)[rank])
assert isinstance(y, DTensor)
torch.testing.assert_close(y.full_tensor(), torch.nn.functional.layer_norm(x, (8,)), atol=1e-5, rtol=1e-4)
found = []
for kind in (lnkernels.LayerNorm, torch.nn.LayerNorm):
    model = torch.nn.parallel.DistributedDataParallel(kind(8))
    (model(x[rank]) * dy[rank]).sum().backward()
    found.append([each.grad for each in model.parameters()])
torch.testing.assert_close(*found)
dist.destroy_process_group()
# Python's own end now and then meets a thread of gloo's that still runs, which aborts the process.
os._exit(0)
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch has no torch.distributed")
def test_rows_may_be_shared_among_processes(tmp_path: Path) -> None:
    quiet = {"TRITON_INTERPRET": "1", "PYTHONWARNINGS": "ignore"}
    both = [start_program(PROGRAM, tmp_path / "store", rank, **quiet) for rank in range(2)]
    for process in both:
        told = process.communicate(timeout=120)
        assert process.returncode == 0, told
