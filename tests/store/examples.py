"""Results and timelines small enough to be written many times."""

import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.ordered_sums import ordered_sums, rounded
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.store.recordings import Recording, read_recording, write_recording
from lnkernels.launch import Occupancy
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from lnkernels.values.timeline import Clock, ReductionTimeline, TraceCost, TracedSums
from tests.sample_results import make_correctness, make_result

Floats = NDArray[np.float32]

M, N = 8, 16
REQUEST = RunRequest.of(
    m=M, n=N, group_size_m=2, reduce_block_size_m=2, reduce_block_size_n=8, partial_dtype="same"
)


def small_result(kind: Kind = Kind.MEASURED) -> RunResult:
    """A whole run with an array of every kind in it."""
    rng = np.random.default_rng(7)
    dw, db = rng.standard_normal((2, M, N)).astype(np.float32)
    partial_rows = _partial_rows(dw, db)
    facts = KernelFacts(
        name="forward",
        architecture="sm_90",
        grid=(M,),
        num_warps=4,
        registers=64,
        spill_bytes=0,
        shared_bytes=1024,
        occupancy=Occupancy(8, "registers", 0.5),
    )
    result = make_result(
        M, N, kind=kind, correctness=replace(make_correctness(M, N), partial_rows=partial_rows)
    )
    return replace(
        result,
        request=REQUEST,
        resolved=resolve(REQUEST, "cuda"),
        compiled=(facts,),
        notes=(verbatim("A note."),),
    )


def small_timeline(m: int = M, n: int = N, group_size_m: int = 2) -> ReductionTimeline:
    """Rows one after another, then the tiles."""
    rows = np.arange(m)
    start = rows.astype(np.int64) * 100
    tile_block_n = 8
    tiles = -(-n // tile_block_n)
    tile_start = np.full(tiles, m * 100, np.int64)
    return ReductionTimeline(
        kind=Kind.MEASURED,
        m=m,
        n=n,
        group_size_m=group_size_m,
        lock=(rows % group_size_m).astype(np.int32),
        order=(rows // group_size_m).astype(np.int32),
        sm=(rows % 4).astype(np.int32),
        start_ns=start,
        wanted_ns=start + 40,
        held_ns=start + 50,
        released_ns=start + 100,
        tile_block_m=2,
        tile_block_n=tile_block_n,
        tile_sm=np.zeros(tiles, np.int32),
        tile_start_ns=tile_start,
        tile_end_ns=tile_start + 60,
        tick_ns=1.0,
    )


def traced_timeline() -> ReductionTimeline:
    """The same with all that a small trace holds."""
    timeline = small_timeline()
    rows = _partial_rows(*np.random.default_rng(3).standard_normal((2, M, N)).astype(np.float32))
    stored = ordered_sums(rows, timeline, "float16")
    sums = TracedSums(
        partial_dtype="float16",
        row_dw=rows.dw,
        row_db=rows.db,
        dw_after=stored.dw_after,
        db_after=stored.db_after,
        dw=rounded(stored.dw, "float16"),
        db=rounded(stored.db, "float16"),
    )
    return replace(
        timeline,
        clock=Clock.REFINED,
        tries=np.arange(1, M + 1, dtype=np.int32),
        sums=sums,
        cost=TraceCost(plain_ns=2000.0, traced_ns=2100.0, repetitions=80),
    )


def _partial_rows(dw: Floats, db: Floats) -> PartialRows:
    return PartialRows(dw=dw, db=db, dw_total=dw.sum(axis=0), db_total=db.sum(axis=0))


def recording_bytes(folder: Path) -> bytes:
    """A whole recording, as it lies on the disk."""
    path = folder / "example.lnrec"
    write_recording(
        path, Recording(title="Example", result=small_result(), timeline=traced_timeline())
    )
    return path.read_bytes()


def read_bytes(folder: Path, data: bytes) -> Recording:
    """Read `data` as a recording."""
    path = folder / "read.lnrec"
    path.write_bytes(data)
    return read_recording(path)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses to let files grow beyond `size` bytes, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def folder_to_close() -> Iterator[Path]:
    """A folder that `close_folder` closes until this ends."""
    user = os.geteuid()
    folder = Path(tempfile.mkdtemp(prefix="lnexplorer-test-", dir="/tmp"))
    try:
        yield folder
    finally:
        if user == 0:
            os.seteuid(user)
        folder.chmod(0o700)
        shutil.rmtree(folder)


def close_folder(folder: Path, mode: int = 0o555) -> None:
    """Take the right to write a folder away, and root's power with it."""
    for path in folder.rglob("*"):
        path.chmod(0o644)
    folder.chmod(mode)
    if os.geteuid() == 0:
        os.seteuid(65534)
