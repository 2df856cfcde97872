"""Launch settings: the tutorial's heuristics, what is refused, and what a launch costs, all without
a GPU or torch.
"""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnkernels.launch import (
    DTYPE_BYTES,
    DTYPES,
    KNOWN_DEVICES,
    Launch,
    LaunchWish,
    check_launch,
    grids,
    limits_for_architecture,
    masked_lanes,
    occupancy,
    partial_buffer_bytes,
    resolve_launch,
)


@pytest.mark.parametrize(
    ("n", "group_size_m"),
    [
        (1, 256),
        (1024, 256),
        (1025, 128),
        (4096, 128),
        (4097, 96),
        (8192, 96),
        (8193, 64),
        (32768, 64),
    ],
)
def test_group_size_m_is_the_tutorials(n: int, group_size_m: int) -> None:
    assert resolve_launch(n, "float16").group_size_m == group_size_m


@given(n=st.integers(1, 32768), dtype=st.sampled_from(DTYPES))
def test_what_the_heuristics_choose_is_possible_up_to_64_kib_a_row(n: int, dtype: str) -> None:
    problems = check_launch(n, dtype, resolve_launch(n, dtype))
    assert [p.field for p in problems] == (["n"] if n * DTYPE_BYTES[dtype] > 65536 else [])


@given(n=st.integers(1, 8192), data=st.data())
def test_what_is_taken_over_is_kept_and_nothing_else_changes(n: int, data: st.DataObject) -> None:
    wished = LaunchWish(
        group_size_m=data.draw(st.none() | st.integers(1, 500)),
        num_stages=data.draw(st.none() | st.integers(1, 5)),
    )
    automatic, launch = resolve_launch(n, "float16"), resolve_launch(n, "float16", wished)
    for field in fields(Launch):
        wish = getattr(wished, field.name, None)
        assert getattr(launch, field.name) == (
            getattr(automatic, field.name) if wish is None else wish
        )


@pytest.mark.parametrize(
    ("changed", "allowed"),
    [
        ({"strategy": "magic"}, "choose one of"),
        ({"group_size_m": 0}, "take a whole number from 1 to"),
        ({"num_stages": 99}, "take a whole number from 1 to"),
        ({"block_size": 3}, "power of two"),
        ({"reduce_block_size_m": 0}, "power of two"),
        ({"num_warps": 64}, "power of two from 1 to 32"),
        ({"block_size_n": 64}, "take at least 128"),
    ],
)
def test_a_refusal_names_the_field_its_value_and_what_is_allowed(
    changed: dict[str, Any], allowed: str
) -> None:
    launch = replace(resolve_launch(100, "float16"), **changed)
    (problem,) = check_launch(100, "float16", launch)
    ((field, value),) = changed.items()
    assert (problem.field, problem.value) == (field, str(value))
    assert allowed in str(problem)


@given(m=st.integers(0, 5000), n=st.integers(1, 9000), block=st.sampled_from([1, 32, 128, 1024]))
def test_the_grids_cover_every_row_and_column(m: int, n: int, block: int) -> None:
    launch = replace(resolve_launch(n, "float16"), reduce_block_size_n=block)
    assert grids(m, n, launch)["forward"] == grids(m, n, launch)["backward_stage1"] == (m,)
    (programs,) = grids(m, n, launch)["backward_stage2"]
    assert (programs - 1) * block < n <= programs * block
    assert programs * block - n == masked_lanes(n, block)


def test_the_buffers_are_counted_in_their_own_dtype_and_no_more_than_rows() -> None:
    launch = resolve_launch(1024, "float16")
    assert partial_buffer_bytes(4096, 1024, "float16", launch) == 2 * 256 * 1024 * 4
    assert partial_buffer_bytes(3, 1024, "float16", launch) == 2 * 3 * 1024 * 4
    same = replace(launch, partial_dtype="same")
    assert partial_buffer_bytes(4096, 1024, "float16", same) == 2 * 256 * 1024 * 2


def test_occupancy_names_the_resource_that_ends_it() -> None:
    h200 = limits_for_architecture("sm_90")
    assert h200.name == "NVIDIA H200"
    assert occupancy(h200, registers=32, num_warps=4, shared_bytes=0).programs_per_sm == 16
    by_registers = occupancy(h200, registers=128, num_warps=8, shared_bytes=0)
    assert (by_registers.programs_per_sm, by_registers.limited_by) == (2, "registers")
    assert by_registers.share_of_warps == 0.25
    assert (
        occupancy(h200, registers=32, num_warps=1, shared_bytes=100 * 1024).limited_by
        == "shared memory"
    )
    assert occupancy(h200, registers=16, num_warps=1, shared_bytes=0).limited_by == "programs"


def test_an_unknown_architecture_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="architecture = 'sm_1' is not known: choose one of sm_70"):
        limits_for_architecture("sm_1")
    assert all(
        limits_for_architecture(limits.architecture) in KNOWN_DEVICES for limits in KNOWN_DEVICES
    )
