"""The choice of a strategy on a GPU: it is measured, given settings are launched, tuning keeps what
it finds.
"""

import json
from pathlib import Path

import pytest
import torch

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished
from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import kernel_results, torch_results
from lnkernels.device import device_limits
from lnkernels.launch import STRATEGIES, LaunchWish, check_launch, resolve_launch
from lnkernels.launch.tuned import KINDS
from tests.programs import run_command

pytestmark = pytest.mark.gpu

DEVICE = torch.device("cuda", 0)
EPS = 1e-5


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_checked_and_measured_as_its_own_provider(strategy: str) -> None:
    (ended,) = run_in_turn([RunJob(RunRequest.of(m=1024, n=2048, strategy=strategy))], "cuda:0")
    assert isinstance(ended, Finished), ended
    assert isinstance(ended.value, RunResult)
    result = ended.value
    assert result.correctness.passed
    assert result.throughput is not None
    assert not result.throughput.refusals
    name = result.resolved.launch.strategy
    assert name == ("persistent" if strategy == "auto" else strategy)
    for direction in ("forward", "backward"):
        for mode in ("kernel_cold", "kernel_warm", "autograd"):
            assert result.throughput.find(name, direction, mode) is not None
    assert {facts.name for facts in result.compiled} == {
        "forward",
        "backward_stage1",
        "backward_stage2",
    }
    assert resolve(result.request, "cuda", device_limits(DEVICE)) == result.resolved


@pytest.mark.parametrize(
    ("strategy", "n", "wished"),
    [
        ("persistent", 1024, {"rows": 8, "num_warps": 8, "num_stages": 2}),
        ("persistent", 4096, {"rows": 1, "programs_per_sm": 2, "reduce_block_size_m": 64}),
        ("persistent", 3000, {"block_size": 1024, "forward_num_warps": 2}),
        ("split", 16384, {"block_size_n": 2048, "num_stages": 2}),
        ("split", 16384, {"block_size_n": 16384, "num_warps": 16, "num_stages": 1}),
        ("split", 9000, {"block_size_n": 512}),
        ("atomic", 8192, {"num_warps": 16, "forward_rows": 1}),
    ],
)
def test_settings_that_pass_the_check_are_launched_and_right(
    strategy: str, n: int, wished: dict[str, int]
) -> None:
    limits = device_limits(DEVICE)
    launch = resolve_launch(n, "float16", LaunchWish(strategy=strategy, **wished), limits)
    assert check_launch(n, "float16", launch, limits) == []
    inputs = make_inputs(600, n, torch.float16, "tutorial", 0, DEVICE)
    accuracy = check_all(
        inputs, EPS, launch, kernel_results(inputs, EPS, launch), torch_results(inputs, EPS)
    )
    assert accuracy.passed, [check for check in accuracy.checks if not check.passed]


@pytest.mark.parametrize("kind", KINDS)
def test_tuning_keeps_what_it_finds_and_later_launches_use_it(kind: str, tmp_path: Path) -> None:
    n = {"rows": 8192, "split": 12288, "forward": 16384}[kind]
    lnexplorer(tmp_path, f"tune --kind {kind} --n {n} --m 512 --minutes 1")
    assert (tmp_path / "tuned.json").exists()
    shown = lnexplorer(tmp_path, "tune --show")
    assert f"N {n}" in shown
    assert torch.cuda.get_device_name(DEVICE) in shown
    strategy = {"rows": "persistent", "split": "split", "forward": "auto"}[kind]
    lnexplorer(tmp_path, f"run --strategy {strategy} --m 512 --n {n}")


def lnexplorer(home: Path, line: str) -> str:
    """What a command prints, which has to end well."""
    ran = run_command(line, LNEXPLORER_HOME=str(home))
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_where_both_strategies_are_tuned_the_faster_one_is_kept_too(tmp_path: Path) -> None:
    told = lnexplorer(tmp_path, "tune --n 8192 --kind rows,split --m 512 --minutes 0.5")
    assert "StrategyEntry(element_bytes=2, up_to_n=8192, strategy='" in told
    assert [
        name
        for name in json.loads((tmp_path / "tuned.json").read_bytes())["devices"][0]
        if name == "strategies"
    ]
    assert "strategies N 8192" in lnexplorer(tmp_path, "tune --show")
