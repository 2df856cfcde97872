"""Kernels of CUDA in the libraries that a file brings along, and of a forward pass alone."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lnkernels.compiled.facts import facts_in_own_process
from lnkernels.compiled.libraries import plain_name
from lnkernels.compiled.listing import TEXTS, read_listing
from lnkernels.launch.source import find_source
from lnkernels.values.listing import Listing
from tests.lnkernels.test_compiled import compile_request

KERNELS = r"""
template <typename T> __global__ void rows_of_mine(const T* x, T* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * n + i];
  for (int lane = 16; lane; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = sum;
}
namespace deep { __global__ void twice(float* x) { x[threadIdx.x] *= 2; } }
void use(float* x, double* y) {
  rows_of_mine<<<1, 32>>>(x, x, 1); rows_of_mine<<<1, 32>>>(y, y, 1); deep::twice<<<1, 32>>>(x);
}
"""
MIXED = """
import ctypes, triton, triton.language as tl
LIBRARY = ctypes.CDLL({library!r})
@triton.jit
def mine(X, Y, N: tl.constexpr):
    tl.store(Y + tl.arange(0, N), tl.load(X + tl.arange(0, N)))
def forward(x, weight, bias, eps):
    mine[(1,)](x, x, 16)
    return x, x[:, 0], x[:, 0]
def backward(dy, x, weight, mean, rstd):
    raise RuntimeError("x must be on cuda")
"""
FILE = """
import ctypes
LIBRARY = ctypes.CDLL({library!r})
def layer_norm(x, shape, weight, bias, eps):
    raise RuntimeError("x must be on cuda")
"""


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z12rows_of_mineIfEvPKT_PKfPS0_if", "rows_of_mine"),
        ("_ZN4mine5otherEPf", "other"),
        ("_ZN12_GLOBAL__N_110ln_forwardILi4EEEvPf", "ln_forward"),
        ("normalize_row", "normalize_row"),
    ],
)
def test_a_symbol_has_the_name_of_its_function(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    folder = tmp_path_factory.mktemp("library")
    source, library = folder / "rows.cu", folder / "rows.so"
    source.write_text(KERNELS)
    code = "-gencode=arch=compute_90,code=[sm_90,compute_90]"
    command = ["nvcc", "-shared", "-Xcompiler", "-fPIC", code, str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    return str(library)


def _compiled(file: Path, architecture: str) -> dict[str, Listing]:
    source = find_source(str(file))
    request = compile_request(n=128, architecture=architecture, stages=TEXTS, source=source)
    return {each.facts.name: each for each in map(read_listing, facts_in_own_process(request))}


def test_a_forward_pass_alone_is_compiled(tmp_path: Path) -> None:
    file = tmp_path / "forward_alone.py"
    file.write_text("""
import torch, triton, triton.language as tl
@triton.jit
def mine(X, Y, N: tl.constexpr):
    tl.store(Y + tl.arange(0, N), tl.load(X + tl.arange(0, N)))
def layer_norm(x, normalized_shape, weight, bias, eps):
    y = torch.empty_like(x)
    mine[(1,)](x, y, 16)
    return y
""")
    assert list(_compiled(file, "sm_90")) == ["forward"]


def test_a_file_with_kernels_of_triton_and_of_cuda_shows_both(library: str, tmp_path: Path) -> None:
    file = tmp_path / "mixed.py"
    library = shutil.copy(library, tmp_path)
    file.write_text(MIXED.format(library=library))
    found = _compiled(file, "sm_90")
    assert next(iter(found)) == "forward"
    assert set(found) == {"forward", "rows_of_mine", "rows_of_mine 2", "twice"}
    assert found["forward"].function == "mine"
    assert found["forward"].facts.remarks == ()
    lacking = _compiled(file, "sm_80")
    assert list(lacking) == ["forward"]
    assert list(map(str, lacking["forward"].facts.remarks)) == [
        "rows.so has no kernel for sm_80, and no PTX to make one of"
    ]
    file.write_text(MIXED.format(library=library) + "# another version\n")
    assert "rows_of_mine" in _compiled(file, "sm_90")


def test_kernels_that_a_file_loads_are_shown_in_ptx_and_sass(library: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    library = shutil.copy(library, tmp_path)
    file.write_text(FILE.format(library=library))
    for architecture in ("sm_90", "sm_100", "sm_80", "sm_90"):  # code, of PTX, none, once more
        found = _compiled(file, architecture)
        if architecture == "sm_80":
            assert not found
            continue
        assert set(found) == {"rows_of_mine", "rows_of_mine 2", "twice"}
        rows = found["rows_of_mine"]
        assert rows.facts.registers
        assert rows.facts.grid == ()
        assert rows.stages["ptx"].lines[0].startswith(".version")
        assert sum(".entry" in line for line in rows.stages["ptx"].lines) == 1
        sass = rows.stages["sass"].lines
        assert {"row sums", "other"} == set(rows.roles)
        assert sum("SHFL" in sass[line] for line in rows.roles["row sums"]) >= 5
        assert any("STG" in sass[line] for line in rows.roles["other"])
