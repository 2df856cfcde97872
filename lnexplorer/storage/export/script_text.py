"""The parts of the script of "Copy as Python" that are the same for every run, as text. Nothing of it runs in this program."""

HEAD = """\
import atexit
import importlib
import os
import shutil
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
make_inputs = importlib.import_module("lnkernels.inputs").make_inputs
"""

MEASURE = '''\
WARM_UP, REPETITIONS, L2_BYTES = 10, 200, 256 << 20


def captured(call, stream):
    """The kernels that `call` launches, as a CUDA graph: replayed, they take no time of Python's."""
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        call()
    return graph


def times_of(graph):
    """Sorted times in ms, the L2 cache flushed before each repetition."""
    flush = torch.empty(L2_BYTES, dtype=torch.int8, device="cuda")
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(REPETITIONS)]
    for _ in range(WARM_UP):
        graph.replay()
    for begin, end in events:
        flush.zero_()
        begin.record()
        graph.replay()
        end.record()
    torch.cuda.synchronize()
    return sorted(begin.elapsed_time(end) for begin, end in events)


def show_speed(name, graph, passes):
    """Print percentiles, and GB/s of the tutorial's bytes: `passes` times M * N elements."""
    times = times_of(graph)
    p20, p50, p80 = (times[int(share * (len(times) - 1))] for share in (0.2, 0.5, 0.8))
    gbps = passes * M * N * DTYPE.itemsize / p50 / 1e6
    print(f"{name:18} {gbps:7.0f} GB/s   p20 {p20:.4f}  p50 {p50:.4f}  p80 {p80:.4f} ms")
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
        return layer_norm(x, (N,), weight, bias, EPS, **SETTINGS)

    y = forward()
    results = dict(zip(("y", "dx", "dw", "db"), (y.detach(), *torch.autograd.grad(y, tensors, inputs.dy))))
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    exact_y = torch.nn.functional.layer_norm(exact[0], (N,), exact[1], exact[2], EPS)
    truth = (exact_y.detach(), *torch.autograd.grad(exact_y, exact, inputs.dy.double()))
    for (name, result), true in zip(results.items(), truth):
        print(f"{name:3} largest absolute error {(result.double() - true).abs().max().item():.2e}")
    if device == "cuda":
        stream = torch.cuda.Stream()
        with torch.no_grad():
            show_speed("forward, cold L2", captured(forward, stream), 2)
        with torch.cuda.stream(stream):  # autograd launches on the stream where the forward pass and its leaves were first used
            tensors[:] = [tensor.detach().requires_grad_() for tensor in tensors]
            y = forward()
        torch.cuda.synchronize()
        gradients = captured(lambda: torch.autograd.grad(y, tensors, inputs.dy, retain_graph=True), stream)
        show_speed("backward, cold L2", gradients, 3)
    else:
        print("Triton's interpreter ran the kernels: its times mean nothing, and none were taken.")
    return results


if __name__ == "__main__":
    results = main()
'''
