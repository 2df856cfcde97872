"""Record what one row's programs load and store, by running the kernels themselves on the
interpreter.

The kernels of `locked` run in Triton's interpreter for one program each, and every access passes
through here first. x, dy, y and dx have all their rows, so that addresses are the true ones, in
memory of which only the pages that are touched exist.
"""

import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from traceback import walk_stack
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lnkernels import triton_internals
from lnkernels.check.inputs import make_inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import Launch, Problem, split_norm
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors
from lnkernels.passes.forward import launch_three_walks
from lnkernels.passes.locked import allocate_workspace, launch_stage1, launch_stage2
from lnkernels.values.sentence import say
from lnkernels.values.touched import Access

# What the builder is asked for, and where the mask is among the arguments. A load or store without
# a mask is to the interpreter one with a mask of all lanes.
_HOOKED = {
    "create_masked_load": ("load", 1),
    "create_masked_store": ("store", 2),
    "create_atomic_cas": ("compare and swap", None),
    "create_atomic_rmw": ("", 3),
}
_FOLDER = Path(__file__).parents[1]
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)  # named by Python 3.13


@dataclass(slots=True)
class _Listener:
    """Records accesses of the running kernel while it is enabled."""

    # First byte, bytes an element, name.
    names: list[tuple[int, int, str]] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    kernel: str = ""
    program: int = 0
    listening: bool = False

    def note(self, action: str, addresses: NDArray[Any], mask: NDArray[Any] | None) -> None:
        flat = addresses.reshape(-1).astype(np.int64)
        allowed = True if mask is None else mask
        touched = np.broadcast_to(allowed, addresses.shape).reshape(-1).astype(bool)
        address = int(flat[touched][0] if touched.any() else flat[0])
        # A block of which no lane is allowed to touch memory may begin behind its buffer.
        before = (known for known in self.names if known[0] <= address)
        start, size, name = max(before, default=self.names[0])
        lanes = tuple(addresses.shape) if addresses.size > 1 else ()
        offsets = (flat - start) // size
        place = _place()
        self.accesses.append(
            Access(self.kernel, self.program, action, name, offsets, touched, lanes, *place)
        )


def touched(
    m: int,
    n: int,
    dtype: torch.dtype,
    launch: Launch,
    row: int,
    column: int,
    eps: float = 1e-5,
    norm: str = "layer_norm",
) -> list[Access] | list[Problem]:
    """Return every access of a row's forward and stage-1 programs and of a column's stage-2
    program.

    The row finds its buffer as when rows take their locks in the order of their numbers: row //
    GROUP_SIZE_M came before it.

    Args:
        m: rows, of which one is touched.
        n: columns.
        dtype: of x.
        launch: of strategy `locked`.
        row: 0 to m - 1.
        column: 0 to n - 1.
        eps: added to the variance.
        norm: of `lnkernels.launch.NORMS`.

    Returns:
        The accesses in the order in which they happened, or what makes that impossible.
    """
    problems = [
        Problem(name, str(value), say("take a whole number from 0 to {last}", last=count - 1))
        for name, value, count in (("row", row, m), ("column", column, n))
        if not 0 <= value < count
    ]
    if split_norm(norm)[1]:
        allowed = say("choose layer_norm or rms_norm: PyTorch adds the residual")
        problems.append(Problem("norm", norm, allowed))
    if launch.strategy != "locked":
        problems.append(Problem("strategy", launch.strategy, say("choose locked")))
    if not IS_INTERPRETED:
        problems.append(
            Problem(
                "device", "cuda", say("choose the interpreter: a GPU does not tell what it touches")
            )
        )
    return problems or _listen(m, n, dtype, launch, row, column, eps, norm)


def _listen(
    m: int, n: int, dtype: torch.dtype, launch: Launch, row: int, column: int, eps: float, norm: str
) -> list[Access]:
    inputs = make_inputs(1, n, dtype, "tutorial", 0, "cpu")
    matrices = {name: _sparse(m, n, dtype) for name in ("x", "dy", "y", "dx")}
    matrices["x"][row], matrices["dy"][row] = inputs.x[0], inputs.dy[0]
    vectors: dict[str, Any] = {"weight": inputs.weight, "bias": inputs.bias}
    vectors |= {name: torch.zeros(m) for name in ("mean", "rstd")}
    vectors |= {name: torch.empty(n, dtype=dtype) for name in ("dw", "db")}
    if norm == "rms_norm":
        vectors |= dict.fromkeys(("bias", "mean", "db"))
    workspace = allocate_workspace(matrices["x"], launch, db=vectors["db"] is not None)
    buffers = {"partial_dw": workspace.partial_dw, "partial_db": workspace.partial_db}
    for tensor in (*buffers.values(), workspace.locks_and_counts):
        tensor.zero_()
    group = launch.group_size_m
    workspace.locks_and_counts[group + row % group] = row // group
    listener = _Listener()
    for name, tensor in (matrices | vectors | buffers).items():
        if tensor is not None:
            listener.names.append((tensor.data_ptr(), tensor.element_size(), name))
    first = workspace.locks_and_counts.data_ptr()
    listener.names += [(first, 4, "locks"), (first + 4 * group, 4, "counts")]

    # One row of x each, so that a launch has one program; it is told that it is the row's.
    given = {name: matrix[:1] for name, matrix in matrices.items()} | vectors
    forward = {name: given[name] for name in ("x", "weight", "bias", "y", "mean", "rstd")}
    with _heard(listener, "forward", row, only=None):
        launch_three_walks(ForwardTensors(eps=eps, **forward), launch)
    del given["y"], given["bias"]
    back = BackwardTensors(**given)
    with _heard(listener, "stage1", row, only=None):
        launch_stage1(back, launch, workspace)
    with _heard(listener, "stage2", None, only=column // launch.reduce_block_size_n):
        launch_stage2(back, launch, workspace)
    return listener.accesses


def _sparse(m: int, n: int, dtype: torch.dtype) -> torch.Tensor:
    """Return a matrix [m, n] of zeros that takes memory only where it is touched."""
    size = max(prod((m, n)) * dtype.itemsize, 1)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
    return torch.frombuffer(pages, dtype=dtype, count=m * n).reshape(m, n)


@contextmanager
def _heard(
    listener: _Listener, kernel: str, program: int | None, *, only: int | None
) -> Iterator[None]:
    """Let the interpreter report to the listener what a launch does.

    Args:
        listener: hears it.
        kernel: what the launch is called.
        program: the number that its one program is given; None leaves the numbers as they are.
        only: the one program that is listened to; None for all.
    """
    builder = triton_internals.builder()
    set_grid_idx: Callable[..., None] = builder.set_grid_idx

    def begin(x: int, y: int, z: int) -> None:
        listener.program = x if program is None else program
        listener.listening = only is None or only == x
        if program is not None:
            builder.set_grid_dim(program + 1, 1, 1)
        set_grid_idx(listener.program, y, z)

    listener.kernel = kernel
    builder.set_grid_idx = begin
    for name, (action, mask_at) in _HOOKED.items():
        setattr(builder, name, _passing_on(listener, getattr(builder, name), action, mask_at))
    try:
        yield
    finally:
        for name in ("set_grid_idx", *_HOOKED):
            delattr(builder, name)


def _passing_on(
    listener: _Listener, function: Callable[..., Any], action: str, mask_at: int | None
) -> Callable[..., Any]:
    rmw = not action

    def heard(*args: Any, **kwargs: Any) -> Any:
        if listener.listening:
            pointers = args[1] if rmw else args[0]
            mask = args[mask_at] if mask_at is not None else None
            name = (
                {"ADD": "add", "FADD": "add", "XCHG": "exchange"}.get(args[0].name, args[0].name)
                if rmw
                else action
            )
            listener.note(name, pointers.data, None if mask is None else mask.data)
        return function(*args, **kwargs)

    return heard


def _place() -> tuple[str, str, int]:
    for frame, line in walk_stack(None):
        path = Path(frame.f_code.co_filename)
        if _FOLDER in path.parents and path.name != Path(__file__).name:
            return path.relative_to(_FOLDER).as_posix(), frame.f_code.co_name, line
    return "", "", 0
