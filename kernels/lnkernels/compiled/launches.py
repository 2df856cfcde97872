"""Record the launches of a call, and compile them for a GPU that need not be here.

Launchers are run while kernels note their launch instead of running; Triton itself then compiles
what it would have launched, with a stand-in for its driver. So signature, constants and alignment
are those of a real launch, and nothing is written down twice.
"""

import importlib
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from lnkernels.failures import assembled_from, causes, in_one_line
from lnkernels.launch import LAUNCHED, known_limits, occupancy
from lnkernels.triton_internals import (
    Kernel,
    chores,
    compile_for,
    launching,
    line_information,
    line_of,
    target_of,
    tool,
)
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.frozen import frozen

# With kernels, or functions that kernels call; the strategies' own come behind them.
MODULES = (
    "language.device_functions",
    "language.groups",
    "language.clock",
    "language.stamps",
    "trace.memory",
    "passes.partial_sums",
    "passes.forward",
    "passes.forward_blocks",
    "passes.forward_tiles",
    "passes.persistent_blocks",
)
_STAGE2 = {"stage2_kernel", "sum_partials_kernel"}
# Taken once: a program that a thread starts reads this process's own variables as they are, and
# finds no memory there when a compilation beside it sets one.
_VARIABLES = dict(os.environ)
_IS_CODE = 4  # flag of a section of an ELF file
# Of machine code, up to 1 MB each: nvdisasm takes 0.4 s to start, and most settings leave one of
# the three kernels as it was.
KEPT_TEXTS = 32
_NOP, _BRA = 0x918, 0x947  # lowest 12 of the 128 bits of an instruction, from sm_70 on


@frozen
class RecordedLaunch:
    """A launch of a kernel as its caller wrote it."""

    kernel: Kernel[Any]
    grid: tuple[int, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    tensors: dict[str, str] = field(default_factory=dict)  # what its parameters are

    @property
    def name(self) -> str:
        """Name of the kernel as in `lnkernels.launch.grids`; its function's name where it is not
        one of ours.
        """
        module: str = self.kernel.__module__
        function: str = self.kernel.__name__
        if not module.startswith("lnkernels."):
            return function
        if module.startswith("lnkernels.passes.forward"):
            return "forward"
        return "backward_stage2" if function in _STAGE2 else "backward_stage1"

    def compile(self) -> Any:
        """Return Triton's CompiledKernel for the driver's target."""
        return self.kernel.warmup(*self.args, grid=self.grid, **self.kwargs)

    def facts_of(self, compiled: Any, architecture: str, stages: Sequence[str] = ()) -> KernelFacts:
        """Return the facts of Triton's `compiled` for an architecture such as "sm_90"."""
        facts = facts_of_compiled(compiled, architecture, stages)
        return replace(facts, name=self.name, grid=self.grid, tensors=self.tensors)


def facts_of_compiled(compiled: Any, architecture: str, stages: Sequence[str]) -> KernelFacts:
    """Return the facts of Triton's `compiled`, whoever launches it: its grid is not known."""
    limits = known_limits(architecture)
    cubin, metadata = compiled.asm["cubin"], compiled.metadata
    usage = run_tool("cuobjdump", cubin, "-res-usage")
    registers, stack = map(int, re.findall(r"\bREG:(\d+)\s+STACK:(\d+)", usage)[0])
    return KernelFacts(
        name=metadata.name,
        architecture=architecture,
        grid=(),
        num_warps=metadata.num_warps,
        registers=registers,
        spill_bytes=stack,
        shared_bytes=metadata.shared,
        occupancy=(
            occupancy(limits, registers, metadata.num_warps, metadata.shared) if limits else None
        ),
        instructions=instruction_count(cubin),
        texts={stage: _text(compiled, stage) for stage in stages},
    )


def instruction_count(cubin: bytes) -> int:
    """Count the instructions of a kernel's machine code, for which no tool has to be started."""
    headers, size, count = struct.unpack_from("<Q", cubin, 40) + struct.unpack_from(
        "<HH", cubin, 58
    )
    for at in range(headers, headers + count * size, size):
        flags, start, length = struct.unpack_from("<Q8xQQ", cubin, at + 8)
        if flags & _IS_CODE:
            opcodes = [
                word & 0xFFF
                for (word,) in struct.iter_unpack("<H14x", cubin[start : start + length])
            ]
            # As in `read_sass`: behind the code lie a jump to itself and what fills the last line.
            while opcodes and opcodes[-1] == _NOP:
                opcodes.pop()
            return len(opcodes) - (opcodes[-1:] == [_BRA])
    return 0


def recorded(
    call: Callable[[], object], launches: list[RecordedLaunch] | None = None
) -> list[RecordedLaunch]:
    """Return the launches of a call without launching or compiling any, added to those that are
    given, which hold them also where the call raises.
    """
    launches = [] if launches is None else launches

    def note(
        _: object, kernel: Kernel[Any], *args: Any, grid: Any, warmup: bool, **kwargs: Any
    ) -> None:
        if callable(grid):  # it is given every argument by its name, as by Triton
            given = {
                name: one.default
                for name, one in kernel.signature.parameters.items()
                if one.default is not one.empty
            }
            grid = grid({**given, **dict(zip(kernel.arg_names, args, strict=False)), **kwargs})
        launches.append(RecordedLaunch(kernel, tuple(grid), args, kwargs))

    with launching(note):
        call()
    return launches


class TensorNames:
    """Names the tensors of launches: those of the problem, and others by their form.

    Memory is what identifies a tensor, so that a view of x is x, too.
    """

    def __init__(self, **given: Any) -> None:
        """Take the problem's tensors by name; x is [M, N]."""
        self._rows, self._columns = given["x"].shape
        self._known = {
            one.untyped_storage()._cdata: name for name, one in given.items() if one is not None
        }

    def named(self, launches: Sequence[RecordedLaunch], *, forward: bool) -> list[RecordedLaunch]:
        """Return launches of a pass that know what their parameters are. The forward pass comes
        first: what it gives, the backward pass may read.
        """
        return [
            replace(
                one,
                tensors={
                    name: self._name(getattr(value, "base", value), forward=forward)
                    for name, value in (
                        *zip(one.kernel.arg_names, one.args, strict=False),
                        *one.kwargs.items(),
                    )
                    if hasattr(getattr(value, "base", value), "untyped_storage")
                },
            )
            for one in launches
        ]

    def _name(self, tensor: Any, *, forward: bool) -> str:
        if not tensor.is_floating_point():
            name = "locks"
        elif tensor.numel() == self._rows * self._columns:
            name = "y" if forward else "dx"
        else:
            is_sum = not forward and tensor.shape[-1:] == (self._columns,)
            name = "sums" if is_sum else "statistics"
        return self._known.setdefault(tensor.untyped_storage()._cdata, name)


def facts_of_launches(
    launches: Sequence[RecordedLaunch], architecture: str, stages: Sequence[str] = ()
) -> list[KernelFacts]:
    """Compile launches for an architecture such as "sm_90", and return registers, spills, shared
    memory, the occupancy of a known card, and the texts of some stages (ttir, ttgir, llir, ptx,
    sass, live).

    Triton's driver is a stand-in from then on: this process launches nothing any more.
    """
    compile_for(target_of(capability_of(architecture)))
    for name in ("cuobjdump", "nvdisasm"):
        tool(name)  # Triton starts it, to ask its version, with the variables as they are
    # The tools are processes: while they look at one kernel, the next is compiled.
    with ThreadPoolExecutor() as pool, line_information():
        facts = [pool.submit(one.facts_of, one.compile(), architecture, stages) for one in launches]
    return [one.result() for one in facts]


def _text(compiled: Any, stage: str) -> str:
    match stage:
        case (
            "sass"
        ):  # lines before an instruction say which line of source and of PTX it was made from
            return disassembled(compiled.asm["cubin"])
        case "live":
            return _live_registers(compiled.asm["cubin"], compiled.asm["ptx"])
        case _:
            return str(compiled.asm.get(stage, ""))  # Gluon has no TTIR


@lru_cache(KEPT_TEXTS)
def disassembled(cubin: bytes) -> str:
    """Return what nvdisasm prints of machine code, whose lines name those of the source."""
    return run_tool("nvdisasm", cubin, "-g", "-gp", "--print-code")


@lru_cache(KEPT_TEXTS)
def _live_registers(cubin: bytes, ptx: str) -> str:
    """Return machine code with the number of live registers beside each instruction; empty where no
    tool gives it.

    nvdisasm 13 counts them only in what an assembler of its own generation wrote. Triton has a
    second one, for newer architectures: it assembles the PTX again where the first one's output
    cannot be read.
    """
    told = _counted_live(cubin)
    if told:
        return told
    target = re.findall(r"^\.target (\w+)", ptx, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory(prefix="lnkernels-") as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx, encoding="utf-8")
        made = assemble(source, target, "-lineinfo")
    return _counted_live(made) if made else ""


def _counted_live(cubin: bytes) -> str:
    try:
        return run_tool("nvdisasm", cubin, "--print-code", "-lrm", "count")
    except RuntimeError:
        return ""


def assemble(ptx: Path, architecture: str, *options: str) -> bytes:
    """Return what the newest of Triton's assemblers makes of a file of PTX, and put it beside the
    file; nothing where it refuses.
    """
    made = ptx.with_suffix(f".{architecture}.cubin")
    command = [tool("ptxas_blackwell"), *options, f"--gpu-name={architecture}", str(ptx)]
    command += ["-o", str(made)]
    ran = subprocess.run(command, capture_output=True, check=False, env=_VARIABLES)
    return made.read_bytes() if ran.returncode == 0 else b""


def missing(launches: Sequence[RecordedLaunch]) -> list[str]:
    """Return the launches for which this process has no kernel yet, as chores of
    `lnkernels.compiled.process`.

    On a GPU, with the tensors that are to be launched.
    """
    settle_keys()
    return chores(lambda: [launch.compile() for launch in launches])


def why_not_compiled(error: BaseException) -> str:
    """Return the error of the compiler or its assembler in one line, with the line of the source
    where it is known.
    """
    if place := assembled_from(error):
        return f"{place[0]}:{place[1]}: {in_one_line(error)}"
    faults = [one for one in causes(error) if hasattr(one, "node") and hasattr(one, "src")]
    return f"{_place(faults[-1])}{in_one_line(error)}" if faults else in_one_line(error)


def _place(error: Any) -> str:
    """Return the place of Triton's error, which knows the text of a function and a line in it, but
    not the file.
    """
    for module in list(sys.modules.values()):
        for function in list(vars(module).values()):
            if (
                isinstance(function, Kernel)
                and function.src == error.src
                and error.node is not None
            ):
                file = Path(function.fn.__code__.co_filename).name
                return f"{file}:{line_of(function) + error.node.lineno - 1}: "
    return ""


def capability_of(architecture: str) -> int:
    """Return 90 for "sm_90".

    Raises:
        ValueError: the name is not of that form.
    """
    written = re.fullmatch(r"sm_(\d{2,3})", architecture)
    if written is None:
        raise ValueError(
            f"architecture = {architecture!r} is not possible: it is written like sm_90 or sm_100"
        )
    return int(written[1])


def run_tool(name: str, cubin: bytes, *options: str) -> str:
    """Return what one of Triton's programs prints of machine code."""
    with tempfile.TemporaryDirectory(prefix="lnkernels-") as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(cubin)
        command = [tool(name), *options, str(file)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=_VARIABLES)
    if ran.returncode != 0:
        raise RuntimeError(f"{name} failed with status {ran.returncode}: {ran.stderr.strip()}")
    return ran.stdout


@cache
def settle_keys() -> None:
    """Compute the cache keys of all kernels of a run and of the functions they call, in one fixed
    order, before anything is compiled.

    The key of a function that uses a global constant comes out differently when a function it calls
    was asked for its own key before (triton/runtime/jit.py, `_update_hash`, reads the other's
    globals before it computes them). So a kernel compiled in one process would not be found by
    another that compiled its kernels in another order.
    """
    for name in (*MODULES, *(f"passes.{strategy}" for strategy in LAUNCHED)):
        module = importlib.import_module(f"lnkernels.{name}")
        for _, function in sorted(vars(module).items()):
            if isinstance(function, Kernel) and function.__module__ == module.__name__:
                _ = function.cache_key
