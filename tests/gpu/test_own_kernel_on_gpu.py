"""A kernel of one's own on a GPU: timed in a graph or by events, and found out where its results are not there yet."""

from pathlib import Path

import pytest
import torch

from lnkernels.inputs import make_inputs
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.launch.source import find_source
from lnkernels.measure import measure
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.timing.rounds import Effort
from lnkernels.values.figures import DIRECTIONS, Measurement

pytestmark = pytest.mark.gpu
TEXT = Path(__file__).parents[2].joinpath("resources", "new_kernel.txt").read_text()
WAITS = "    torch.cuda.synchronize()\n    return dx, dw, db"
ELSEWHERE = """

def forward(x, weight, bias, eps, num_warps=4):
    y = torch.full_like(x, float("nan"))
    mean, rstd = torch.empty((2, x.shape[0]), dtype=torch.float32, device=x.device)
    torch.cuda.synchronize()
    with torch.cuda.stream(STREAM):  # nobody waits for it
        torch.cuda._sleep(200_000_000)
        normalize_row[(x.shape[0],)](
            x, weight, bias, y, mean, rstd, x.shape[1], eps, BLOCK=triton.next_power_of_2(x.shape[1]), num_warps=num_warps
        )
    return y, mean, rstd


STREAM = torch.cuda.Stream()
"""


def measured(path: Path, text: str, given: str = "") -> Measurement:
    path.write_text(text)
    inputs = make_inputs(512, 1000, torch.float16, "tutorial", 0, torch.device("cuda"))
    launch = resolve_launch(1000, "float16", LaunchWish(strategy="locked"), m=512)
    provider = FileProvider(find_source(given or str(path)))
    modes = [(direction, "kernel_cold") for direction in DIRECTIONS]
    return measure(Case.of(inputs, 1e-5, launch), [provider], which=modes, effort=Effort(seconds=0.2, most=50))


def test_a_kernel_that_can_be_captured_is_timed_in_a_graph(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", TEXT)
    assert not found.refusals
    own = [figure for figure in found.figures if figure.provider == "my_norm"]
    assert {figure.direction for figure in own} == set(DIRECTIONS)
    assert all(figure.host_us is None and figure.p50_ms > 0 for figure in own)


def test_a_call_that_no_graph_can_hold_is_timed_by_events(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", TEXT.replace("    return dx, dw, db", WAITS))
    assert not found.refusals
    host = {figure.direction: figure.host_us for figure in found.figures if figure.provider == "my_norm"}
    assert host["forward"] is None
    assert host["backward"] is not None
    assert host["backward"] > 0


def test_results_that_another_stream_still_writes_are_found_out(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", TEXT + ELSEWHERE)
    assert [refusal.kind for refusal in found.refusals] == ["incorrect"], found.refusals
    assert not [figure for figure in found.figures if figure.provider == "my_norm"]


def test_a_function_that_nobody_here_wrote_is_timed(tmp_path: Path) -> None:
    pytest.importorskip("liger_kernel")
    found = measured(tmp_path / "unused.py", "", "liger_kernel.ops.layer_norm:LigerLayerNormFunction")
    assert not found.refusals
    assert {figure.direction for figure in found.figures if figure.host_us is None} == set(DIRECTIONS)
