"""Compiles what the launchers launch, for a chosen architecture.

Imports triton; torch too, but for strategy `locked`.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel

from lnkernels.compiled.facts import CompileRequest, kernel_name, resource_usage
from lnkernels.compiled.recording import RecordedLaunch, StandIn, recorded_launches, specialize
from lnkernels.launch import USUAL_LIMITS, DeviceLimits, launch_on, limits_for_architecture, occupancy
from lnkernels.launch.catalogue import buffers_in_use
from lnkernels.values.compiled import KernelFacts

_WARP_SIZE = 32


@dataclass(frozen=True, slots=True)
class CompiledLaunch:
    """One compiled kernel, and the grid it is launched on."""

    name: str
    architecture: str
    grid: tuple[int, ...]
    kernel: CompiledKernel

    def facts(self, limits: DeviceLimits | None = None, stages: tuple[str, ...] = ()) -> KernelFacts:
        """Registers, spills, shared memory, and the occupancy on `limits` (by default a known card of the
        architecture).
        """
        limits = limits or _known_limits(self.architecture)
        registers, stack = resource_usage(_tool("cuobjdump", self.kernel.asm["cubin"], "-res-usage"))
        metadata = self.kernel.metadata
        return KernelFacts(
            name=self.name,
            architecture=self.architecture,
            grid=self.grid,
            num_warps=metadata.num_warps,
            registers=registers,
            spill_bytes=stack,
            shared_bytes=metadata.shared,
            occupancy=occupancy(limits, registers, metadata.num_warps, metadata.shared) if limits else None,
            texts={stage: self.text(stage) for stage in stages},
        )

    def text(self, stage: str) -> str:
        """The kernel as ttir, ttgir, llir, ptx or sass."""
        if stage == "sass":
            return _tool("nvdisasm", self.kernel.asm["cubin"], "--print-code")
        text: str = self.kernel.asm[stage]
        return text


def compile_kernels(request: CompileRequest) -> list[CompiledLaunch]:
    """Compile forward, stage 1 and stage 2 as they are launched for the request. Triton's cache answers a second time.

    Without weight and bias nothing is summed, so there is no stage 2.

    Raises:
        RuntimeError: triton is bound to its interpreter in this process.
        ValueError: the architecture's name is not of the form sm_90.
    """
    architecture = request.architecture
    return [
        CompiledLaunch(kernel_name(launch.kernel.__name__), architecture, launch.grid, compile_launch(launch, architecture))
        for launch in record(request)
    ]


def record(request: CompileRequest) -> list[RecordedLaunch]:
    """What forward and backward pass launch for the request, in order."""
    if triton.knobs.runtime.interpret:
        raise RuntimeError("kernels cannot be compiled in a process where TRITON_INTERPRET is set: start another one")
    if request.launch.strategy != "locked":
        return _record_planned(request)
    # Not at the top: importing a kernel while TRITON_INTERPRET is set gives one that cannot be compiled.
    from lnkernels.forward import launch_three_walks
    from lnkernels.strategies.locked import launch_backward

    m, n, dtype, launch = request.m, request.n, request.dtype, request.launch
    weight_dtype = request.weight_dtype or dtype
    partial_dtype = "float32" if launch.partial_dtype == "float32" else dtype
    matrix, vector, column = StandIn(dtype, m, n), StandIn(weight_dtype, n), StandIn("float32", m)
    partial = StandIn(partial_dtype, buffers_in_use(m, launch), n)
    locks = StandIn("int32", 2 * launch.group_size_m)
    weight = vector if request.with_weight else None
    bias = vector if request.with_bias else None
    # The launchers say Tensor and LockedWorkspace; they look at nothing that the stand-ins lack.
    tensor: Any = matrix
    workspace: Any = SimpleNamespace(partial_dw=partial, partial_db=partial, locks_and_counts=locks)
    statistics: Any = column
    parameter: Any = weight
    other: Any = bias
    with recorded_launches() as launches:
        launch_three_walks(tensor, parameter, other, 1e-5, launch, y=tensor, mean=statistics, rstd=statistics)
        launch_backward(
            tensor,
            tensor,
            parameter,
            statistics,
            statistics,
            launch,
            workspace,
            dx=tensor,
            dw=parameter,
            db=other,
        )
    return launches


def _record_planned(request: CompileRequest) -> list[RecordedLaunch]:
    """The same for the strategies that allocate their workspace themselves: with torch's tensors that have no memory."""
    import torch

    from lnkernels.strategies.registry import STRATEGIES

    m, n = request.m, request.n

    def tensor(dtype: str, *shape: int) -> torch.Tensor:
        return torch.empty(shape, dtype=getattr(torch, dtype), device="meta")

    limits = _known_limits(request.architecture) or USUAL_LIMITS
    launch = launch_on(request.launch, n, request.dtype, limits)
    kernels = STRATEGIES[launch.strategy]
    x, dy, y, dx = (tensor(request.dtype, m, n) for _ in range(4))
    weight_dtype = request.weight_dtype or request.dtype
    weight, dw = (tensor(weight_dtype, n) if request.with_weight else None for _ in range(2))
    bias, db = (tensor(weight_dtype, n) if request.with_bias else None for _ in range(2))
    mean, rstd = tensor("float32", m), tensor("float32", m)
    with recorded_launches() as launches:
        kernels.run_forward(x, weight, bias, 1e-5, launch, y=y, mean=mean, rstd=rstd)
        kernels.run_backward(x, dy, weight, mean, rstd, launch, dx=dx, dw=dw, db=db)
    return launches


def compile_launch(launch: RecordedLaunch, architecture: str) -> CompiledKernel:
    """The kernel of a recorded launch, compiled for an architecture such as "sm_90"."""
    target = target_of(architecture)
    special = specialize(launch)
    source = ASTSource(launch.kernel, special.signature, special.constants, special.attributes)
    return triton.compile(source, target=target, options=special.options)


def target_of(architecture: str) -> GPUTarget:
    """What Triton compiles for, by the name of an architecture such as "sm_90".

    Raises:
        ValueError: the name is not of that form.
    """
    written = re.fullmatch(r"sm_(\d{2,3})", architecture)
    if written is None:
        raise ValueError(f"architecture = {architecture!r} is not possible: it is written like sm_90 or sm_100")
    return GPUTarget("cuda", int(written[1]), _WARP_SIZE)


def _known_limits(architecture: str) -> DeviceLimits | None:
    try:
        return limits_for_architecture(architecture)
    except ValueError:
        return None


def _tool(name: str, cubin: bytes, *options: str) -> str:
    """What one of the disassemblers in Triton's wheel prints about a binary."""
    path = getattr(triton.knobs.nvidia, name).path
    with tempfile.TemporaryDirectory(prefix="lnkernels-") as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(cubin)
        ran = subprocess.run([path, *options, str(file)], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"{name} failed with status {ran.returncode}: {ran.stderr.strip()}")
    return ran.stdout
