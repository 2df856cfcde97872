"""Repeat the launches of a call for other tensors, without Triton's handling of arguments.

Triton looks at every argument of every launch to find the compiled kernel that fits. That takes
longer than a kernel for a few rows runs, and for a second call with tensors of the same kind it
finds what it found before. So what a call launches is noted once, and when the next call differs in
nothing but addresses, the same compiled kernels get the new addresses.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import itemgetter, or_
from typing import Any

import torch
from torch import Tensor

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.language.launching import Filled, Launched
from lnkernels.triton_internals import launches_are_heard, repeatable

# bytes; Triton compiles a kernel for addresses that are multiples of it, and another for those that
# are not
ALIGNMENT = 16
# As Triton asks for them; not there in a PyTorch without CUDA.
_raw_stream: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_current_device: Any = getattr(torch._C, "_cuda_getDevice", None)
_APART = 256  # bytes; parts of a workspace start at multiples of it


# What launches, its grid, what it takes before the arguments, how these are picked from all values,
# and True if they are one tuple.
_Repeat = tuple[
    Callable[..., None], tuple[int, ...], tuple[Any, ...], Callable[[Any], tuple[Any, ...]], bool
]


class CannotReplayError(ValueError):
    """A call cannot be repeated for other tensors, as nobody can tell what its launches would do
    with them; the message says why.
    """


class Replay:
    """Repeat the fills and launches of a call with other tensors of the same shapes, strides and
    dtypes.

    Tensors that the call was not given are its workspace: memory for them is allocated anew for
    each replay, as one tensor, so that calls on several streams, in captured graphs and at the same
    time never share it. Launchers pass given tensors as they are, and parts of the workspace that
    do not overlap: of other views one could not tell which bytes they mean.
    """

    def __init__(self, steps: Sequence[Launched | Filled], given: Sequence[Tensor | None]) -> None:
        """Prepare to repeat `steps`, noted during a call that was given these tensors, the same
        objects.

        Raises:
            CannotReplayError: a step uses a view of a given tensor, fills a given one, or has parts
                of the workspace
            overlap.
        """
        self._storages = {_storage(tensor) for tensor in given if tensor is not None}
        self._slots = {id(tensor): slot for slot, tensor in enumerate(given) if tensor is not None}
        self._parts: dict[
            int, tuple[int, int]
        ] = {}  # of the workspace, by address: offset and size in bytes
        self._given = len(given)
        self._size = 0
        self._fills = [self._fill(step) for step in steps if isinstance(step, Filled)]
        launches = [step for step in steps if isinstance(step, Launched)]
        slots = [[self._slot(value) for value in _arguments(step)] for step in launches]
        # Behind the addresses, when all of them are known.
        self._constants: list[Any] = []
        self._launches = [self._launch(*each) for each in zip(launches, slots, strict=True)]
        self._offsets = [offset for offset, _ in self._parts.values()]

    def __call__(self, tensors: Sequence[Tensor | None], behind: int = 0) -> bool:
        """Launch everything for tensors like those of the call, in their order.

        Args:
            tensors: each from its beginning on, but for the last one.
            behind: bytes in front of what is meant of that.

        Returns:
            False, and nothing is launched, where one is not aligned or not on the current device,
            and while hooks listen to launches.
        """
        first: Any = tensors[0]
        device = first.get_device()
        if launches_are_heard() or device != _current_device():
            return False
        values = [0 if tensor is None else tensor.data_ptr() for tensor in tensors]
        values[-1] += behind
        if reduce(or_, values) % ALIGNMENT:
            return False
        if self._size:
            workspace = first.new_empty(self._size // 4, dtype=torch.int32)
            start = workspace.data_ptr()
            for begin, end, value in self._fills:
                part = workspace[begin:end]
                if value == 0:
                    part.zero_()
                else:
                    part.fill_(value)
            values += [start + offset for offset in self._offsets]
        values += self._constants
        stream = _raw_stream(device)
        for launch, grid, between, pick, as_one in self._launches:
            if as_one:
                launch(*grid, stream, *between, pick(values))
            else:
                launch(*grid, stream, *between, *pick(values))
        return True

    def _fill(self, step: Filled) -> tuple[int, int, int]:
        offset, size = self._parts[self._part(step.tensor)]
        return offset // 4, (offset + size) // 4, step.value

    def _launch(self, step: Launched, slots: list[int | None]) -> _Repeat:
        addresses, places = self._given + len(self._parts), []
        for slot, value in zip(slots, _arguments(step), strict=True):
            places.append(addresses + len(self._constants) if slot is None else slot)
            if slot is None:
                self._constants.append(value)
        x, y, z = (*step.grid, 1, 1)[:3]
        launch, between, as_one = repeatable(step.compiled)
        return launch, (x, y, z), between, itemgetter(*places), as_one

    def _slot(self, value: object) -> int | None:
        """Return the place of a tensor's address among all; None for a constant."""
        if not isinstance(value, Tensor):
            return None
        slot = self._slots.get(id(value))
        if slot is None:
            address = self._part(value)
            slot = self._given + list(self._parts).index(address)
        return slot

    def _part(self, tensor: Tensor) -> int:
        address, size = tensor.data_ptr(), tensor.numel() * tensor.element_size()
        if _storage(tensor) in self._storages:
            raise CannotReplayError(
                "a launch has a view of a tensor that the call was given, or fills such a tensor"
            )
        if not tensor.is_contiguous():
            raise CannotReplayError("a part of the workspace is not contiguous")
        for other, (_offset, length) in self._parts.items():
            same = (address, size) == (other, length)
            if not same and address < other + length and other < address + size:
                raise CannotReplayError("parts of the workspace overlap")
        if address not in self._parts:
            self._parts[address] = (self._size, size)
            self._size += -(-size // _APART) * _APART
        return address


def _arguments(step: Launched) -> list[Any]:
    """Return what the kernel takes, in its order; pointers of a trace that it was not given are
    None.
    """
    values = dict(zip(step.names, step.args, strict=False)) | step.constants
    return [values.get(name) for name in step.names]


def can_replay() -> bool:
    """Return False without CUDA, on the interpreter, and while hooks listen to launches."""
    return not (_raw_stream is None or IS_INTERPRETED or launches_are_heard())


def _storage(tensor: Tensor) -> int:
    """Return the address of the memory that a tensor is a view of."""
    return tensor.untyped_storage().data_ptr()
