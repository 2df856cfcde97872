"""Kernels of CUDA in the libraries that a file brings along."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.compiled.libraries import plain_name
from lnkernels.compiled.listing import TEXTS, read_listing
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.launch.source import find_source

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


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_kernels_that_a_file_loads_are_shown_in_ptx_and_sass(tmp_path: Path) -> None:
    source, library, file = (tmp_path / name for name in ("rows.cu", "rows.so", "mine.py"))
    source.write_text(KERNELS)
    code = "-gencode=arch=compute_90,code=[sm_90,compute_90]"
    command = ["nvcc", "-shared", "-Xcompiler", "-fPIC", code, str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    file.write_text(FILE.format(library=str(library)))
    for architecture in ("sm_90", "sm_100", "sm_80", "sm_90"):  # code, of PTX, none, once more
        request = CompileRequest(
            m=64,
            n=128,
            dtype="float16",
            launch=resolve_launch(128, "float16", LaunchWish()),
            architecture=architecture,
            stages=TEXTS,
            source=find_source(str(file)),
        )
        found = {each.facts.name: each for each in map(read_listing, facts_in_own_process(request))}
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
