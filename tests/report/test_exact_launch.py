"""An exported run is launched as it was measured: on its device with other tuned settings, and on
any other where it fits.
"""

import ast
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from lnexplorer.cli.options import CommandParser, add_run_options, read_request
from lnexplorer.domain.request import ResolvedRequest, RunRequest, check, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.report.script import command, python_script
from lnkernels.launch import KNOWN_DEVICES, STRATEGIES, DeviceLimits, Launch
from lnkernels.launch.measured import ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.tuned import Kept, forget_tuned, write_tuned
from lnkernels.values.figures import Throughput
from tests.conftest import forget_launches
from tests.sample_results import exported_run, make_figure

WIDTHS = (24, 1024, 6144, 8192, 65536)
ROWS = (4096, 32768)  # from 16384 rows on the forward pass has settings of its own
H200 = next(device for device in KNOWN_DEVICES if device.name == "NVIDIA H200")
NOW = "2026-01-01T00:00:00+00:00"
PARSER = CommandParser("run", "", "")
add_run_options(PARSER)
PARSER.add_argument("--device")


pytestmark = pytest.mark.usefixtures("tuned_home")


def tune(limits: DeviceLimits) -> None:
    """Settings of every kind that nothing has untuned, for the widths and types of these tests."""
    write_tuned(
        limits, NOW, [entry for n, size in product(WIDTHS, {2, 4}) for entry in _entries(n, size)]
    )
    forget_launches()


def forget() -> None:
    forget_tuned()
    forget_launches()


def _entries(n: int, size: int) -> Iterator[Kept]:
    shape = {"element_bytes": size, "up_to_n": n}
    yield SplitEntry(**shape, block_n=512, num_warps=2, num_stages=2)
    if n <= 1024:
        yield RowsEntry(
            **shape,
            rows=2,
            num_warps=8,
            num_stages=2,
            programs_per_sm=3,
            sums_per_row=n == 1024,
        )
    for many in (False, True):
        walks = ForwardEntry(
            **shape,
            rows=2,
            block_n=0,
            num_warps=2,
            num_stages=3,
            programs_per_sm=3 if many else 2,
            many_rows=many,
        )
        holds = ForwardEntry(
            **shape,
            rows=1,
            block_n=2048,
            num_warps=16,
            num_stages=1,
            programs_per_sm=0,
            held=not many,
        )
        yield walks if n <= 1024 else replace(holds, many_rows=many)


def asked_by_command(result: RunResult) -> RunRequest:
    read = read_request(PARSER.read([*shlex.split(command(result))[2:], "--device", "cuda:0"]))
    assert isinstance(read, RunRequest)
    return read


def runs(limits: DeviceLimits) -> Iterator[tuple[RunRequest, ResolvedRequest]]:
    """Every run of these tests that the device can do, as it is resolved there now."""
    for strategy, n, dtype, m in product(
        STRATEGIES, WIDTHS, ("bfloat16", "float32"), ROWS
    ):  # of either size
        request = RunRequest.of(m=m, n=n, dtype=dtype, strategy=strategy)
        if not check(request, "cuda", limits=limits):
            yield request, resolve(request, "cuda", limits)


@pytest.mark.parametrize("limits", [KNOWN_DEVICES[0], H200], ids=lambda limits: limits.name)
def test_on_its_device_an_exported_run_is_launched_alike_whatever_was_tuned_before_and_after(
    limits: DeviceLimits,
) -> None:
    usual = list(runs(limits))
    tune(limits)
    tuned = list(runs(limits))
    assert [one.launch for _, one in usual] != [one.launch for _, one in tuned]
    asked = [
        (asked_by_command(exported_run(request, resolved)), resolved)
        for request, resolved in (*usual, *tuned)
    ]
    for again, resolved in asked:
        assert resolve(again, "cuda", limits) == resolved
    forget()
    for again, resolved in asked:
        assert resolve(again, "cuda", limits) == resolved


@pytest.mark.parametrize(
    ("strategy", "n", "m"),
    [
        ("split", 16384, 4096),
        ("locked", 4096, 64),
    ],
)
def test_the_script_leaves_no_setting_to_the_device(strategy: str, n: int, m: int) -> None:
    request = RunRequest.of(m=m, n=n, strategy=strategy)
    resolved = resolve(request, "cuda", H200)
    assert (
        Launch(**constant(python_script(exported_run(request, resolved)), "SETTINGS"))
        == resolved.launch
    )  # type: ignore[arg-type]


def constant(script: str, name: str) -> dict[str, object]:
    found = next(
        node.value
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == name
    )
    value = ast.literal_eval(found)
    assert isinstance(value, dict)
    return value


def test_the_script_names_the_figures_that_it_reproduces() -> None:
    result = exported_run(RunRequest(m=64, n=512), resolve(RunRequest(m=64, n=512), "cuda"))
    assert constant(python_script(result), "RUN_P50_MS") == {}
    figures = tuple(
        replace(make_figure("locked", direction, 100.0, result.resolved, mode=mode), p50_ms=time)
        for direction, mode, time in (
            ("forward", "kernel_cold", 0.25),
            ("forward", "kernel_warm", 0.125),
            ("backward", "autograd", 0.75),
            ("backward", "kernel_cold", 0.5),
        )
    )
    script = python_script(replace(result, throughput=Throughput(figures=figures, refusals=())))
    assert constant(script, "RUN_P50_MS") == {"forward": 0.25, "backward": 0.5}
    assert "# forward, cold L2: 100 GB/s, p50 0.2500 ms" in script
