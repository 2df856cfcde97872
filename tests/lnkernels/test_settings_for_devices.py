"""Settings of the strategies without locks: launchable on every known device and on some that
nobody knows.
"""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lnkernels.launch import (
    DTYPES,
    KNOWN_DEVICES,
    STRATEGIES,
    DeviceLimits,
    Launch,
    LaunchWish,
    as_wish,
    check_launch,
    grids,
    launch_on,
    limits_for_architecture,
    memory_estimate,
    partial_buffer_bytes,
    resolve_launch,
)
from lnkernels.launch.candidates import candidates, launch_of
from lnkernels.launch.limits import DTYPE_BYTES, ceil_div, shared_bytes_per_program
from lnkernels.launch.measured import FORWARD, FORWARD_OF_MANY_ROWS, ROWS, SPLIT
from lnkernels.launch.persistent import in_one_launch, usual_rows
from lnkernels.launch.strategy import Asked, tile_bytes
from lnkernels.launch.tuned import Entry

FREE = tuple(name for name in STRATEGIES if name != "locked")
SMALL = DeviceLimits(
    name="a small GPU of tomorrow",
    compute_capability=(13, 0),
    sm_count=6,
    warps_per_sm=32,
    programs_per_sm=16,
    shared_bytes_per_sm=64 << 10,
    l2_bytes=1 << 20,
    memory_bytes=8 << 30,
)
DEVICES = (
    *KNOWN_DEVICES,
    SMALL,
    replace(SMALL, name="a large one", sm_count=400, shared_bytes_per_sm=512 << 10),
)
WIDTHS = (1, 3, 255, 1024, 3000, 4096, 8192, 9216, 12289, 16384, 30000, 65536)


def resolved(
    strategy: str, n: int, dtype: str, limits: DeviceLimits, m: int | None = None, **wished: Any
) -> Launch:
    return resolve_launch(n, dtype, LaunchWish(strategy=strategy, **wished), limits, m=m)


def places(launch: Launch, limits: DeviceLimits) -> int:
    """Programs of stage 1 that are resident together."""
    return limits.sm_count * max(launch.programs_per_sm, 1)


@pytest.mark.parametrize("limits", DEVICES, ids=lambda limits: limits.name)
def test_what_is_chosen_can_be_launched(limits: DeviceLimits) -> None:
    for strategy, n, dtype in product(FREE, WIDTHS, DTYPES):
        launch = resolved(strategy, n, dtype, limits)
        problems = [problem.field for problem in check_launch(n, dtype, launch, limits)]
        too_wide = launch.strategy in {"persistent", "atomic"} and n > 32768
        too_few_sms = launch.strategy == "split" and launch.slices > places(launch, limits)
        assert problems == (["n"] if too_wide else ["block_size_n"] if too_few_sms else []), (
            strategy,
            n,
            dtype,
        )
        assert too_few_sms <= (limits.sm_count < 16), (strategy, n, dtype)


@pytest.mark.parametrize("limits", DEVICES, ids=lambda limits: limits.name)
def test_tiles_in_flight_fit_the_shared_memory_and_a_cooperative_grid_fits_the_device(
    limits: DeviceLimits,
) -> None:
    for n, dtype in product(WIDTHS, DTYPES):
        rows, split = (resolved(strategy, n, dtype, limits) for strategy in ("persistent", "split"))
        blocks = ceil_div(n, rows.block_size_n)
        waiting = tile_bytes(rows.rows, blocks * rows.block_size_n, dtype, rows.num_stages)
        assert waiting * rows.programs_per_sm <= limits.shared_bytes_per_sm
        blocks = ceil_div(ceil_div(n, split.slices), split.block_size_n)
        waiting = tile_bytes(split.rows, blocks * split.block_size_n, dtype, split.num_stages)
        assert waiting <= shared_bytes_per_program(limits)
        assert waiting * split.programs_per_sm <= limits.shared_bytes_per_sm
        if split.slices <= limits.sm_count:
            assert split.programs <= limits.sm_count * split.programs_per_sm
        # A thread has 255 registers at most, and an SM 65536.
        assert (
            split.programs_per_sm == 1
            or split.programs_per_sm * split.num_warps * 32 * 255 <= 65536
        )
        for launch in (rows, split):
            assert launch.num_warps <= limits.warps_per_sm


@given(
    n=st.integers(1, 32768),
    dtype=st.sampled_from(DTYPES),
    limits=st.sampled_from(DEVICES[2:-2]),
    rows=st.sampled_from((1, 2)),
    block=st.sampled_from((1024, 2048, 4096)),
)
def test_what_hangs_together_with_a_wish_follows_it(
    n: int, dtype: str, limits: DeviceLimits, rows: int, block: int
) -> None:
    persistent = resolved("persistent", n, dtype, limits, rows=rows)
    assert persistent.rows == rows
    in_blocks = resolved("persistent", n, dtype, limits, block_size_n=block)
    assert in_blocks.block_size_n == block
    split = resolved("split", n, dtype, limits, block_size_n=block)
    assert split.block_size_n == block
    assert split.slices <= -(-n // block)
    for launch in (persistent, in_blocks, split):
        assert not check_launch(n, dtype, launch, limits)


@given(
    n=st.integers(1, 70000),
    dtype=st.sampled_from(DTYPES),
    limits=st.sampled_from(DEVICES),
    strategy=st.sampled_from(FREE),
    many_rows=st.booleans(),
)
@example(n=6144, dtype="float16", limits=KNOWN_DEVICES[2], strategy="persistent", many_rows=True)
@example(n=9216, dtype="float16", limits=KNOWN_DEVICES[2], strategy="persistent", many_rows=False)
def test_a_launch_stands_for_all_that_it_was_made_of(
    n: int, dtype: str, limits: DeviceLimits, strategy: str, many_rows: bool
) -> None:
    m = 32768 if many_rows else 4096
    launch = resolved(strategy, n, dtype, limits, m)
    assert launch_on(launch, n, dtype, limits) == launch
    assert resolve_launch(n, dtype, as_wish(launch), limits, m=m) == launch


@pytest.mark.parametrize(
    ("strategy", "wished", "field", "allowed"),
    [
        ("persistent", {"rows": 128}, "rows", "take a power of two from 1 to 64"),
        (
            "persistent",
            {"block_size_n": 16},
            "block_size_n",
            "take at least 32: a program holds 1024 columns in 32 blocks",
        ),
        (
            "persistent",
            {"block_size": 512, "forward_rows": 2},
            "forward_rows",
            "take 1: BLOCK_SIZE is less than N = 1024",
        ),
        (
            "persistent",
            {"sums_per_row": True, "block_size_n": 256},
            "sums_per_row",
            "take it off: a row of 1024 columns is held",
        ),
        (
            "atomic",
            {"forward_num_stages": 8, "forward_grid_per_sm": 1, "forward_rows": 64},
            "forward_num_stages",
            "take fewer",
        ),
        (
            "split",
            {"forward_grid_per_sm": 2, "block_size": 512},
            "forward_grid_per_sm",
            "take 0: BLOCK_SIZE is less",
        ),
        ("split", {"slices": 0}, "slices", "take a whole number from 1 to 4096"),
        (
            "split",
            {"slices": 100},
            "slices",
            "take fewer: slices begin at multiples of 16 columns, and with N = 1024",
        ),
    ],
)
def test_a_refusal_names_the_field_and_what_is_allowed(
    strategy: str, wished: dict[str, int], field: str, allowed: str
) -> None:
    limits = KNOWN_DEVICES[2]
    (problem,) = check_launch(
        1024, "float16", resolved(strategy, 1024, "float16", limits, **wished), limits
    )
    assert problem.field == field
    assert problem.value == str(wished[field])
    assert allowed in str(problem.allowed)


@pytest.mark.parametrize("n", [14000, 14001])
def test_the_ends_of_odd_rows_in_flight_count_as_shared_memory(n: int) -> None:
    """Compiled for sm_90, five rows of 14000 take 229472 bytes of 232448, of 14001 237696."""
    limits = limits_for_architecture("sm_90")
    five = {"num_stages": 5, "block_size_n": 2048, "num_warps": 8}
    launch = resolved("persistent", n, "float16", limits, **five)
    fields = [problem.field for problem in check_launch(n, "float16", launch, limits)]
    assert fields == (["num_stages"] if n == 14001 else [])


def test_a_row_that_more_programs_would_share_than_there_are_sms_is_refused() -> None:
    launch = resolved("split", 65536, "float32", SMALL)
    (problem,) = check_launch(65536, "float32", launch, SMALL)
    assert (problem.field, "6 SMs" in str(problem.allowed)) == ("block_size_n", True)
    assert check_launch(65536, "float32", launch) == []


@given(
    n=st.integers(1, 1 << 20),
    dtype=st.sampled_from(DTYPES),
    limits=st.sampled_from(DEVICES),
    programs=st.sampled_from((None, 1, 2, 3, 4, 8)),
    block=st.sampled_from((None, 16, 256, 1024)),
)
@example(n=907139, dtype="float16", limits=KNOWN_DEVICES[0], programs=3, block=None)
@example(n=625153, dtype="float32", limits=limits_for_architecture("sm_90"), programs=4, block=16)
def test_every_slice_of_a_row_has_a_column(
    n: int, dtype: str, limits: DeviceLimits, programs: int | None, block: int | None
) -> None:
    launch = resolve_launch(
        n, dtype, LaunchWish(strategy="split", programs_per_sm=programs, block_size_n=block), limits
    )
    assert "slices" not in [problem.field for problem in check_launch(n, dtype, launch, limits)]


@pytest.mark.parametrize("strategy", FREE)
def test_the_grids_cover_every_row_and_the_memory_every_partial_sum(strategy: str) -> None:
    limits = KNOWN_DEVICES[0]
    for m, n in product((0, 1, 7, 4096), (5, 4096, 20000)):
        launch = resolved(strategy, n, "float16", limits)
        programs = grids(m, n, launch)
        (stage1,) = programs["backward_stage1"]
        most = launch.programs or m
        assert 0 <= stage1 <= most
        assert (stage1 > 0) == (m > 0)
        sums = partial_buffer_bytes(m, n, "float16", launch)
        assert sums <= 2 * 4 * n * max(most, 1)
        assert memory_estimate(m, n, "float16", launch).partial_buffers >= sums


def test_the_first_candidate_is_what_is_used_untuned_so_that_a_search_cut_short_loses_nothing() -> (
    None
):
    for limits, n in product(DEVICES, (1024, 8192, 12000)):
        for kind, strategy in (("rows", "persistent"), ("split", "split"), ("forward", "auto")):
            for entry in candidates(kind, n, "float16", limits)[:1]:
                assert launch_of(entry, n, "float16", limits) == resolved(
                    strategy, n, "float16", limits
                )


@pytest.mark.parametrize("limits", DEVICES[1:], ids=lambda limits: limits.name)
def test_no_candidate_for_tuning_takes_more_workspace_than_is_promised(
    limits: DeviceLimits,
) -> None:
    for kind, n, dtype in product(
        ("rows", "split"), (256, 1024, 5120, 8192, 20480, 65536), ("float16", "float32")
    ):
        found = candidates(kind, n, dtype, limits)
        if dtype == "float16" and n in (256, 1024, 8192):
            assert bool(found) == (n > 4096 or kind != "split"), (kind, n)
        assert len(set(found)) == len(found)
        for entry in found:
            launch = launch_of(entry, n, dtype, limits)
            for m in (1, 512, 4096, 32768, 1 << 20):
                allowed = max(0.05 * m * n * DTYPE_BYTES[dtype], 16 * n * limits.sm_count)
                assert memory_estimate(m, n, dtype, launch).partial_buffers <= allowed, (entry, m)


@pytest.mark.parametrize("limits", DEVICES[1:], ids=lambda limits: limits.name)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_more_rows_are_given_more_programs_only_as_the_workspace_allows(
    dtype: str, limits: DeviceLimits
) -> None:
    for n, m in product(
        (1, 255, 256, 257, 1024, 4096), (1, 4096, 16384, 20000, 31679, 31680, 32768, 1 << 20)
    ):
        launch = resolve_launch(n, dtype, LaunchWish(strategy="persistent"), limits, m=m)
        allowed = max(0.05 * m * n * DTYPE_BYTES[dtype], 16 * n * limits.sm_count)
        assert memory_estimate(m, n, dtype, launch).partial_buffers <= allowed, (n, m)


H200 = limits_for_architecture("sm_90")


def test_settings_know_few_and_many_rows() -> None:
    """Few rows: one each, with many threads, nothing ahead. Many narrow ones: tiles in blocks, more
    programs' sums.
    """
    few, many = (resolved("auto", 576, "bfloat16", H200, m) for m in (100, 65536))
    assert few.forward_rows == 1 < many.forward_rows
    assert few.programs_per_sm < many.programs_per_sm
    together, apart = (
        ((1, 1024), (1, 16384), (2, 1000), (256, 16384), (256, 1001), (512, 4096)),
        ((1, 32768), (64, 32768), (257, 16384), (257, 1001), (513, 1024)),
    )
    for m, n in together + apart:
        launch = resolve_launch(n, "bfloat16", LaunchWish(strategy="persistent"), H200, m=m)
        assert in_one_launch(m, n, launch) == ((m, n) in together)
    for m in (1, 2, 64, 132, 133, 256, 264, 265, 512, 513, 528, 16384, 65536):
        for n in (1, 63, 64, 65, 511, 1024, 1025, 2048, 8192, 16384, 40000):
            for dtype in ("bfloat16", "float32"):
                launch = resolve_launch(n, dtype, LaunchWish(strategy="auto"), H200, m=m)
                assert check_launch(n, dtype, launch, H200) == [], (m, n, dtype)


def test_the_table_is_for_its_device_class_alone() -> None:
    entry = next(one for one in ROWS if one.element_bytes == 2 and one.up_to_n == 3584)
    asked = Asked(3000, "float16", H200, LaunchWish())
    for sms in (114, 132, 144):
        assert usual_rows(replace(asked, limits=replace(H200, sm_count=sms))) == entry
    for sms in (16, 78):  # a part of a GPU, and one that has half the SMs before the same memory
        assert usual_rows(replace(asked, limits=replace(H200, sm_count=sms))) not in ROWS
    older = replace(H200, compute_capability=(8, 0))
    assert usual_rows(replace(asked, limits=older)) not in ROWS


@pytest.mark.parametrize("table", [ROWS, SPLIT, FORWARD, FORWARD_OF_MANY_ROWS])
def test_entries_of_a_table_stand_in_the_order_of_their_widths(table: tuple[Entry, ...]) -> None:
    for size in (2, 4):
        widths = [entry.up_to_n for entry in table if entry.element_bytes == size]
        assert widths == sorted(set(widths))
