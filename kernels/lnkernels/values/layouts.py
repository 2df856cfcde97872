"""Layouts of tensors: the warp and thread that hold each element, by the encodings of TTGIR, and
its bank in shared memory.

Source: Triton's TritonGPUAttrDefs.td: blocked, slice, linear and swizzled shared encodings.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import ExplainedError

WARP_SIZE = 32
BANKS = 32  # of shared memory, 4 bytes each
MOST_ELEMENTS = 1 << 20

PARTS = ("register", "lane", "warp")
Bases: TypeAlias = dict[str, list[list[int]]]
_ALIAS = re.compile(r"^#(\w+) = #ttg\.(.*)$")
_TENSOR = re.compile(
    r"(?:tensor|memdesc)<((?:\d+x)+)(!tt\.ptr<\w+>|\w+), (#[^>]*?(?:<\{.*?\}>)?)(?:,"
    r" #\w+.*?)?>(?=$|[\s,)]|loc)"
)


class LayoutError(ExplainedError):
    """An encoding that cannot be drawn."""


@frozen
class LaidOut:
    """A tensor of a kernel: its name in TTGIR where it is made, and its layout in registers or
    shared memory.
    """

    line: int  # of TTGIR, from 0 on
    name: str  # such as "x_13"
    shape: tuple[int, ...]
    element: str  # f16, f32, i1, !tt.ptr<f16> …
    encoding: str  # with every alias written out

    @property
    def shared(self) -> bool:
        return "shared<" in self.encoding


@frozen(eq=False)
class Placement:
    """Holder of each element, in the tensor's shape: the first, where several hold it."""

    warp: NDArray[np.int32]
    thread: NDArray[np.int32]  # of the warp
    register: NDArray[np.int32]  # which of the thread's elements of this tensor
    copies: int  # how many threads hold the same element


def tensors(ttgir: Sequence[str]) -> tuple[LaidOut, ...]:
    """Return the tensor that each line of TTGIR makes, or the last that it names; the latter have
    no name here.
    """
    aliases = {found[1]: found[2] for found in map(_ALIAS.match, ttgir) if found is not None}
    found = []
    for number, line in enumerate(ttgir):
        named = re.match(r"^\s*%([\w$.-]+)(?::\d+)? = ", line)
        types = list(_TENSOR.finditer(line))
        if types and (named is not None or not line.startswith("#")):
            shape = tuple(int(size) for size in types[-1][1].split("x")[:-1])
            name = "" if named is None else named[1]
            found.append(
                LaidOut(number, name, shape, types[-1][2], _written_out(types[-1][3], aliases))
            )
    return tuple(found)


def placement(encoding: str, shape: Sequence[int]) -> Placement:
    """Return the holder of each element of a tensor in registers.

    Raises:
        LayoutError: the encoding is of another kind, or the tensor is too large to be drawn.
    """
    if np.prod(shape, dtype=np.int64) > MOST_ELEMENTS:
        raise LayoutError(
            "a tensor of {shape} elements is too large to be drawn",
            shape=" x ".join(map(str, shape)),
        )
    bases = _bases(encoding, shape)
    counts = {name: 1 << len(vectors) for name, vectors in bases.items()}
    indices = np.indices((counts["warp"], counts["lane"], counts["register"])).reshape(3, -1)
    numbers = dict(zip(("warp", "lane", "register"), indices, strict=True))
    place = np.zeros((len(shape), indices.shape[1]), np.int64)
    for name, vectors in bases.items():
        for bit, vector in enumerate(vectors):
            place ^= np.outer(vector, numbers[name] >> bit & 1)
    inside = (place < np.array(shape)[:, None]).all(axis=0)
    flat = np.ravel_multi_index(tuple(place[:, inside]), tuple(shape))
    held = {name: np.full(shape, -1, np.int32) for name in bases}
    for name, values in held.items():
        values.reshape(-1)[flat[::-1]] = numbers[name][inside][::-1]  # the first holder stays
    return Placement(
        held["warp"], held["lane"], held["register"], max(1, int(flat.size // np.prod(shape)))
    )


def banks(tensor: LaidOut) -> NDArray[np.int32]:
    """Return the bank of shared memory in which each element of a swizzled tensor begins, in its
    shape.

    Raises:
        LayoutError: it is of another kind.
    """
    kind, _, body = tensor.encoding.partition("<")
    if kind != "swizzled_shared":
        raise LayoutError("the encoding {kind} cannot be drawn", kind=kind)
    vec, per_phase, most = (_value(body, name) for name in ("vec", "perPhase", "maxPhase"))
    order = _value(body, "order")
    shape = tensor.shape[-len(order) :]  # a ring of buffers has one dimension more
    places = np.indices(shape)
    fast = places[order[0]]
    slow = places[order[1]] if len(order) > 1 else np.zeros(shape, np.int64)
    swizzled = (fast // vec ^ slow // per_phase % most) * vec + fast % vec
    offset = slow * shape[order[0]] + swizzled
    slots = np.arange(np.prod(tensor.shape[: -len(order)], dtype=np.int64)) * offset.size
    offsets = (slots[:, None] + offset.reshape(1, -1)).reshape(tensor.shape)
    found: NDArray[np.int32] = (offsets * element_bytes(tensor.element) // 4 % BANKS).astype(
        np.int32
    )
    return found


def element_bytes(element: str) -> int:
    """Return the bytes of a type of TTGIR, or of what it points at; a truth value takes one."""
    found = re.search(r"(\d+)", element.removeprefix("!tt.ptr<"))
    return max(1, int(found[1]) // 8) if found is not None else 1


def _bases(encoding: str, shape: Sequence[int]) -> Bases:
    """Return for each bit of a register's, thread's and warp's number its offset along each
    dimension.

    The place of an element is the exclusive or of the offsets of all set bits.
    """
    kind, _, body = encoding.partition("<")
    bases: Bases
    match kind:
        case "linear":
            bases = {name: _value(body, name) for name in PARTS}
        case "slice":
            found = re.match(r"\{dim = (\d+), parent = (.*)\}>?$", body)
            if found is None:
                raise LayoutError("a slice without a parent cannot be drawn")
            axis = int(found[1])
            parent = _bases(found[2], [*shape[:axis], 1, *shape[axis:]])
            bases = {
                name: [vector[:axis] + vector[axis + 1 :] for vector in parent[name]]
                for name in PARTS
            }
        case "blocked":
            names = ("sizePerThread", "threadsPerWarp", "warpsPerCTA")
            counts = [(part, _value(body, name)) for part, name in zip(PARTS, names, strict=True)]
            order = _value(body, "order")
            bits = [
                (name, axis)
                for name, count in counts
                for axis in order
                for _ in range(count[axis].bit_length() - 1)
            ]
            # Then the same again, where the tensor is larger than what all threads hold at once.
            bits += [("register", axis) for axis in order for _ in range(shape[axis].bit_length())]
            bases, reach = {name: [] for name in PARTS}, [1] * len(shape)
            for (
                name,
                axis,
            ) in bits:  # beyond the end of the tensor a bit leads nowhere: others hold the same
                bases[name].append(
                    [
                        reach[at] if at == axis and reach[at] < size else 0
                        for at, size in enumerate(shape)
                    ]
                )
                reach[axis] *= 2
        case _:
            raise LayoutError("the encoding {kind} cannot be drawn", kind=kind)
    return bases | {"register": [vector for vector in bases["register"] if any(vector)]}


def _written_out(encoding: str, aliases: dict[str, str]) -> str:
    """Return an encoding without its alias and Triton's prefix: `blocked<{…}>`, `slice<{dim = 0,
    parent = blocked<{…}>}>`.
    """
    text = encoding.removeprefix("#ttg.")
    text = aliases.get(text.removeprefix("#"), text) if text.startswith("#") else text
    return re.sub(
        r"#(?:ttg\.)?(\w+)",
        lambda found: aliases.get(found[1], found[1]).removeprefix("ttg."),
        text,
    )


def _value(body: str, name: str) -> Any:
    """Return a number, or a list of them or of lists, which are written as in JSON."""
    found = re.search(rf"\b{name} = (\[[\[\]\d, ]*\]|\d+)", body)
    if found is None:
        raise LayoutError("the encoding lacks {name}", name=name)
    return json.loads(found[1])
