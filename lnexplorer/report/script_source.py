"""What an exported script is made of: the parts that are the same for every run, and the text of the kernels' modules with all
that they import of their package, read from the files that are installed.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "lnkernels"


def sources(*roots: str) -> dict[str, str]:
    """Text of each module that `roots` need, themselves included, by name; a module stands after those that it imports.

    Args:
        roots: such as "lnkernels.layer_norm".

    Raises:
        FileNotFoundError: the package is installed without its source files.
    """
    found: dict[str, str] = {}
    visited: set[str] = set()

    def visit(name: str) -> None:
        if name in visited:
            return
        visited.add(name)
        for parent in _parents(name):
            visit(parent)
        text = _path_of(name).read_text(encoding="utf-8")
        for other in _imports(name, text):
            visit(other)
        found[name] = text

    for root in roots:
        visit(root)
    return found


def is_package(name: str) -> bool:
    """Whether a module of the package is a folder."""
    return _file_of(name, "/__init__.py").is_file()


def _imports(name: str, text: str) -> list[str]:
    """Modules of the package that a module imports when it is loaded or later, but for the sake of types."""
    names = []
    tree = ast.parse(text)
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [other for other in names if other.split(".")[0] == PACKAGE and other != name and _exists(other)]


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _exists(name: str) -> bool:
    return is_package(name) or _file_of(name, ".py").is_file()


def _path_of(name: str) -> Path:
    return _file_of(name, "/__init__.py") if is_package(name) else _file_of(name, ".py")


def _file_of(name: str, suffix: str) -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"The package {PACKAGE} is not installed with its source files.")
    return Path(spec.submodule_search_locations[0]).parent / (name.replace(".", "/") + suffix)


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
