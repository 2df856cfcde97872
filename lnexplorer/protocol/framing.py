"""Frames on a byte stream: eight bytes of length, little-endian, then as many bytes."""

import struct
from typing import BinaryIO

HEADER = struct.Struct("<Q")
MAX_FRAME_BYTES = 1 << 30
# Memory follows what has arrived, not what a length announces.
CHUNK_BYTES = 1 << 20


class FramingError(ValueError):
    """A stream that ends inside a frame, or a length that no frame has."""


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Write one frame and flush it.

    Raises:
        FramingError: the payload is larger than MAX_FRAME_BYTES.
    """
    if len(payload) > MAX_FRAME_BYTES:
        raise FramingError(f"a message of {len(payload)} bytes is larger than the {MAX_FRAME_BYTES} that are allowed")
    stream.write(HEADER.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | bytearray | None:
    """The next frame's payload, or None where the stream ends between frames.

    Raises:
        FramingError: the stream ends inside a frame, or announces more than MAX_FRAME_BYTES.
    """
    header = _read_up_to(stream, HEADER.size)
    if not header:
        return None
    if len(header) < HEADER.size:
        raise FramingError("the stream ended inside the length of a message")
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise FramingError(f"a message announces {length} bytes, more than the {MAX_FRAME_BYTES} that are allowed")
    payload = _read_up_to(stream, length)
    if len(payload) < length:
        raise FramingError(f"the stream ended after {len(payload)} of the {length} bytes of a message")
    return payload


def _read_up_to(stream: BinaryIO, count: int) -> bytearray:
    read = bytearray()
    while len(read) < count:
        part = stream.read(min(count - len(read), CHUNK_BYTES))
        if not part:
            break
        read += part
    return read
