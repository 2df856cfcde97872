import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.protocol.codec import HEADER, MAX_FRAME_BYTES, FramingError, read_frame, write_frame


def framed(*payloads: bytes) -> bytes:
    stream = io.BytesIO()
    for payload in payloads:
        write_frame(stream, payload)
    return stream.getvalue()


@given(st.lists(st.binary(max_size=300), max_size=8))
def test_frames_come_back_in_order_and_then_the_stream_ends(payloads: list[bytes]) -> None:
    stream = io.BytesIO(framed(*payloads))
    assert [read_frame(stream) for _ in payloads] == payloads
    assert read_frame(stream) is None


@given(st.binary(min_size=1, max_size=100), st.data())
def test_a_frame_cut_anywhere_inside_is_an_error(payload: bytes, data: st.DataObject) -> None:
    whole = framed(payload)
    cut = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(FramingError, match="ended"):
        read_frame(io.BytesIO(whole[:cut]))


@given(st.integers(MAX_FRAME_BYTES + 1, 2**64 - 1))
def test_a_length_that_no_frame_has_is_refused_before_anything_is_read(length: int) -> None:
    stream = io.BytesIO(HEADER.pack(length) + b"rest")
    with pytest.raises(FramingError, match="announces"):
        read_frame(stream)
    assert stream.read() == b"rest"


def test_an_announced_length_takes_no_memory_until_it_arrives() -> None:
    class Counting(io.BytesIO):
        largest = 0

        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            self.largest = max(self.largest, size)
            return super().read(size)

    stream = Counting(HEADER.pack(MAX_FRAME_BYTES) + b"little")
    with pytest.raises(FramingError):
        read_frame(stream)
    assert stream.largest <= 1 << 20
