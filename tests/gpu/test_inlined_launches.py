"""torch.compile's own code launches the kernels of layer_norm, with the bits of eager calls."""

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lnkernels import layer_norm
from tests.programs import run_program

pytestmark = pytest.mark.gpu
OPERATOR = "torch.ops.lnkernels."


def step_and_code(
    m: int, n: int, dtype: torch.dtype, *, weight: bool = True, bias: bool = True
) -> tuple[list[torch.Tensor], list[torch.Tensor], str]:
    """Return y and all gradients of a compiled step, those of an eager one, and the code that
    Inductor wrote.
    """
    # Only here: its import takes seconds, in every process that collects tests.
    from torch._inductor.utils import run_and_get_code

    torch.compiler.reset()
    sizes = [(m, n), *[(n,)] * (weight + bias)]
    given = [torch.randn(size, device="cuda", dtype=dtype).requires_grad_() for size in sizes]
    dy = torch.randn(m, n, device="cuda", dtype=dtype)

    def normalised(x: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        w, b = (*parameters, None, None)[:2]
        return layer_norm(x, (n,), w, b)

    def step(function: Callable[..., torch.Tensor]) -> list[torch.Tensor]:
        y = function(*given)
        return [y.detach(), *torch.autograd.grad(y, given, dy)]

    found, code = run_and_get_code(step, torch.compile(normalised, fullgraph=True))
    return found, step(normalised), "".join(code)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize(
    ("m", "n"), [(4096, 1024), (3, 768), (100, 1000), (4096, 4096), (1000, 1536), (512, 2048)]
)
def test_compiled_code_launches_the_kernels_itself(m: int, n: int, dtype: torch.dtype) -> None:
    found, expected, code = step_and_code(m, n, dtype)
    assert OPERATOR not in code
    assert "sum_partials_kernel" in code or "few_rows_kernel" in code
    assert all(map(torch.equal, found, expected))


@pytest.mark.parametrize(("weight", "bias"), [(False, False), (True, False)])
def test_without_parameters(weight: bool, bias: bool) -> None:
    found, expected, code = step_and_code(512, 2048, torch.bfloat16, weight=weight, bias=bias)
    assert OPERATOR not in code
    assert all(map(torch.equal, found, expected))


@pytest.mark.parametrize(("m", "n"), [(512, 1001), (64, 65536), (512, 16384)])
def test_what_cannot_be_shown_stays_an_operator(m: int, n: int) -> None:
    found, expected, code = step_and_code(m, n, torch.bfloat16)
    assert OPERATOR in code
    assert all(map(torch.equal, found, expected))


def test_rows_of_open_number_stay_an_operator() -> None:
    from torch._inductor.utils import run_and_get_code

    torch.compiler.reset()
    x = torch.randn(64, 1024, device="cuda")
    compiled = torch.compile(lambda x: layer_norm(x, (1024,)), fullgraph=True, dynamic=True)
    y, code = run_and_get_code(compiled, x)
    assert OPERATOR in "".join(code)
    torch.testing.assert_close(y, torch.nn.functional.layer_norm(x, (1024,)))


PACKAGE = """
import sys, torch
class Norm(torch.nn.Module):
    def forward(self, x):
        return {call}
x = torch.randn(64, 1024, device="cuda")
exported = torch.export.export(Norm(), (x,))
file = torch._inductor.aoti_compile_and_package(exported, package_path=sys.argv[1])
print(exported.graph, "packaged", flush=True)
y = torch._inductor.aoti_load_package(file)(x)
torch.testing.assert_close(y, torch.nn.functional.layer_norm(x, (1024,)))
"""
OURS = "__import__('lnkernels').layer_norm(x, (1024,))"
THEIRS = "torch.nn.functional.layer_norm(x, (1024,))"


def packaged(call: str, file: Path) -> subprocess.CompletedProcess[str]:
    """Export, package, load and call a norm in a process of its own, which loading may end."""
    return run_program(PACKAGE.format(call=call), file)


def test_an_exported_program_keeps_the_operator_and_its_package_launches_kernels(
    tmp_path: Path,
) -> None:
    file = tmp_path / "ours.pt2"
    ran = packaged(OURS, file)
    assert "packaged" in ran.stdout, ran.stderr
    assert "lnkernels.layer_norm_forward" in ran.stdout
    with zipfile.ZipFile(file) as package:
        wrapper = next(name for name in package.namelist() if name.endswith(".wrapper.cpp"))
        code = package.read(wrapper).decode()
    assert "lnkernels" not in code
    assert "tile_in_blocks_kernel" in code
    if ran.returncode < 0 and packaged(THEIRS, tmp_path / "theirs.pt2").returncode < 0:
        pytest.skip("here torch dies while it loads a package of its own layer norm")
    assert ran.returncode == 0, ran.stderr
