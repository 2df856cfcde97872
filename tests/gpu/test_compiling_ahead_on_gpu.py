"""What is compiled beside the process that times is what it then launches, by this very version of Triton."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu

AHEAD = """
import sys, time
from pathlib import Path
from lnkernels.compiled.ahead import Ahead, HostTools, Planned, missing, recorded
from lnkernels.compiled.facts import CompileRequest
from lnkernels.launch import LaunchWish, resolve_launch

cache = Path(sys.argv[1])
SETTINGS = [(1024, 64), (1024, 96), (4096, 64)]
def made(): return sorted(str(path) for pattern in ("*/*.cubin", "*/*.so") for path in cache.glob(pattern))
def launch_of(n, group): return resolve_launch(n, "float16", LaunchWish(strategy="locked", group_size_m=group))

ahead = Ahead(4)
architecture = "sm_%d%d" % tuple(map(int, sys.argv[2].split(".")))
requests = [
    CompileRequest(m=512, n=n, dtype="float16", launch=launch_of(n, group), architecture=architecture) for n, group in SETTINGS
]
ahead.want([HostTools(), Planned.of(requests)])
while ahead._waiting or ahead._busy: time.sleep(0.1)
planned = made()

import torch
from lnkernels.inputs import make_inputs
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Case
from lnkernels.providers.verify import Verifier

for n, group in SETTINGS:
    inputs = make_inputs(512, n, torch.float16, "tutorial", 0, "cuda")
    case = Case.of(inputs, 1e-5, launch_of(n, group))
    def both():
        Own('locked').forward(case)()
        Own('locked').backward(case)()
    launches = recorded(both)
    assert missing(launches), "this process has compiled nothing yet"
    assert Verifier(case, autograd=False)(Own('locked')) is None
torch.cuda.synchronize()
ahead.close()
print(len(planned), len(made()), *sorted({Path(path).name for path in set(made()) - set(planned)}))
"""

HEAD_START = """
import sys, threading
from lnexplorer.worker.start import HeadStart
started = HeadStart("cuda:0")
for thread in threading.enumerate():
    if thread.name == "head-start": thread.join(60)
assert "torch" not in sys.modules
import torch
assert started._architecture == "sm_%d%d" % torch.cuda.get_device_capability(0)
assert float(torch.ones(8, device="cuda").sum()) == 8.0
started.close()
print("open")
"""


def run(script: str, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, str(cache), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=170, check=False)


def test_what_was_planned_without_a_gpu_is_all_that_a_launch_needs(tmp_path: Path) -> None:
    import torch

    ran = run(AHEAD, tmp_path, "{}.{}".format(*torch.cuda.get_device_capability()))
    assert ran.returncode == 0, ran.stderr[-3000:]
    planned, after, *more = ran.stdout.split()
    assert int(planned) >= 6, "kernels of two widths, and what Triton has on the host"
    assert (planned, more) == (after, []), "nothing was compiled for the launch"


def test_the_driver_and_its_context_can_be_opened_before_torch_is_imported(tmp_path: Path) -> None:
    ran = run(HEAD_START, tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "open\n"), ran.stderr[-3000:]
