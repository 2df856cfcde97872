"""What is said of archives that are cut off, spoilt, or none at all."""

import numpy as np
import pytest

from lnexplorer.store.archive import pack, unpack
from lnexplorer.store.files import StoreError

WHOLE = pack({"manifest.json": b"{}"}, {"0": np.arange(4096, dtype=np.int64)})


def test_a_whole_archive_is_read() -> None:
    documents, arrays = unpack(WHOLE, ("manifest.json",))
    assert documents == {"manifest.json": b"{}"}
    assert arrays["0"].tolist() == list(range(4096))


@pytest.mark.parametrize("share", [0.001, 0.5, 0.99])
def test_one_that_was_cut_off_is_said_to_lack_its_end(share: float) -> None:
    with pytest.raises(StoreError, match="it is not whole: its end is missing"):
        unpack(WHOLE[: max(int(share * len(WHOLE)), 4)], ("manifest.json",))


def test_one_with_another_byte_inside_is_said_to_be_damaged() -> None:
    place = WHOLE.index(b"PK\x01\x02") - 9  # of the array's packed numbers
    with pytest.raises(StoreError, match="it is damaged"):
        unpack(WHOLE[:place] + bytes([WHOLE[place] ^ 0x55]) + WHOLE[place + 1 :], ("manifest.json",))


@pytest.mark.parametrize(
    ("data", "sentence"), [(b"", "it is empty"), (b"%PDF-1.7", "it is not a recording, or its beginning is damaged")]
)
def test_what_is_no_archive_is_said_to_be_none(data: bytes, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence):
        unpack(data, ("manifest.json",))
