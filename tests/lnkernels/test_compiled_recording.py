"""A recorded launch is compiled as Triton itself would compile it."""

import os
import subprocess
import sys

# Triton's own launch, on a driver that has no device: it specialises and compiles, and its launcher does nothing. Run
# in a process of its own, as it replaces the driver.
SCRIPT = """
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction
from lnkernels.compiled.facts import CompileRequest
from lnkernels.compiled.offline import compile_launch, record
from lnkernels.compiled.recording import RecordedLaunch, StandIn, specialize
from lnkernels.launch import LaunchWish, resolve_launch

class Utilities:
    def get_device_properties(self, device): return {"max_shared_mem": 1 << 20}
    def load_binary(self, *arguments): return None, None, 0, 0, 1 << 20

class NoDevice:
    utils = Utilities()
    def get_current_target(self): return GPUTarget("cuda", 90, 32)
    def get_current_device(self): return 0
    def get_current_stream(self, device): return 0
    def launcher_cls(self, source, metadata): return lambda *arguments: None

driver.set_active(NoDevice())

@triton.jit
def every_argument(a_ptr, b_ptr, none_ptr, one, small, multiple, large, negative, flag, real, N: tl.constexpr):
    tl.store(a_ptr + small, one + multiple + large + negative)

launches = [RecordedLaunch(
    every_argument, (1,),
    (StandIn("int64", 4), StandIn("bfloat16", 4), None, 1, 7, 32, 1 << 40, -16, True, 2.0), {"N": 1, "num_warps": 2},
)]
for m, n, dtype, barrier in ((64, 512, "float16", True), (7, 1000, "bfloat16", False), (1, 1, "float32", True)):
    launch = resolve_launch(n, dtype, LaunchWish(barrier=barrier))
    launches += record(CompileRequest(m=m, n=n, dtype=dtype, launch=launch, architecture="sm_90"))
for launch in launches:
    ours = specialize(launch)
    real = JITFunction.run(launch.kernel, *launch.args, grid=launch.grid, warmup=False, **launch.kwargs)
    source = real.src
    assert source.signature == ours.signature, (source.signature, ours.signature)
    assert source.constants == ours.constants, (source.constants, ours.constants)
    attributes = {key: value for key, value in source.attrs.items() if value}
    assert attributes == ours.attributes, (attributes, ours.attributes)
    assert real.asm["ptx"] == compile_launch(launch, "sm_90").asm["ptx"]
print(len(launches), "launches agree")
"""


def test_type_constants_and_alignment_are_those_of_tritons_own_launch(tmp_path):
    file = tmp_path / "compare.py"  # Triton reads a kernel's source from its file
    file.write_text(SCRIPT)
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    environment["TRITON_CACHE_DIR"] = str(tmp_path / "cache")  # a text from the cache names the file of an earlier run
    ran = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False, env=environment)
    assert ran.stdout.strip() == "10 launches agree", ran.stderr
