"""Kernels compiled by the pool of processes are those that are then launched, with this very
version of Triton.
"""

from pathlib import Path

import pytest

from tests.programs import printed

pytestmark = pytest.mark.gpu

AHEAD = """
import sys, time
from pathlib import Path
from lnkernels.compiled.process_pool import HOST_TOOLS, CompilerPool
from lnkernels.compiled.launches import missing, recorded
from lnkernels.launch import LaunchWish, resolve_launch

cache = Path(sys.argv[1])
SETTINGS = [(1024, 64), (1024, 96), (4096, 64)]


def made():
    return sorted(str(path) for pattern in ("*/*.cubin", "*/*.so") for path in cache.glob(pattern))


def launch_of(n, group):
    return resolve_launch(n, "float16", LaunchWish(strategy="locked", group_size_m=group))


import torch
from lnkernels.check.inputs import make_inputs
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Case
from lnkernels.check.verifier import Verifier

cases, wanted = [], []
for n, group in SETTINGS:
    inputs = make_inputs(512, n, torch.float16, "tutorial", 0, "cuda")
    case = Case.of(inputs, 1e-5, launch_of(n, group))

    def both():
        Own('locked').forward(case)()
        Own('locked').backward(case)()

    wanted += missing(recorded(both))
    cases.append(case)
assert wanted and not list(cache.glob("*/*.cubin")), "this process has compiled nothing yet"
ahead = CompilerPool(4)
ahead.want([HOST_TOOLS, *wanted])
while ahead._waiting or ahead._busy:
    time.sleep(0.1)
compiled = made()
for case in cases:
    assert Verifier(case, autograd=False)(Own('locked')) is None
torch.cuda.synchronize()
ahead.close()
print(
    len(compiled), len(made()), *sorted({Path(path).name for path in set(made()) - set(compiled)})
)
"""


def test_what_was_compiled_beside_the_process_is_all_that_a_launch_needs(tmp_path: Path) -> None:
    told = printed(AHEAD, tmp_path, TRITON_INTERPRET=None, TRITON_CACHE_DIR=str(tmp_path))
    compiled, after, *more = told.split()
    assert int(compiled) >= 6, "kernels of two widths, and what Triton has on the host"
    assert (compiled, more) == (after, []), "nothing was compiled for the launch"
