"""The parts of the script of "Copy as Python" that are the same for every run, as text. Nothing of it runs in this program."""

HEAD = """\
import atexit
import importlib
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # the kernels run on the CPU then, and nothing is timed
import triton
"""

UNPACK = """\
FOLDER = Path(tempfile.mkdtemp(prefix="layer-norm-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
for name, text in SOURCES.items():
    # Triton reads the source of a kernel from its file, so each module becomes one.
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
sys.path.insert(0, str(FOLDER))
layer_norm = importlib.import_module("lnkernels.layer_norm").layer_norm
LAUNCH = importlib.import_module("lnkernels.launch").LaunchWish(**SETTINGS)
make_inputs = importlib.import_module("lnkernels.inputs").make_inputs
timing = importlib.import_module("lnkernels.timing.cuda")
"""

MEASURE = '''\
TURNS, REPETITIONS = 8, 25  # forward and backward in turns, so that both share a drifting clock


def measure(prepared):
    """Times in ms by name, taken as the run's were: kernels alone in a CUDA graph, L2 flushed before each repetition."""
    device = torch.device("cuda", torch.cuda.current_device())
    flush, capture = timing.Flush(device), timing.Capture(device)
    watches = {name: timing.KernelStopwatch(capture(prepare), "cold", flush) for name, prepare in prepared.items()}
    times = {name: [] for name in watches}
    for _ in range(TURNS):
        for name, watch in watches.items():
            times[name] += watch(REPETITIONS)
    return times


def show_speed(name, passes, times):
    """Print the median and percentiles, and GB/s of the tutorial's bytes: `passes` times M * N elements."""
    p20, p80 = (statistics.quantiles(times, n=5, method="inclusive")[place] for place in (0, 3))
    p50 = statistics.median(times)
    size = passes * M * N * DTYPE.itemsize / 1e6
    line = f"{name}, cold L2".ljust(18) + f" {size / p50:7.0f} GB/s   p20 {p20:.4f}  p50 {p50:.4f}  p80 {p80:.4f} ms"
    if name in RUN_P50_MS:
        there = RUN_P50_MS[name]
        line += f"   (the run: {size / there:.0f} GB/s, p50 {there:.4f} ms; {p50 / there:.3f} of its time)"
    print(line)
'''

RUN = '''\
def main():
    """Run both passes, compare with float64, time them on a GPU; the four results."""
    print(f"torch {torch.__version__}, triton {triton.__version__}")
    device = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
    inputs = make_inputs(M, N, DTYPE, DATA, SEED, device)
    tensors = [tensor.detach().requires_grad_() for tensor in (inputs.x, inputs.weight, inputs.bias)]

    def forward():
        x, weight, bias = tensors
        return layer_norm(x, (N,), weight, bias, EPS, launch=LAUNCH)

    y = forward()
    results = dict(zip(("y", "dx", "dw", "db"), (y.detach(), *torch.autograd.grad(y, tensors, inputs.dy))))
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    exact_y = torch.nn.functional.layer_norm(exact[0], (N,), exact[1], exact[2], EPS)
    truth = (exact_y.detach(), *torch.autograd.grad(exact_y, exact, inputs.dy.double()))
    for (name, result), true in zip(results.items(), truth):
        print(f"{name:3} largest absolute error {(result.double() - true).abs().max().item():.2e}")
    if device == "cuda":
        print(f"{torch.cuda.get_device_name()}: kernels alone in a CUDA graph, median of {TURNS * REPETITIONS}")

        def normalise():
            with torch.no_grad():
                return forward()

        def prepare_backward():
            # Autograd launches on the stream where the forward pass and its leaves were first used: that of the capture.
            leaves = [tensor.detach().requires_grad_() for tensor in tensors]
            result = layer_norm(leaves[0], (N,), leaves[1], leaves[2], EPS, launch=LAUNCH)
            return lambda: torch.autograd.grad(result, leaves, inputs.dy, retain_graph=True)

        times = measure({"forward": lambda: normalise, "backward": prepare_backward})
        show_speed("forward", 2, times["forward"])
        show_speed("backward", 3, times["backward"])
    else:
        print("Triton's interpreter ran the kernels: its times mean nothing, and none were taken.")
    return results


if __name__ == "__main__":
    results = main()
'''
