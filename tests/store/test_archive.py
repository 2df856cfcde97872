"""Foreign archives: whatever is wrong with one is said in one sentence, before much of it is
unpacked.
"""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lnexplorer.store.archive import MANIFEST, RECORDING, heads_in
from lnexplorer.store.files import StoreError
from tests.programs import printed
from tests.store.examples import read_bytes, recording_bytes


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    return recording_bytes(tmp_path)


def repacked(
    data: bytes, *, head: dict[str, object] | None = None, others: dict[str, bytes] | None = None
) -> bytes:
    """An archive with another manifest, or with other members."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as archive,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as copy,
    ):
        members = {name: archive.read(name) for name in archive.namelist()} | (others or {})
        if head is not None:
            members[MANIFEST] = json.dumps(json.loads(members[MANIFEST]) | head).encode()
        for name, content in members.items():
            copy.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda _: b"", "it is not a recording, or not whole"),
        (lambda data: data[:-1], "not whole: its end is missing"),
        (lambda data: data[:900] + bytes([data[900] ^ 1]) + data[901:], "it is damaged"),
        (
            lambda data: repacked(data, head={"kind": "sweep"}),
            "it is not a recording of this program",
        ),
        (
            lambda data: repacked(data, head={"version": 2}),
            "it has version 2, and this program reads version 1",
        ),
        (lambda data: repacked(data, head={"environment": []}), "its manifest is not complete"),
        (lambda data: repacked(data, others={MANIFEST: b"[" * 10_000}), "it is not a recording"),
        (
            lambda data: repacked(data, others={"content.msgpack": b"\x93" * 5000}),
            "it is damaged, of another version, or impossible",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_name_of_the_file(
    tmp_path: Path, whole: bytes, change: Callable[[bytes], bytes], why: str
) -> None:
    with pytest.raises(StoreError) as caught:
        read_bytes(tmp_path, change(whole))
    assert str(caught.value).startswith(f"{tmp_path / 'read.lnrec'} cannot be opened: ")
    assert why in str(caught.value)


def test_what_would_unpack_to_much_is_refused_before_it_is_unpacked(
    tmp_path: Path, whole: bytes
) -> None:
    bomb = repacked(whole, others={"content.msgpack": bytes(200 << 20)})
    assert len(bomb) < 1 << 20
    with pytest.raises(StoreError, match="it unpacks to more than 128 MiB"):
        read_bytes(tmp_path, bomb)


def test_sizes_that_are_not_true_are_damage(tmp_path: Path, whole: bytes) -> None:
    data = bytearray(whole)
    place = data.rindex(b"PK\x01\x02")  # of the content, in the list of members
    data[place + 24 : place + 28] = struct.pack("<L", 100)
    with pytest.raises(StoreError, match="it is damaged"):
        read_bytes(tmp_path, bytes(data))


def test_a_list_of_very_many_members_is_not_read(tmp_path: Path, whole: bytes) -> None:
    data = bytearray(whole)
    data[-10:-6] = struct.pack("<L", 5 << 20)
    with pytest.raises(StoreError, match="it is larger than a recording can be"):
        read_bytes(tmp_path, bytes(data))
    large = whole[:-22] + b"PK\x06\x07" + bytes(16) + whole[-22:]
    with pytest.raises(StoreError, match="its end is missing"):
        read_bytes(tmp_path, large)


def test_files_that_are_none_are_left_out_of_a_folder_s_list(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "letter.lnrec").write_text("Dear reader")
    (tmp_path / "newer.lnrec").write_bytes(repacked(whole, head={"version": 2}))
    (tmp_path / "folder.lnrec").mkdir()
    (tmp_path / "coloured.lnrec").write_bytes(repacked(whole, head={"title": "\x1b[31mred"}))
    assert [(head.title, path) for path, head in heads_in(tmp_path, RECORDING)] == [
        (" [31mred", tmp_path / "coloured.lnrec"),
        ("Example", tmp_path / "example.lnrec"),
    ]


HOSTILE = """
import resource, sys
from pathlib import Path
from lnexplorer.store.files import StoreError
from lnexplorer.store.session import read_session
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_session(Path(sys.argv[1]))
except StoreError as error:
    print(error, file=sys.stderr)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_a_session_that_is_made_to_take_memory_takes_less_than_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "large.lnsession"
    members = {
        f"runs/{place}.msgpack": b"\xdd" + struct.pack(">L", 30 << 20) + bytes(30 << 20)
        for place in range(4)
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            MANIFEST,
            json.dumps({"format": "lnexplorer", "version": 1, "kind": "session", "date": ""}),
        )
        charted = b"\x81\xa7charted\xdd" + struct.pack(">L", 7 << 20) + bytes(7 << 20)
        archive.writestr("places.msgpack", charted)
        for name, content in members.items():
            archive.writestr(name, content)
    assert int(printed(HOSTILE, path)) < 1000
