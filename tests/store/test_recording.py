import io
import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lnexplorer.domain.ordered_sums import order_bound, ordered_sums, recorded_sums
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.timeline import violations
from lnexplorer.protocol.codec import encode
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import Recording, read_recording, write_recording
from lnkernels.values.accuracy import ErrorStats, PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock
from tests.store.examples import (
    REQUEST,
    M,
    N,
    files_of_at_most,
    read_bytes,
    recording_bytes,
    small_result,
    small_timeline,
    traced_timeline,
)

SHIPPED = Path(__file__).parents[2] / "resources" / "recordings"
Members = dict[str, bytes]
Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return recording_bytes(tmp_path_factory.mktemp("whole"))


def rebuilt(data: bytes, change: Callable[[Members], Any]) -> bytes:
    """The same archive with changed members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def with_document(data: bytes, name: str, change: Change) -> bytes:
    def edit(members: Members) -> None:
        document = json.loads(members[name])
        change(document)
        members[name] = json.dumps(document).encode()

    return rebuilt(data, edit)


def saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_a_recording_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.lnrec"
    result, timeline = small_result(), traced_timeline()
    write_recording(path, Recording(title="Störung, 记录", result=result, timeline=timeline))
    read = read_recording(path)
    assert read.title == "Störung, 记录"
    assert read.date
    assert encode(read.result) == encode(small_result(Kind.RECORDED))
    assert read.timeline is not None
    assert read.timeline.kind is Kind.RECORDED
    assert encode(replace(read.timeline, kind=Kind.MEASURED)) == encode(timeline)


def test_what_was_interpreted_or_simulated_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "run.lnrec"
    timeline = replace(small_timeline(), kind=Kind.SIMULATED)
    write_recording(path, Recording(title="", result=small_result(Kind.INTERPRETED), timeline=timeline))
    read = read_recording(path)
    assert read.result is not None
    assert read.timeline is not None
    assert (read.result.provenance.kind, read.timeline.kind) == (Kind.INTERPRETED, Kind.SIMULATED)


def test_numbers_that_are_not_finite_come_back_and_the_text_stays_valid_json(tmp_path: Path) -> None:
    result = small_result()
    worst = ErrorStats(max_abs=math.inf, mean_abs=math.nan, max_rel=-math.inf, max_ulp=0.0, misplaced=3)
    checks = (replace(result.correctness.checks[0], kernel_vs_truth=worst), *result.correctness.checks[1:])
    result = replace(result, correctness=replace(result.correctness, checks=checks))
    path = tmp_path / "run.lnrec"
    write_recording(path, Recording(title="", result=result, timeline=None))
    with zipfile.ZipFile(path) as archive:
        json.loads(archive.read("content.json"), parse_constant=pytest.fail)
    read = read_recording(path).result
    assert read is not None
    assert repr(read.correctness.checks[0].kernel_vs_truth) == repr(worst)


def test_the_manifest_says_what_a_recording_is(whole: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["format"] == "lnexplorer recording"
    assert manifest["version"] == 1
    assert manifest["kind"] == "measured"
    assert manifest["environment"]["gpu"] == "NVIDIA H200"


def test_a_recording_of_a_version_without_tries_numbers_and_cost_opens(whole: bytes, tmp_path: Path) -> None:
    def forget(content: Any) -> None:
        for name in ("clock", "tries", "sums", "cost"):
            del content["timeline"][name]

    timeline = read_bytes(tmp_path, with_document(whole, "content.json", forget)).timeline
    assert timeline is not None
    assert timeline.tries is timeline.sums is timeline.cost is None
    assert timeline.clock is Clock.TIMER


def test_what_a_later_program_adds_is_passed_over(whole: bytes, tmp_path: Path) -> None:
    data = with_document(whole, "content.json", lambda content: content["timeline"].update(colour="blue"))
    assert read_bytes(tmp_path, data).timeline is not None


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED.glob("*.lnrec")))
def test_the_recordings_that_are_handed_out_open_and_can_have_happened(name: str) -> None:
    recording = read_recording(SHIPPED / name)
    timeline = recording.timeline
    assert timeline is None or violations(timeline) == []
    if timeline is None or timeline.sums is None:
        return
    # What the run stored is what its rows add up to in the recorded order, up to how a sum may be rounded.
    sums, own = timeline.sums, recorded_sums(timeline)
    rows = PartialRows(dw=sums.row_dw, db=sums.row_db, dw_total=sums.dw, db_total=sums.db)
    replayed = ordered_sums(rows, timeline, sums.partial_dtype)
    assert own is not None
    assert recording.result is not None
    for part, of_rows in (("dw", sums.row_dw), ("db", sums.row_db)):
        magnitude = np.abs(of_rows.astype(np.float64)).sum(axis=0)
        dtypes = (sums.partial_dtype, recording.result.resolved.dtype)
        bound = order_bound(magnitude, timeline.m, timeline.group_size_m, *dtypes)
        assert (np.abs(getattr(own, part) - getattr(replayed, part)) <= bound).all()
        assert (np.abs(getattr(own, f"{part}_after") - getattr(replayed, f"{part}_after")) <= bound).all()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it is empty"),
        (b"a letter, not a zip archive" * 10, "not a recording, or its beginning is damaged"),
        (rebuilt(b"PK\x05\x06" + bytes(18), lambda members: members.update({"letter.txt": b"hello"})), "holds no manifest.json"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence):
        read_bytes(tmp_path, data)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda head: head.update(format="another program's"), "not a recording of this program"),
        (lambda head: head.update(version=2), "version 2 of the format"),
        (lambda head: head.update(version="old"), "version is not known"),
        (lambda head: head.pop("title"), "not complete"),
        (lambda head: head.update(kind="guessed"), "not complete"),
    ],
)
def test_a_foreign_or_newer_manifest_is_refused(whole: bytes, tmp_path: Path, change: Change, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence):
        read_bytes(tmp_path, with_document(whole, "manifest.json", change))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda content: content["result"].pop("resolved"), "not complete"),
        (lambda content: content["result"]["resolved"].update(n=15), "outside its tensor"),
        (lambda content: content["result"]["resolved"].update(m=0), "0 rows"),
        (lambda content: content["result"]["resolved"]["launch"].update(num_warps=3), "num_warps = 3"),
        (lambda content: content["result"]["request"].update(m=-1), "not possible"),
        (lambda content: content["result"].update(schema_version=99), "version 99"),
        (lambda content: content["result"]["correctness"]["checks"].pop(), "checks are of"),
        (lambda content: content["result"]["correctness"]["maps"][0].update(row_start=1), "outside its tensor"),
        (lambda content: content["result"]["throughput"]["figures"][0].update(mode="hot"), "a figure is called"),
        (lambda content: content["timeline"].update(group_size_m=0), "group_size_m of its timeline is 0; it is at least 1"),
        (lambda content: content["timeline"].update(tile_block_n=1 << 40), "tile_block_n of its timeline is 1099511627776"),
        (lambda content: content["timeline"].update(m=7), "is of 7 rows of 16 columns, and its run of 8 of 16"),
        (lambda content: content["timeline"].update(group_size_m=4), "group_size_m of its timeline is 4, and of its run 2"),
        (lambda content: content["timeline"].update(tile_block_m=4), "tile_block_m of its timeline is 4, and of its run 2"),
        (lambda content: content.update(result=None) or content["timeline"].update(m=7), "shape"),
        (lambda content: content["timeline"].update(tick_ns=-1.0), "tick_ns of its timeline is -1.0; it is above 0"),
        (lambda content: content["timeline"].update(kind="published"), "no clock, as there is no such timeline"),
        (lambda content: content["timeline"].update(clock="steps"), "clock of its timeline is steps; one that is measured has"),
        (lambda content: content["timeline"].update(lock={"array": "gone"}), "array gone is missing"),
        (lambda content: content["timeline"].update(lock=[1, 2]), "not complete"),
        (lambda content: content["timeline"].update(lock=content["timeline"]["start_ns"]), "int32"),
        (lambda content: content["timeline"].update(clock="sundial"), "not complete"),
        (lambda content: content["timeline"].update(tries=content["timeline"]["tile_sm"]), "tries has shape"),
        (lambda content: content["timeline"]["sums"].update(dw=content["timeline"]["sums"]["row_dw"]), "dw has shape"),
        (lambda content: content["timeline"]["sums"].update(partial_dtype="int8"), "of 'int8', and of its run of float16"),
        (
            lambda content: content.update(result=None) or content["timeline"]["sums"].update(partial_dtype="int8"),
            "buffers are of 'int8'",
        ),
        (lambda content: content["timeline"]["sums"].pop("dw_after"), "not complete"),
        (lambda content: content["timeline"]["cost"].update(plain_ns=0.0), "plain_ns of the cost of its timeline is 0.0"),
        (lambda content: content["timeline"]["cost"].update(traced_ns={"float": "nan"}), "traced_ns of the cost .* is nan"),
        (lambda content: content["result"]["compiled"][0]["occupancy"].update(programs_per_sm=1 << 50), "programs_per_sm of"),
        (lambda content: content["result"]["compiled"][0].update(grid=[0]), "grid of forward is 0; it is 1 to"),
        (lambda content: content["result"]["compiled"][0].update(architecture="sm_90\x1b"), "the architecture of forward"),
    ],
)
def test_content_that_does_not_fit_together_is_refused(whole: bytes, tmp_path: Path, change: Change, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence):
        read_bytes(tmp_path, with_document(whole, "content.json", change))


def _dw(content: Any) -> str:
    name: str = content["timeline"]["sums"]["dw"]["array"]
    return name


@pytest.mark.parametrize("shift", [0.5, math.nan, math.inf])
def test_sums_that_are_not_those_of_the_buffers_are_refused(whole: bytes, tmp_path: Path, shift: float) -> None:
    def change(members: Members) -> None:
        name = f"arrays/{_dw(json.loads(members['content.json']))}.npy"
        values = np.load(io.BytesIO(members[name])).copy()
        values[3] += np.float32(shift)
        members[name] = saved(values)

    with pytest.raises(StoreError, match=r"its timeline is impossible: dw\[3\] is .* the buffers' last values add up to"):
        read_bytes(tmp_path, rebuilt(whole, change))


def test_a_trace_of_another_run_is_refused_before_it_is_written(tmp_path: Path) -> None:
    result, path = small_result(), tmp_path / "run.lnrec"
    for request, sentence in (
        (RunRequest(m=M, n=N, strategy="atomic"), "its run is of atomic; only locked has locks"),
        (replace(REQUEST, partial_dtype="float32"), "the buffers of its timeline are of 'float16', and of its run of float32"),
        (replace(REQUEST, reduce_block_size_n=16), "tile_block_n of its timeline is 8, and of its run 16"),
    ):
        other = replace(result, request=request, resolved=resolve(request, "cuda"))
        recording = Recording(title="", result=other, timeline=traced_timeline())
        with pytest.raises(StoreError, match=rf"^The recording cannot be saved as .*run\.lnrec: .*{sentence}\.$"):
            write_recording(path, recording)
    assert not list(tmp_path.iterdir())


def test_a_sum_that_was_found_to_be_right_is_that_of_its_rows(tmp_path: Path) -> None:
    result = small_result()
    rows = result.correctness.partial_rows
    assert rows is not None
    wrong = replace(result.correctness, partial_rows=replace(rows, db_total=rows.db_total + np.float32(1)))
    with pytest.raises(StoreError, match=r"db\[0\] of its run is .* and within its tolerance, and its rows add up to"):
        write_recording(tmp_path / "run", Recording(title="", result=replace(result, correctness=wrong), timeline=None))
    *others, db = wrong.checks
    told = replace(wrong, checks=(*others, replace(db, passed=False)))  # a run with a wrong sum is worth recording
    write_recording(tmp_path / "run", Recording(title="", result=replace(result, correctness=told), timeline=None))


def test_a_title_commands_no_terminal(whole: bytes, tmp_path: Path) -> None:
    data = with_document(whole, "manifest.json", lambda head: head.update(title="\x1b[31mred\n" + "x" * 1000))
    title = read_bytes(tmp_path, data).title
    assert title.isprintable()
    assert title.startswith(" [31mred x")
    assert len(title) < 400


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("held_ns", lambda times: times - 1000),
        ("released_ns", lambda times: times * 0),
        ("start_ns", lambda times: times - 1),
        ("tile_end_ns", lambda times: times - 100),
        ("tile_end_ns", lambda times: times + 10**13),
        ("order", lambda order: order + 1),
        ("lock", lambda lock: lock[::-1].copy()),
        ("sm", lambda sm: sm - 1),
        ("sm", lambda sm: sm + (1 << 16)),
        ("tries", lambda tries: tries - 1),
    ],
)
def test_impossible_times_are_refused_on_reading_and_on_writing(tmp_path: Path, field: str, change: Change) -> None:
    timeline = traced_timeline()
    timeline = replace(timeline, **{field: change(getattr(timeline, field))})
    with pytest.raises(StoreError):
        write_recording(tmp_path / "impossible.lnrec", Recording(title="", result=None, timeline=timeline))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (b"", "no array"),
        (saved(np.zeros(3))[:-1], "size that its shape says"),
        (saved(np.zeros(3)).replace(b"(3,)", b"(9,)"), "size that its shape says"),
        (saved(np.zeros(3, np.complex128)), "no array of numbers"),
        (saved(np.zeros((2, 2), order="F")), "no array of numbers"),
        (saved(np.array([b"x"])), "no array of numbers"),
        (saved(np.zeros(3)).replace(b"'<f8'", b"'|O' "), "no array of numbers"),
        (saved(np.zeros(4, ">f4")), "no array of numbers"),
    ],
)
def test_a_damaged_or_foreign_array_is_refused(whole: bytes, tmp_path: Path, array: bytes, sentence: str) -> None:
    data = rebuilt(whole, lambda members: members.update({"arrays/0.npy": array}))
    with pytest.raises(StoreError, match=sentence):
        read_bytes(tmp_path, data)


def test_an_archive_that_unpacks_to_far_more_than_a_recording_is_refused(whole: bytes, tmp_path: Path) -> None:
    bomb = rebuilt(whole, lambda members: members.update({"manifest.json": b" " * (17 << 20)}))
    assert len(bomb) < 1 << 20
    with pytest.raises(StoreError, match="larger than the 16 MiB"):
        read_bytes(tmp_path, bomb)
    crowd = rebuilt(whole, lambda members: members.update({f"arrays/x{i}.npy": b"" for i in range(300)}))
    with pytest.raises(StoreError, match="at most 256"):
        read_bytes(tmp_path, crowd)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere\.lnrec cannot be read \(No such file"):
        read_recording(tmp_path / "nowhere.lnrec")
    with pytest.raises(StoreError, match="cannot be read"):
        read_recording(tmp_path)


def test_a_full_disk_is_named() -> None:
    with pytest.raises(StoreError, match="No space left on device"):
        write_recording(Path("/dev/full"), Recording(title="", result=small_result(), timeline=None))


def test_a_recording_that_does_not_fit_on_the_disk_leaves_the_old_one(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "run.lnrec"
    path.write_bytes(whole)
    with files_of_at_most(1024), pytest.raises(StoreError, match="cannot be saved"):
        write_recording(path, Recording(title="", result=small_result(), timeline=None))
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_truncated_recording_is_refused(whole: bytes, tmp_path: Path, share: float) -> None:
    with pytest.raises(StoreError):
        read_bytes(tmp_path, whole[: int(share * len(whole))])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), min_size=1, max_size=6))
def test_flipped_bits_are_refused_or_do_no_harm(whole: bytes, tmp_path: Path, flips: list[tuple[float, int]]) -> None:
    data = bytearray(whole)
    for share, bit in flips:
        data[int(share * len(data))] ^= 1 << bit
    try:
        read = read_bytes(tmp_path, bytes(data))
    except StoreError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017  (that nothing else comes out is what is tested)
    else:
        # A flip in a field that nobody reads, such as a date of the archive; the content is guarded by checksums.
        assert encode(read.result) == encode(small_result(Kind.RECORDED))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_flipped_bits_under_right_checksums_are_refused_or_give_a_checked_recording(
    whole: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    def flip(members: Members) -> None:
        name = data.draw(st.sampled_from(sorted(members)))
        content = bytearray(members[name])
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        members[name] = bytes(content)

    try:
        read_bytes(tmp_path, rebuilt(whole, flip))
    except StoreError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
