"""Kernels compiled by another process are found by this one, so that nothing is compiled twice."""

import re
from pathlib import Path

import pytest

import lnkernels.failures
from lnkernels.compiled.launches import MODULES
from lnkernels.failures import free_what_was_left, in_one_line, kind_of
from lnkernels.launch import LAUNCHED
from tests.programs import printed

# In a process of its own: this one may run the interpreter. The driver is a stand-in, as there may
# be no GPU.
SCRIPT = """
import json, sys, time
from pathlib import Path
import torch, triton
from triton.backends.compiler import GPUTarget
from lnkernels.compiled.process_pool import CompilerPool
from lnkernels.compiled.launches import missing, recorded
from lnkernels.check.inputs import make_inputs
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.check.results import kernel_results

class Driver:
    def get_current_target(self): return GPUTarget("cuda", 90, 32)
    def get_current_device(self): return 0
    def get_current_stream(self, device): return 0

triton.runtime.driver.set_active(Driver())
cache = Path(sys.argv[1])
def binaries(): return sorted(str(path) for path in cache.glob("*/*.cubin"))

inputs = make_inputs(256, 512, torch.float16, "tutorial", 0, "cpu")
launch = resolve_launch(512, "float16", LaunchWish(strategy="locked"))
launches = recorded(lambda: kernel_results(inputs, 1e-5, launch))
assert not binaries(), "recording compiles nothing"
wanted = missing(launches)
assert len(wanted) == len({tuple(json.loads(each)[:2]) for each in wanted}) >= 3, wanted

ahead = CompilerPool(1)
ahead.want(wanted)
ahead.want(wanted)
while len(binaries()) < len(wanted): time.sleep(0.05)
ahead.settle(wanted)
ahead.close()
before = binaries()
for launch in launches:
    launch.kernel.warmup(*launch.args, grid=launch.grid, **launch.kwargs)
assert binaries() == before, set(binaries()) - set(before)
assert missing(launches) == []
print("found", len(before))
"""


def test_what_was_compiled_ahead_is_not_compiled_again(tmp_path: Path) -> None:
    told = printed(SCRIPT, tmp_path, TRITON_INTERPRET=None, TRITON_CACHE_DIR=str(tmp_path))
    assert told.startswith("found ")


LIFE_WITHOUT_PROCESSES = """
import sys
from lnkernels.compiled.process_pool import CompilerPool
ahead = CompilerPool(2, command=[sys.executable, "-c", ""])
kernels = [f"{number}" for number in range(5)]
ahead.want(kernels)
ahead.settle(kernels[:2])
ahead.close()
print("done")
"""


def test_processes_that_end_at_once_keep_nobody_waiting() -> None:
    assert printed(LIFE_WITHOUT_PROCESSES) == "done\n"


# Each process keeps a kernel until it may go on, and writes down when it began and ended.
HELD = """
import sys, time
from pathlib import Path
from lnkernels.compiled.process_pool import CompilerPool
log = Path(sys.argv[1])
may_end = log.with_suffix(".go")
slow = '''
import sys, time
from pathlib import Path
print("{}", flush=True)
for line in sys.stdin:
    with open(sys.argv[1], "a") as log: log.write("began ")
    while not Path(sys.argv[2]).exists(): time.sleep(0.01)
    with open(sys.argv[1], "a") as log: log.write("ended ")
    print("{}", flush=True)
'''
def words(): return log.read_text().split() if log.exists() else []
ahead = CompilerPool(1, ready=3, command=[sys.executable, "-c", slow, str(log), str(may_end)])
assert ahead.hold(20) and len(ahead._compilers) == 1, "no more come up than there may be"
ahead.release()
ahead.want([f"{number}" for number in range(3)])
while not words(): time.sleep(0.01)
assert ahead.hold(20, may_end.touch)
assert words() == ["began", "ended"], "one that was begun is waited for"
ahead.want(["later"], first=True)
time.sleep(0.5)
assert words() == ["began", "ended"], "nothing is begun meanwhile"
ahead.release()
end = time.monotonic() + 20
while words().count("ended") < 4 and time.monotonic() < end: time.sleep(0.02)
assert words().count("ended") == 4, words()
may_end.unlink()
ahead.want(["last"])
while words().count("began") < 5: time.sleep(0.01)
assert not ahead.hold(0.05), "it takes longer"
ahead.close()
print("done")
"""


def test_who_measures_the_host_can_have_it_quiet(tmp_path: Path) -> None:
    assert printed(HELD, tmp_path / "log") == "done\n"


class OutOfResources(Exception):  # noqa: N818  called as Triton calls it
    pass


def raise_from_too_much() -> None:
    try:
        raise OutOfResources("shared memory")
    except OutOfResources as error:
        raise RuntimeError("the call cannot be captured") from error


def test_what_caused_an_error_counts() -> None:
    with pytest.raises(RuntimeError) as caught:
        raise_from_too_much()
    assert kind_of(caught.value) == "out_of_resources"
    free_what_was_left(caught.value)
    assert caught.value.__traceback__ is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("first\nsecond"), "RuntimeError: first"),
        (
            RuntimeError("at 3:7:\n    x = y\nValueError: y is not defined"),
            "RuntimeError: ValueError: y is not defined",
        ),
        (
            RuntimeError("backend='inductor' raised:\nValueError: a\n\nSet VERBOSE=1"),
            "RuntimeError: ValueError: a",
        ),
        (
            RuntimeError(
                "Error building extension 'norm': [1/3] nvcc -c cuda.cu\nFAILED: cuda.cuda.o\n"
                '/tmp/norm/cuda.cu(4): warning #177-D: unused\n/tmp/norm/cuda.cu(7): error: no ";"'
            ),
            'cuda.cu, line 7: no ";"',
        ),
        (
            RuntimeError(
                "Error building extension 'norm': [1/2] c++\nmain.cpp: In function 'int f()':\n"
                "main.cpp:3:18: error: 'g' was not declared\n"
            ),
            "main.cpp, line 3: 'g' was not declared",
        ),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_an_error_becomes_one_line(error: Exception, words: str) -> None:
    assert in_one_line(error) == words


class CompilationError(Exception):
    """Named as Triton's."""


def raise_from_a_called_function() -> None:
    try:
        raise CompilationError(
            "at 3:7:\n    tl.arange(0, 3)\n    ^\nsizes are powers of 2"
        ) from ValueError("3")
    except CompilationError as error:
        raise CompilationError("at 9:1:\n    columns_of_row(3)\n    ^") from error


def test_of_a_compilers_errors_the_innermost_is_told() -> None:
    with pytest.raises(CompilationError) as caught:
        raise_from_a_called_function()
    assert in_one_line(caught.value) == "CompilationError: sizes are powers of 2"


def test_every_module_with_kernels_of_a_run_has_its_keys_settled() -> None:
    package = Path(lnkernels.failures.__file__).parent
    with_kernels = {
        ".".join(path.relative_to(package).with_suffix("").parts)
        for path in package.rglob("*.py")
        if re.search(r"^@(triton\.jit|device_function)", path.read_text(), re.MULTILINE)
    }
    # Of dropout and of two GPUs, which no run launches; and what moves elements, between times.
    others = {"passes.random_mask", "passes.gpus", "check.shuffling"}
    assert with_kernels - others == {*MODULES, *(f"passes.{name}" for name in LAUNCHED)}
