"""Settings that may come are compiled in other processes, with a stand-in for the GPU's driver."""

from pathlib import Path

from tests.programs import printed

SCRIPT = """
import sys, time
from pathlib import Path
import torch, triton
from triton.backends.compiler import GPUTarget
from lnkernels.values.environment import Device, Environment
from lnexplorer.domain.request import RunRequest
from lnexplorer.worker.compilation import Compilation
from lnkernels.launch import limits_for_architecture

class Driver:
    def get_current_target(self): return GPUTarget("cuda", 90, 32)
    def get_current_device(self): return 0
    def get_current_stream(self, device): return 0

triton.runtime.driver.set_active(Driver())
cache = Path(sys.argv[1])
def binaries(): return {path.name for path in cache.glob("*/*.cubin")}

device = Device(
    backend="cuda", name="stand-in", index=0, limits=limits_for_architecture("sm_90"), free_memory_bytes=1 << 30,
    notes=(), environment=Environment(date="", python="", torch="", triton=""),
)
compilation = Compilation(torch.device("cpu"), device)
assert not compilation.busy
compilation.later([
    RunRequest.of(m=64, n=256, strategy="locked", num_warps=3),  # not possible: passed over
    RunRequest.of(m=64, n=256, strategy="locked"),
])
while compilation.busy: compilation.top_up()
wanted = {"forward_kernel.cubin", "stage1_kernel.cubin", "stage2_kernel.cubin"}
end = time.monotonic() + 100
while not wanted <= binaries() and time.monotonic() < end: time.sleep(0.05)
compilation.close()
print(*sorted(wanted - binaries()))
"""


def test_settings_that_may_come_are_compiled_without_anybody_waiting(tmp_path: Path) -> None:
    missing = printed(SCRIPT, tmp_path, TRITON_INTERPRET=None, TRITON_CACHE_DIR=str(tmp_path))
    assert missing == "\n"
