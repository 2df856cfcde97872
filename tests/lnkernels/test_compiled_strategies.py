"""The kernels of the strategies without locks compile for three architectures, with the settings that each would get."""

import os
import subprocess
import sys
from itertools import product

SCRIPT = """
import sys
from types import SimpleNamespace
from lnkernels import atomic, forward_once, persistent, split
from lnkernels.compiled.offline import CompiledLaunch, compile_launch
from lnkernels.compiled.recording import StandIn, recorded_launches
from lnkernels.launch import limits_for_architecture
from lnkernels.launch.settings_choice import atomic_settings, forward_settings, rows_settings, split_settings

StandIn.fill_ = lambda self, value: self
def record(n, dtype, module, settings, workspace):
    matrix, vector, column = StandIn(dtype, 256, n), StandIn(dtype, n), StandIn("float32", 256)
    with recorded_launches() as launches:
        if module is forward_once:
            module.launch_forward(matrix, vector, vector, 1e-5, settings, y=matrix, mean=column, rstd=column)
        else:
            module.launch_backward(
                matrix, matrix, vector, column, column, settings, workspace, dx=matrix, dw=vector, db=vector
            )
    return launches

def partial(n):
    return SimpleNamespace(dw=StandIn("float32", 132, n), db=StandIn("float32", 132, n))

for architecture in sys.argv[1:]:
    limits = limits_for_architecture(architecture)
    cases = record(4096, "bfloat16", persistent, rows_settings(4096, "bfloat16", limits), partial(4096))
    cases += record(1000, "float16", forward_once, forward_settings(1000, "float16", limits), None)
    cases += record(1024, "float16", atomic, atomic_settings(1024, limits), partial(1024))[:1]
    words = SimpleNamespace(words=StandIn("int64", 256, 64), sums=partial(65536))
    cases += record(65536, "float32", split, split_settings(65536, "float32", limits), words)[:1]
    cases += record(65536, "float32", forward_once, forward_settings(65536, "float32", limits), None)
    for launch in cases:
        kernel = compile_launch(launch, architecture)
        facts = CompiledLaunch(launch.kernel.__name__, architecture, launch.grid, kernel).facts()
        print(architecture, facts.name, facts.spill_bytes, facts.occupancy.programs_per_sm)
"""
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
KERNELS = {"rows_kernel", "sum_partials_kernel", "whole_rows_kernel", "wide_row_kernel", "atomic_kernel", "split_kernel"}


def test_every_kernel_compiles_and_fits_an_sm() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", SCRIPT, *ARCHITECTURES]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 0, ran.stderr[-2000:]
    lines = [line.split() for line in ran.stdout.splitlines()]
    assert {(architecture, name) for architecture, name, *_ in lines} == set(product(ARCHITECTURES, KERNELS))
    for architecture, name, *numbers in lines:
        spilled, resident = map(int, numbers)
        assert spilled <= 64, (architecture, name)
        # The programs of a split row wait for each other, so an SM has to take at least one.
        assert resident >= 1, (architecture, name)
