"""The script of "Copy as Python", on a GPU: it launches what the run launched, and times it as the
run did.
"""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import triton

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.report.script import python_script
from lnkernels.check.inputs import make_inputs
from lnkernels.device import device_limits
from lnkernels.language.launching import Launched, noted
from lnkernels.providers.discovery import discover
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.figures import DIRECTIONS, Throughput
from tests.sample_results import exported_run

pytestmark = pytest.mark.gpu

REQUESTS = (
    *(
        RunRequest.of(m=4096, n=4096, strategy=strategy)
        for strategy in ("locked", "persistent", "split", "atomic")
    ),
    RunRequest.of(m=4096, n=6144, strategy="persistent", forward_held=False, forward_num_warps=4),
    RunRequest.of(
        m=4096,
        n=1024,
        strategy="persistent",
        forward_rows=1,
        forward_grid_per_sm=4,
        forward_num_stages=3,
    ),
    RunRequest.of(m=4096, n=8192, strategy="split", slices=4),
)
# What the script launches in one call of both passes. With a hook, every launch goes through Triton
# and is noted.
LAUNCHES = """
import runpy, sys

script = runpy.run_path(sys.argv[1], run_name="script")
notes = (
    script["importlib"].import_module("lnkernels.language.launching")._NOTES
)  # the script has no more of it than launches need
script["triton"].knobs.runtime.launch_enter_hook.add(lambda *_: None)
inputs = script["make_inputs"](
    *(script[name] for name in ("M", "N", "DTYPE", "DATA", "SEED")), "cuda"
)
notes.steps = []
forward, backward, _ = script["prepare_passes"](inputs)
forward()
backward()
for step in notes.steps:
    if hasattr(step, "grid"):
        print(
            step.compiled.metadata.name,
            step.grid,
            sorted((name, repr(value)) for name, value in step.constants.items()),
        )
"""


def identity(request: RunRequest) -> str:
    return f"{request.strategy}-{request.n}"


def case_of(resolved: ResolvedRequest) -> Case:
    dtype = getattr(torch, resolved.dtype)
    inputs = make_inputs(
        resolved.m, resolved.n, dtype, resolved.data, resolved.seed, torch.device("cuda")
    )
    return Case.of(inputs, resolved.eps, resolved.launch)


def resolved_here(request: RunRequest) -> ResolvedRequest:
    return resolve(request, "cuda", device_limits(torch.device("cuda", 0)))


def output_of(*arguments: str, folder: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-I", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def launches_of(provider: Provider, case: Case) -> list[str]:
    """Return the launches that LAUNCHES prints; the forward pass is launched again before the
    backward pass, which needs its statistics.
    """
    with noted() as steps:
        provider.forward(case)()
        provider.backward(case)()
    found = [step for step in steps if isinstance(step, Launched)]
    lines = [
        f"{step.compiled.metadata.name} {step.grid}"
        f" {sorted((name, repr(value)) for name, value in step.constants.items())}"
        for step in found
    ]
    return list(dict.fromkeys(lines))


@pytest.mark.parametrize("request_", REQUESTS, ids=identity)
def test_the_script_launches_what_the_run_launches(request_: RunRequest, tmp_path: Path) -> None:
    resolved = resolved_here(request_)
    provider = discover().providers[resolved.launch.strategy]
    script = tmp_path / "run.py"
    script.write_text(python_script(exported_run(request_, resolved)))
    told = output_of("-c", LAUNCHES, str(script), folder=tmp_path).splitlines()
    assert told == launches_of(provider, case_of(resolved))
    assert len(told) == 3


@pytest.mark.parametrize("request_", REQUESTS, ids=identity)
def test_the_script_checks_both_passes_and_prints_the_run_s_figures_beside_its_own(
    request_: RunRequest, tmp_path: Path
) -> None:
    """How near the two are is printed, and not asserted: a busy GPU slows one of them."""
    resolved = resolved_here(request_)
    provider = discover().providers[resolved.launch.strategy]
    which = [(direction, "kernel_cold") for direction in DIRECTIONS]
    measured = measure(case_of(resolved), [provider], which=which, effort=Effort(seconds=1.0))  # type: ignore[arg-type]
    figures = measured.figures
    result = replace(
        exported_run(request_, resolved), throughput=Throughput(figures=figures, refusals=())
    )
    script = tmp_path / "run.py"
    script.write_text(python_script(result))
    told = output_of(str(script), folder=tmp_path)
    print(f"{identity(request_)} (triton {triton.__version__})\n{told}")
    for direction in DIRECTIONS:
        own = next(
            figure
            for figure in figures
            if (figure.provider, figure.direction) == (provider.name, direction)
        )
        found = re.search(
            rf"{direction}, cold L2 +(\d+) GB/s .*the run: (\d+) GB/s, p50 ([\d.]+) ms; ([\d.]+)"
            r" of its",
            told,
        )
        assert found is not None
        assert int(found[1]) > 0
        assert abs(int(found[2]) - own.gbps) <= 1
        assert float(found[3]) == pytest.approx(own.p50_ms, abs=1e-4)
        assert float(found[4]) > 0
    errors = dict(re.findall(r"^(\w+) +largest absolute error (\S+)$", told, re.MULTILINE))
    assert errors.keys() == {"y", "dx", "dw", "db"}
    assert all(float(error) < 0.1 for error in errors.values())
