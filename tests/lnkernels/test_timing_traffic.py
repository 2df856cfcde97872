"""Bytes and GB/s."""

import math

import pytest

from lnkernels.launch import LaunchOverrides, resolve_launch
from lnkernels.timing.traffic import gbps, least_bytes, locked_bytes, tutorial_bytes


def test_a_gigabyte_in_a_millisecond_is_a_thousand_gigabytes_a_second():
    assert gbps(10**9, 1.0) == pytest.approx(1000.0)


def test_no_time_is_no_finite_throughput():
    assert gbps(8, 0.0) == math.inf
    assert math.isnan(gbps(0, 0.0))


@pytest.mark.parametrize(("direction", "matrices"), [("forward", 2), ("backward", 3)])
def test_the_tutorial_counts_whole_matrices_only(direction, matrices):
    assert tutorial_bytes(direction, 4096, 8192, "float16") == matrices * 4096 * 8192 * 2


def test_the_least_count_adds_weights_and_statistics_once():
    m, n = 3, 5
    assert least_bytes("forward", m, n, "float16", weight_dtype="float32") == 2 * m * n * 2 + 2 * n * 4 + 2 * m * 4
    assert least_bytes("backward", m, n, "float16", weight_dtype="float32") == 3 * m * n * 2 + 3 * n * 4 + 2 * m * 4


def test_partial_sums_are_counted_row_by_row():
    # By hand, M=4 rows, G=2 buffers, N=8, all float32: 4 stores and 2 loads of a buffer's row in stage 1, 2 loads in stage 2.
    launch = resolve_launch(8, "float32", LaunchOverrides(group_size_m=2))
    matrices, weights, statistics = 3 * 4 * 8 * 4, 4 * 8 * 4, 2 * 4 * 4
    partial_rows, gradients = 2 * (4 + 2 + 2) * 8 * 4, 2 * 8 * 4
    counted = locked_bytes("backward", 4, 8, "float32", launch=launch, weight_dtype="float32")
    assert counted == matrices + weights + statistics + partial_rows + gradients


def test_more_buffers_than_rows_are_not_counted():
    few, many = (resolve_launch(8, "float16", LaunchOverrides(group_size_m=g)) for g in (4, 1024))
    counts = {locked_bytes("backward", 4, 8, "float16", launch=launch, weight_dtype="float16") for launch in (few, many)}
    assert len(counts) == 1


def test_smaller_partial_sums_move_fewer_bytes():
    wide, narrow = (resolve_launch(512, "float16", LaunchOverrides(partial_dtype=p)) for p in ("float32", "same"))
    count = {p: locked_bytes("backward", 64, 512, "float16", launch=p, weight_dtype="float16") for p in (wide, narrow)}
    assert count[narrow] < count[wide]
