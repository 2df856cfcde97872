"""The recorded loads and stores of the kernels are those that a row needs, and no others."""

from importlib.resources import files

import pytest
import torch

from lnkernels.compiled.touched import touched
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import USUAL_LIMITS, Launch, LaunchWish, resolve_launch
from lnkernels.values.touched import Access

pytestmark = pytest.mark.skipif(not IS_INTERPRETED, reason="a GPU does not tell what it touches")

M, N, GROUP, BLOCK, ROW = 50, 300, 4, 128, 37


def launch_for(n: int = N, **settings: int | bool | str) -> Launch:
    wished = LaunchWish(
        **({"strategy": "locked", "group_size_m": GROUP, "block_size": BLOCK} | settings)
    )  # type: ignore[arg-type]
    return resolve_launch(n, "float16", wished, USUAL_LIMITS)


def heard(
    m: int = M, n: int = N, row: int = ROW, column: int = 130, **settings: int | bool | str
) -> list[Access]:
    found = touched(m, n, torch.float16, launch_for(n, **settings), row, column)
    assert all(isinstance(one, Access) for one in found)
    return found  # type: ignore[return-value]


def offsets(accesses: list[Access], kernel: str, action: str, buffer: str) -> list[int]:
    chosen = [
        one for one in accesses if (one.kernel, one.action, one.buffer) == (kernel, action, buffer)
    ]
    return [int(offset) for one in chosen for offset in one.offsets[one.mask]]


def test_the_forward_pass_writes_every_column_of_its_row_once_and_reads_it_three_times() -> None:
    accesses = heard()
    whole = list(range(ROW * N, (ROW + 1) * N))
    assert offsets(accesses, "forward", "store", "y") == whole
    assert offsets(accesses, "forward", "load", "x") == whole * 3
    assert offsets(accesses, "forward", "load", "weight") == list(range(N))
    assert offsets(accesses, "forward", "store", "mean") == [ROW]
    assert {one.program for one in accesses if one.kernel == "forward"} == {ROW}


def test_stage_1_adds_to_the_buffer_of_its_lock_between_taking_and_giving_it_back() -> None:
    accesses = [one for one in heard() if one.kernel == "stage1"]
    lock = ROW % GROUP
    buffer = list(range(lock * N, (lock + 1) * N))
    for name in ("partial_dw", "partial_db"):
        assert offsets(accesses, "stage1", "load", name) == buffer
        assert offsets(accesses, "stage1", "store", name) == buffer
    assert offsets(accesses, "stage1", "store", "dx") == list(range(ROW * N, (ROW + 1) * N))
    order = [
        (one.action, one.buffer)
        for one in accesses
        if one.buffer in ("locks", "counts", "partial_dw", "partial_db")
    ]
    assert order[0] == ("compare and swap", "locks")
    assert order[1] == ("add", "counts")
    assert order[-1] == ("exchange", "locks")
    assert offsets(accesses, "stage1", "exchange", "locks") == [lock]
    assert offsets(accesses, "stage1", "add", "counts") == [lock]


def test_stage_2_reads_its_columns_of_every_buffer_and_no_other_program_is_heard() -> None:
    accesses = [one for one in heard(column=130) if one.kernel == "stage2"]
    width = launch_for().reduce_block_size_n
    tile = 130 // width
    columns = list(range(tile * width, min((tile + 1) * width, N)))
    assert {one.program for one in accesses} == {tile}
    assert offsets(accesses, "stage2", "store", "dw") == columns
    assert sorted(offsets(accesses, "stage2", "load", "partial_db")) == sorted(
        row * N + c for row in range(GROUP) for c in columns
    )


def test_each_access_names_the_line_that_makes_it() -> None:
    texts = {
        name: (files("lnkernels") / name).read_text(encoding="utf-8").splitlines()
        for name in ("passes/forward.py", "passes/locked.py")
    }
    words = {
        "load": "tl.load",
        "store": "tl.store",
        "compare and swap": "atomic_cas",
        "add": "atomic_add",
        "exchange": "atomic_xchg",
    }
    for one in heard():
        assert words[one.action] in texts[one.file][one.line - 1]
        assert one.function in "\n".join(texts[one.file][: one.line])


@pytest.mark.parametrize(("row", "column", "field"), [(-1, 0, "row"), (0, N, "column")])
def test_what_is_not_there_is_refused_by_name(row: int, column: int, field: str) -> None:
    (problem,) = touched(M, N, torch.float16, launch_for(), row, column)
    assert not isinstance(problem, Access)
    assert problem.field == field
    assert str(M - 1 if field == "row" else N - 1) in str(problem.allowed)
