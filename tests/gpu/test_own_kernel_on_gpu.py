"""A kernel of one's own on a GPU: timed in a graph or by events, and found out where its results
are not there yet.
"""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lnexplorer.domain.measuring import Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import TEXTS, read_listing
from lnkernels.device import device_limits
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.launch.source import KernelSource, find_source
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.figures import DIRECTIONS, Throughput
from lnkernels.values.listing import Listing
from tests.engine.listener import Listener
from tests.lnkernels.own_files import PAIR, PLAIN

pytestmark = pytest.mark.gpu
builds_cuda = pytest.mark.skipif(
    not (shutil.which("nvcc") and shutil.which("ninja")), reason="needs nvcc and ninja"
)
TUNED = PAIR.replace("eps, BLOCK=block, num_warps=num_warps)", "eps, BLOCK=block)").replace(
    "@triton.jit\ndef normalize_row",
    "@triton.autotune([triton.Config({}, num_warps=each) for each in (2, 4)],"
    " key=['n'])\n@triton.jit\ndef normalize_row",
)
WAITS = "    torch.cuda.synchronize()\n    return dx, dw, db"
ELSEWHERE = """
def forward(x, weight, bias, eps, num_warps=4):
    y = torch.full_like(x, float("nan"))
    mean, rstd = torch.empty((2, x.shape[0]), dtype=torch.float32, device=x.device)
    torch.cuda.synchronize()
    with torch.cuda.stream(STREAM):  # nobody waits for it
        torch.cuda._sleep(200_000_000)
        normalize_row[(x.shape[0],)](
            x,
            weight,
            bias,
            y,
            mean,
            rstd,
            x.shape[1],
            eps,
            BLOCK=triton.next_power_of_2(x.shape[1]),
            num_warps=num_warps,
        )
    return y, mean, rstd


STREAM = torch.cuda.Stream()
"""


def small_case() -> Case:
    inputs = make_inputs(512, 1000, torch.float16, "tutorial", 0, torch.device("cuda"))
    launch = resolve_launch(1000, "float16", LaunchWish(strategy="locked"), m=512)
    return Case.of(inputs, 1e-5, launch)


def measured(path: Path, text: str, given: str = "") -> Throughput:
    path.write_text(text)
    provider = FileProvider(find_source(given or str(path)))
    modes = [(direction, "kernel_cold") for direction in DIRECTIONS]
    return measure(small_case(), [provider], which=modes, effort=Effort(seconds=0.2, most=50))


@pytest.mark.parametrize(
    ("name", "text"), [("mine.py", PAIR), ("核 三.py", TUNED)], ids=["plain", "tuned"]
)
def test_a_kernel_that_can_be_captured_is_timed_in_a_graph(
    name: str, text: str, tmp_path: Path
) -> None:
    found = measured(tmp_path / name, text)
    assert not found.refusals
    own = [figure for figure in found.figures if figure.provider == "my_norm"]
    assert {figure.direction for figure in own} == set(DIRECTIONS)
    assert all(figure.host_us is None and figure.p50_ms > 0 for figure in own)


def test_a_call_that_no_graph_can_hold_is_timed_by_events(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", PAIR.replace("    return dx, dw, db", WAITS))
    assert not found.refusals
    host = {
        figure.direction: figure.host_us for figure in found.figures if figure.provider == "my_norm"
    }
    assert host["forward"] is None
    assert host["backward"] is not None
    assert host["backward"] > 0


DEFAULT_STREAM = """

def forward(x, weight, bias, eps, num_warps=4, compute=forward):
    with torch.cuda.stream(torch.cuda.default_stream()):
        return compute(x, weight, bias, eps, num_warps)
"""


def test_a_kernel_on_the_default_stream_is_timed_by_events(tmp_path: Path) -> None:
    """Kernels of CUDA are often launched so. A graph on another stream holds none of them."""
    found = measured(tmp_path / "mine.py", PAIR + DEFAULT_STREAM)
    assert not found.refusals
    by_events = {
        figure.direction: figure.host_us is not None
        for figure in found.figures
        if figure.provider == "my_norm"
    }
    assert by_events == {"forward": True, "backward": False}


def test_results_that_another_stream_still_writes_are_found_out(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", PAIR + ELSEWHERE)
    assert [refusal.kind for refusal in found.refusals] == ["incorrect"], found.refusals
    assert not [figure for figure in found.figures if figure.provider == "my_norm"]


REMEMBERS = """

DONE = {}


def forward(x, weight, bias, eps, num_warps=4, compute=forward):
    if x.shape not in DONE:
        DONE[x.shape] = compute(x, weight, bias, eps, num_warps)
    return DONE[x.shape]
"""


def test_what_an_earlier_call_left_is_no_result(tmp_path: Path) -> None:
    """A graph of it would hold nothing, and be the fastest of all."""
    found = measured(tmp_path / "mine.py", PAIR + REMEMBERS)
    assert [refusal.kind for refusal in found.refusals] == ["incorrect"], found.refusals


# Of a forward function: what it does besides, in every call or on the device.
TRICKS = {
    "on another stream after the first calls": """
    CALLS.append(1)
    if len(CALLS) > 3:
        torch.cuda.synchronize()  # no graph holds this call
        STREAM.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(STREAM):
            torch.cuda._sleep(50_000_000)  # longer than a busy host takes to look
            return compute(x, weight, bias, eps, num_warps)
""",
    "skipped on the device after the first calls": """
    DONE.add_(1)
    y, mean, rstd = compute(x, weight, bias, eps, num_warps)
    KEPT.copy_(torch.where(DONE < 8, y, KEPT))
    return KEPT, mean, rstd
""",
    "cached on the device by samples of the input": """
    y, mean, rstd = compute(x, weight, bias, eps, num_warps)
    same = (x[0, :8] == SAMPLES).all()
    KEPT.copy_(torch.where(same, KEPT, y))
    SAMPLES.copy_(x[0, :8])
    return KEPT, mean, rstd
""",
}
TRICKY = """

CALLS, STREAM = [], torch.cuda.Stream()
DONE = torch.zeros(1, dtype=torch.int32, device="cuda")
KEPT = torch.zeros(512, 1000, dtype=torch.float16, device="cuda")
SAMPLES = torch.zeros(8, dtype=torch.float16, device="cuda")


def forward(x, weight, bias, eps, num_warps=4, compute=forward):
"""


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_that_begins_while_it_is_timed_costs_all_times(trick: str, tmp_path: Path) -> None:
    text = PAIR + TRICKY + TRICKS[trick] + "    return compute(x, weight, bias, eps, num_warps)\n"
    found = measured(tmp_path / "mine.py", text)
    assert [refusal.kind for refusal in found.refusals] == ["incorrect"], found.refusals
    assert not [figure for figure in found.figures if figure.provider == "my_norm"]


def test_a_timer_that_is_replaced_is_named(tmp_path: Path) -> None:
    patched = "\ntorch.cuda.Event.elapsed_time = lambda *_: 0.001\n"
    found = measured(tmp_path / "mine.py", PAIR + patched)
    assert ["elapsed_time" in str(refusal.reason) for refusal in found.refusals] == [True]
    assert not measured(tmp_path / "good.py", PAIR).refusals, "it was put back"


INLINE = """
import torch
from torch.utils.cpp_extension import load_inline

CUDA = r'''
#include <ATen/cuda/CUDAContext.h>
__global__ void rows_of_mine(const float* x, const float* w, const float* b, float* y, float* mean,
                             float* rstd, int n, float eps) {
  x += blockIdx.x * n; y += blockIdx.x * n;
  double m = 0, v = 0;
  for (int i = 0; i < n; ++i) m += x[i] / n;
  for (int i = 0; i < n; ++i) v += (x[i] - m) * (x[i] - m) / n;
  float r = rsqrtf(v + eps);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = (x[i] - m) * r * w[i] + b[i];
  if (threadIdx.x == 0) { mean[blockIdx.x] = m; rstd[blockIdx.x] = r; }
}
std::vector<torch::Tensor> norm(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps) {
  auto y = torch::empty_like(x);
  auto mean = torch::empty({x.size(0)}, x.options()), rstd = torch::empty_like(mean);
  rows_of_mine<<<x.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(),
      mean.data_ptr<float>(), rstd.data_ptr<float>(), x.size(1), eps);
  return {y, mean, rstd};
}
'''
CPP = "std::vector<torch::Tensor> norm(torch::Tensor, torch::Tensor, torch::Tensor, double);"
module = load_inline("mine", CPP, CUDA, functions=["norm"])


def forward(x, weight, bias, eps):
    y, mean, rstd = module.norm(x.float(), weight.float(), bias.float(), eps)
    return y.to(x.dtype), mean, rstd


def backward(dy, x, weight, mean, rstd):
    xhat = (x.float() - mean[:, None]) * rstd[:, None]
    wdy = dy.float() * weight.float()
    c1, c2 = (xhat * wdy).mean(1, keepdim=True), wdy.mean(1, keepdim=True)
    dx = (wdy - xhat * c1 - c2) * rstd[:, None]
    return dx.to(x.dtype), (dy.float() * xhat).sum(0), dy.float().sum(0)
"""


def launched_by(path: Path) -> str:
    """Check a file; return what it launched."""
    verifier = Verifier(small_case())
    assert verifier(FileProvider(find_source(str(path)))) is None
    assert verifier.launched is not None
    return str(verifier.launched.sentence)


@builds_cuda
def test_a_kernel_of_cuda_is_timed_and_told_by_its_name(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", INLINE)
    assert not found.refusals
    assert {figure.direction for figure in found.figures if figure.provider == "mine"} == set(
        DIRECTIONS
    )
    launched = launched_by(tmp_path / "mine.py")
    assert re.search(r"rows_of_mine \d×", launched), launched


BESIDE_TRITON = """
import triton, triton.language as tl

@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)

def forward(x, weight, bias, eps, compute=forward):
    y, mean, rstd = compute(x, weight / 2, bias / 2, eps)
    double[(triton.cdiv(y.numel(), 1024),)](y, y.numel(), BLOCK=1024)
    double[(0,)](y, y.numel(), BLOCK=1024)  # a grid without programs: the GPU runs nothing
    return y, mean, rstd
"""


@builds_cuda
def test_the_gpu_is_asked_also_where_triton_launches(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(INLINE + BESIDE_TRITON)
    told = launched_by(path)
    assert "double 4×" in told
    assert "rows_of_mine 2×" in told
    assert "the GPU ran double 2×" in told


COMPILED = """
import torch

@torch.compile(dynamic=False)
def layer_norm(x, shape, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)
"""


def compiled_here(source: KernelSource) -> dict[str, Listing]:
    """Compile the kernels of a file for the GPU that is here."""
    request = CompileRequest(
        m=512,
        n=1000,
        dtype="float16",
        launch=resolve_launch(1000, "float16", LaunchWish()),
        architecture=device_limits(torch.device("cuda")).architecture,
        stages=TEXTS,
        source=source,
    )
    found = map(read_listing, facts_in_own_process(request, timeout=170))
    return {each.facts.name: each for each in found}


@builds_cuda
def test_kernels_that_load_inline_built_are_shown_in_ptx_and_sass(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(INLINE)
    rows = compiled_here(find_source(str(path)))["rows_of_mine"]
    assert "MUFU.RSQ" in rows.text["sass"]
    assert rows.facts.registers


def test_kernels_of_torch_compile_are_shown_with_their_code(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(COMPILED)
    found = compiled_here(find_source(str(path)))
    assert found
    assert all(name.startswith("triton_") for name in found)
    for each in found.values():
        assert each.instructions > 10
        assert each.text["ttgir"]
    assert any("row sums" in each.roles for each in found.values())


def test_a_file_with_torch_compile_is_timed_and_its_kernels_are_told(tmp_path: Path) -> None:
    found = measured(tmp_path / "mine.py", COMPILED)
    assert not found.refusals
    launched = launched_by(tmp_path / "mine.py")
    assert re.search(r"it launched triton_\w+ \d×", launched), launched


PYTORCHS = """
import torch

def layer_norm(x, shape, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAIR, "it launched normalize_row "),
        (PYTORCHS, "it launches no kernel of its own: it called torch's native_layer_norm"),
        (PLAIN, "it launches no kernel of its own: it is plain PyTorch"),
    ],
)
def test_what_ran_is_told(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    assert launched_by(path).startswith(told)


def test_compiled_takes_the_configuration_that_an_autotuner_chose(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TUNED)
    verifier = Verifier(small_case())
    assert verifier(FileProvider(find_source(str(path)))) is None
    assert verifier.launched is not None
    choice = dict(verifier.launched.tuned)["normalize_row"]
    assert f"({choice})" in str(verifier.launched.sentence)
    source = replace(find_source(str(path)), tuned=verifier.launched.tuned)
    facts = compiled_here(source)["forward"].facts
    assert f"num_warps: {facts.num_warps}," in choice
    assert "chose by time" in str(*facts.remarks)


LAUNCH = "    differentiate_rows[(programs,)]("
FAULTS = {
    "hangs": (
        "    inside = columns < n\n    weight",
        "    while tl.load(x_ptr, volatile=True) * 0 == 0:\n        pass\n",
        "10 s",
    ),
    "faults": (
        "    inside = columns < n\n    weight",
        "    x_ptr += 1 << 44\n",
        "illegal memory access",
    ),
    "asserts": (
        LAUNCH,
        "    torch.zeros(1, device=x.device)[torch.full((1,), 9, device=x.device)].cpu()\n",
        "device-side assert",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_kernel_that_takes_the_gpu_along_is_told_by_the_line_of_its_launch(
    fault: str, tmp_path: Path
) -> None:
    place, before, told = FAULTS[fault]
    assert PAIR.count(place) == 1
    path, good = tmp_path / "mine.py", tmp_path / "good.py"
    text = PAIR.replace(place, before + place)
    path.write_text(text)
    good.write_text(PAIR)
    listener = Listener()
    listener.patience = 200.0
    supervisor = Supervisor(listener, device="cuda:0")
    supervisor.start()

    def submit(file: Path, limit_seconds: float) -> int:
        source, problem = find_source(str(file)), RunRequest(m=512, n=1000)
        return supervisor.submit(
            MeasureRequest(
                providers=(source.name,),
                kernels=(source,),
                problem=problem,
                seconds=0.5,
                limit_seconds=limit_seconds,
            )
        )

    try:
        said = str(listener.broken(submit(path, 10.0)).sentence)
        line = text[: text.index(before if fault == "asserts" else LAUNCH)].count("\n") + 1
        assert told in said, said
        assert f"line {line}" in said, said
        right = listener.finished(submit(good, 60.0))  # in a new worker, on the same GPU
        assert isinstance(right.value, Measured)
        assert {figure.direction for figure in right.value.outcomes[0].figures} == set(DIRECTIONS)
    finally:
        supervisor.close()


def test_a_function_that_nobody_here_wrote_is_timed(tmp_path: Path) -> None:
    pytest.importorskip("liger_kernel")
    found = measured(
        tmp_path / "unused.py", "", "liger_kernel.ops.layer_norm:LigerLayerNormFunction"
    )
    assert not found.refusals
    assert {figure.direction for figure in found.figures if figure.host_us is None} == set(
        DIRECTIONS
    )
