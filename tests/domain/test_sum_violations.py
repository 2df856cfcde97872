"""Numbers of a traced run that can have come about are not refused, whatever the data and the types; others are, by
name.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lnexplorer.domain.ordered_sums import ordered_sums, rounded
from lnexplorer.domain.simulation import simulate
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import BUFFER_DTYPES, TracedSums
from tests.domain.timelines import model
from tests.sum_violations import sum_violations

DTYPES = st.sampled_from(BUFFER_DTYPES)
NAMES = ("dw_after", "db_after", "dw", "db")


def stored(m, n, group_size_m, buffers, result, scale=1.0, seed=0):
    """A simulated order of rows, with numbers as kernels store them that add in it."""
    timeline = simulate(m, n, group_size_m, 32, 128, model(arbitration="random", jitter=0.5, seed=seed))
    with np.errstate(over="ignore"):  # infinite shares are possible, too
        shares = (scale * np.random.default_rng(seed).standard_normal((2, m, n))).astype(np.float32)
    return with_sums(timeline, *shares, buffers, result)


def with_sums(timeline, row_dw, row_db, buffers, result):
    with np.errstate(over="ignore", invalid="ignore"):
        rows = PartialRows(dw=row_dw, db=row_db, dw_total=row_dw.sum(axis=0), db_total=row_db.sum(axis=0))
        added = ordered_sums(rows, timeline, buffers)
    sums = TracedSums(
        partial_dtype=buffers,
        row_dw=row_dw,
        row_db=row_db,
        dw_after=added.dw_after,
        db_after=added.db_after,
        dw=rounded(added.dw, result),
        db=rounded(added.db, result),
    )
    return replace(timeline, sums=sums)


def changed(timeline, name, place, value):
    """The timeline with one other number."""
    array = getattr(timeline.sums, name).copy()
    array[place] = value
    return replace(timeline, sums=replace(timeline.sums, **{name: array}))


@settings(deadline=None)
@given(
    m=st.integers(1, 40),
    n=st.integers(1, 6),
    group_size_m=st.integers(1, 50),
    buffers=DTYPES,
    result=DTYPES,
    scale=st.sampled_from((1e-42, 1e-7, 1.0, 1e4, 1e38)),  # down to where digits are lost, up to where sums overflow
    seed=st.integers(0, 100),
)
def test_sums_as_kernels_add_them_can_have_come_about(m, n, group_size_m, buffers, result, scale, seed):
    timeline = stored(m, n, group_size_m, buffers, result, scale, seed)
    assert sum_violations(timeline, result) == []
    assert sum_violations(timeline) == []


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("buffers", BUFFER_DTYPES)
def test_what_is_not_finite_in_a_row_may_be_so_in_the_sums_and_has_to_be(odd, buffers):
    timeline = stored(12, 4, 3, buffers, "float16")
    row_dw = timeline.sums.row_dw.copy()
    row_dw[5, 1] = odd
    timeline = with_sums(timeline, row_dw, timeline.sums.row_db, buffers, "float16")
    assert not np.isfinite(timeline.sums.dw[1])
    assert sum_violations(timeline, "float16") == []
    assert sum_violations(changed(timeline, "dw", 1, 0.5), "float16")
    assert sum_violations(changed(timeline, "dw_after", (5, 1), 0.5), "float16")
    assert sum_violations(changed(timeline, "dw", 0, odd), "float16")


@settings(deadline=None)
@given(
    buffers=DTYPES,
    result=DTYPES,
    name=st.sampled_from(NAMES),
    row=st.integers(0, 11),
    column=st.integers(0, 3),
    value=st.sampled_from((np.nan, np.inf, -np.inf, 0.0, 1000.0, -0.5)),
)
def test_a_number_that_nobody_can_have_stored_is_named(buffers, result, name, row, column, value):
    timeline = stored(12, 4, 3, buffers, result)
    place = (row, column) if name.endswith("after") else (column,)
    found = map(str, sum_violations(changed(timeline, name, place, value), result))
    where = f"{name}[{', '.join(map(str, place))}] is {np.float32(value):.9g}"
    # A buffer's last value is what a result is summed of, and each value is what the next row adds to.
    assert any(where in sentence for sentence in found)


def test_the_row_before_and_what_is_allowed_are_told():
    timeline = stored(6, 2, 1, "float32", "float16")
    rows = np.argsort(timeline.order)
    before, row = rows[2], rows[3]
    left, adds = timeline.sums.dw_after[before, 1], timeline.sums.row_dw[row, 1]
    sentence = str(sum_violations(changed(timeline, "dw_after", (row, 1), left), "float16")[0])
    assert sentence.startswith(
        f"dw_after[{row}, 1] is {left:.9g}, and row {row} adds {adds:.9g}, after row {before} left {left:.9g}"
    )
    assert f"which gives {np.float64(left) + np.float64(adds):.9g}, give or take" in sentence


def test_a_number_that_its_type_does_not_have_is_named():
    timeline = stored(6, 2, 2, "float16", "float16")
    off = np.nextafter(timeline.sums.dw_after[0, 0], np.float32(9))
    assert "which is no float16" in str(sum_violations(changed(timeline, "dw_after", (0, 0), off), "float16")[0])
    off = np.nextafter(timeline.sums.db[1], np.float32(9))
    (sentence,) = sum_violations(changed(timeline, "db", 1, off), "float16")
    assert str(sentence) == f"db[1] is {off:.9g}, which is no float16"
    (sentence,) = sum_violations(changed(timeline, "db", 1, off))  # it may have been float32, but that sum is another
    assert "the buffers' last values add up to" in str(sentence)


def test_an_order_that_the_sums_contradict_is_found():
    timeline = stored(8, 3, 2, "float32", "float32")
    first, second = np.flatnonzero((timeline.lock == 0) & (timeline.order < 2))
    order = timeline.order.copy()
    order[[first, second]] = order[[second, first]]
    assert any("dw_after" in str(sentence) for sentence in sum_violations(replace(timeline, order=order), "float32"))


def test_without_the_barrier_a_row_may_add_to_what_is_out_of_date():
    timeline = stored(8, 3, 2, "float16", "float16")
    lost = changed(timeline, "dw_after", (6, 0), rounded(timeline.sums.row_dw, "float16")[6, 0])
    assert sum_violations(lost, "float16")
    assert sum_violations(lost, "float16", barrier=False) == []


def test_a_simulation_has_no_sums_to_be_wrong():
    assert sum_violations(simulate(8, 8, 2, 32, 128, model())) == []
