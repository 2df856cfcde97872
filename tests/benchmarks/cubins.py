"""Compiles kernels with the Triton of this machine, and times them on another, which may have an
older one.

    python -m tests.benchmarks.cubins compile FOLDER TRIAL.py:FUNCTION [--device sm_90]
    python -m tests.benchmarks.cubins launch FOLDER           # needs a GPU and cuda.bindings

FUNCTION takes nothing and launches kernels on tensors of the device "meta", which have a shape and
no memory; so it may set `num_ctas` for a cluster of that many SMs, or whatever else its Triton
knows. No GPU is needed for that. FOLDER then has each kernel's cubin, and launches.json with its
grid, warps, cluster, shared memory and arguments. `launch` fills tensors with random numbers,
launches each kernel as it was written, and prints the median of its times with a cold L2, in µs.
"""

import ctypes
import importlib.util
import json
import statistics
from pathlib import Path
from typing import Any

import torch

from lnkernels.compiled.launches import RecordedLaunch, capability_of, recorded
from lnkernels.triton_internals import compile_for, target_of
from tests.programs import described

REPETITIONS = 50
_FLUSHED = 512 << 20  # bytes that are written before each launch, several times an L2
_SCALARS = {"i1": "c_bool", "i8": "c_int8", "i16": "c_int16", "i32": "c_int32", "i64": "c_int64"}
_SCALARS |= {"fp32": "c_float", "fp64": "c_double"}


def compile_trial(folder: Path, trial: str, architecture: str) -> None:
    """Write the cubins of a trial's launches, and what launching them takes."""
    file, _, function = trial.rpartition(":")
    spec = importlib.util.spec_from_file_location("trial", file)
    if spec is None or spec.loader is None or not function:
        raise SystemExit(f"{trial} is not possible: write FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    launches = recorded(getattr(module, function))
    compile_for(target_of(capability_of(architecture)))
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, launch in enumerate(launches):
        compiled = launch.compile()
        name = f"{number}_{launch.kernel.__name__}.cubin"
        (folder / name).write_bytes(compiled.asm["cubin"])
        metadata = compiled.metadata
        written.append(
            {
                "cubin": name,
                "function": metadata.name,
                "grid": [*launch.grid, 1, 1][:3],
                "num_warps": metadata.num_warps,
                "num_ctas": metadata.num_ctas,
                "shared": metadata.shared,
                "parameters": compiled.asm["ptx"].split(".entry")[1].split(")")[0].count(".param"),
                "arguments": _arguments(launch, compiled.src.signature),
            }
        )
        print(name, *launch.grid, f"{metadata.num_ctas} SMs a cluster, {metadata.shared} B shared")
    (folder / "launches.json").write_text(json.dumps(written, indent=1), encoding="utf-8")


def _arguments(launch: RecordedLaunch, signature: dict[str, str]) -> list[dict[str, Any]]:
    """What the compiled kernel still takes: neither constants nor what has become one."""
    given = dict(zip(launch.kernel.arg_names, launch.args, strict=False)) | launch.kwargs
    taken = []
    for name, kind in signature.items():
        if kind.startswith("*"):
            tensor = given[name]
            dtype = str(tensor.dtype).removeprefix("torch.")
            taken.append({"kind": "tensor", "shape": list(tensor.shape), "dtype": dtype})
        elif kind != "constexpr":
            taken.append({"kind": kind, "value": given[name]})
    return taken


def launch_all(folder: Path) -> None:
    """Launch and time each kernel of a folder."""
    torch.cuda.init()
    flushed = torch.empty(_FLUSHED, dtype=torch.uint8, device="cuda")
    print(torch.cuda.get_device_name())
    for each in json.loads((folder / "launches.json").read_text(encoding="utf-8")):
        launch = _prepared(folder, each)
        launch()
        torch.cuda.synchronize()
        times = []
        for _ in range(REPETITIONS):
            flushed.zero_()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            launch()
            end.record()
            end.synchronize()
            times.append(1e3 * begin.elapsed_time(end))
        print(f"{each['cubin']}: {statistics.median(times):.1f} us, {each['num_ctas']} a cluster")


def _prepared(folder: Path, each: dict[str, Any]) -> Any:
    """Load a kernel, and return a call that launches it on random numbers."""
    from cuda.bindings import driver  # of a machine with a GPU alone

    def done(result: tuple[Any, ...]) -> Any:
        if result[0] != driver.CUresult.CUDA_SUCCESS:
            raise SystemExit(f"{each['cubin']}: {result[0]}")
        return result[1] if len(result) > 1 else None

    cubin = (folder / each["cubin"]).read_bytes()
    function = done(
        driver.cuModuleGetFunction(
            done(driver.cuModuleLoadData(cubin)), each["function"].encode("utf-8")
        )
    )
    shared = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    done(driver.cuFuncSetAttribute(function, shared, each["shared"]))
    values = [_value(one) for one in each["arguments"]]
    values += [ctypes.c_void_p(0)] * (each["parameters"] - len(values))  # Triton's scratch memory
    addresses = (ctypes.c_void_p * len(values))(
        *(ctypes.addressof(getattr(value, "held", value)) for value in values)
    )
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = each["grid"]
    config.gridDimX *= each["num_ctas"]
    config.blockDimX, config.blockDimY, config.blockDimZ = 32 * each["num_warps"], 1, 1
    config.sharedMemBytes = each["shared"]
    config.hStream = torch.cuda.current_stream().cuda_stream
    if each["num_ctas"] > 1:
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        cluster = attribute.value.clusterDim
        cluster.x, cluster.y, cluster.z = each["num_ctas"], 1, 1
        config.attrs, config.numAttrs = [attribute], 1
    kept = values  # addresses point into them

    def launch() -> None:
        assert kept
        done(driver.cuLaunchKernelEx(config, function, ctypes.addressof(addresses), 0))

    return launch


class _Tensor:
    """A tensor's address as a kernel's argument, and the tensor, which must live as long."""

    def __init__(self, shape: list[int], dtype: str) -> None:
        kind = getattr(torch, dtype)
        values = torch.randn(shape, device="cuda")
        self.tensor = (
            values.to(kind)
            if kind.is_floating_point
            else torch.zeros(shape, dtype=kind, device="cuda")
        )
        self.held = ctypes.c_void_p(self.tensor.data_ptr())


def _value(one: dict[str, Any]) -> Any:
    if one["kind"] == "tensor":
        return _Tensor(one["shape"], one["dtype"])
    return getattr(ctypes, _SCALARS[one["kind"]])(one["value"])


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("what", choices=("compile", "launch"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("trial", nargs="?", help="FILE.py:FUNCTION, to compile")
    parser.add_argument("--device", default="sm_90", metavar="ARCHITECTURE")
    options = parser.parse_args()
    if options.what == "launch":
        launch_all(options.folder)
    elif options.trial is None:
        parser.error("compile takes FILE.py:FUNCTION")
    else:
        compile_trial(options.folder, options.trial, options.device)


if __name__ == "__main__":
    main()
