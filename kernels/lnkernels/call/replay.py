"""Launches, and calls that are made again without Triton's handling of arguments.

Triton looks at every argument of every launch to find the compiled kernel that fits. That takes
longer than a kernel for a few rows runs, and for a second call with tensors of the same kind it
finds what it found before. So what a call launches is noted once, and when the next call differs in
nothing but addresses, the same compiled kernels get the new addresses.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.language.launching import Filled, Launched
from lnkernels.triton_internals import launches_are_heard, repeatable

# bytes; Triton compiles a kernel for addresses that are multiples of it, and another for those that
# are not
ALIGNMENT = 16
_APART = 256  # bytes; parts of a workspace start at multiples of it


# Run, function, metadata, grid, arguments without addresses, and which argument has which tensor's
# address.
_Repeat = tuple[
    Callable[..., None], int, Any, tuple[int, int, int], list[Any], list[tuple[int, int]]
]


class CannotReplayError(ValueError):
    """A call of which one cannot tell what its launches would do with other tensors; the message
    says why.
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
        self._launches = [self._launch(step) for step in steps if isinstance(step, Launched)]

    def __call__(self, pointers: list[int], stream: int, like: Tensor) -> None:
        """Launch everything on a stream of the current device.

        Args:
            pointers: addresses of tensors like those of the call, in their order; anything in place
                of None. Added to.
            stream: its handle.
            like: a tensor of the device, on which the workspace is allocated.
        """
        if self._size:
            workspace = like.new_empty(self._size // 4, dtype=torch.int32)
            start = workspace.data_ptr()
            for first, last, value in self._fills:
                part = workspace[first:last]
                if value == 0:
                    part.zero_()
                else:
                    part.fill_(value)
            pointers += [start + offset for offset, _ in self._parts.values()]
        for run, function, metadata, grid, template, places in self._launches:
            args = template.copy()
            for place, slot in places:
                args[place] = pointers[slot]
            run(*grid, stream, function, metadata, None, None, None, *args)

    def _fill(self, step: Filled) -> tuple[int, int, int]:
        offset, size = self._parts[self._part(step.tensor)]
        return offset // 4, (offset + size) // 4, step.value

    def _launch(self, step: Launched) -> _Repeat:
        values = dict(zip(step.names, step.args, strict=False)) | step.constants
        template: list[Any] = [
            values.get(name) for name in step.names
        ]  # trace pointers that were not given are None
        places = []
        for place, value in enumerate(template):
            if hasattr(value, "data_ptr"):
                places.append((place, self._slot(value)))
                template[place] = 0
        x, y, z = (*step.grid, 1, 1)[:3]
        return (*repeatable(step.compiled), (x, y, z), template, places)

    def _slot(self, tensor: Tensor) -> int:
        slot = self._slots.get(id(tensor))
        if slot is None:
            address = self._part(tensor)
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


def can_replay() -> bool:
    """Return False on the interpreter, and while hooks listen to Triton's launches."""
    return not (IS_INTERPRETED or launches_are_heard())


def _storage(tensor: Tensor) -> int:
    """Address of the memory that a tensor is a view of."""
    return tensor.untyped_storage().data_ptr()
