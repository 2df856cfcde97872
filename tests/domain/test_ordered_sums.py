import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.ordered_sums import order_bound, ordered_sums, rounded
from lnexplorer.domain.simulation.model import simulate
from tests.domain.timelines import model, partial_rows, simulated


def test_the_first_row_stores_and_a_later_one_adds():
    timeline = simulated(4, 8, 2, arbitration="newest", compute_ns=10)
    rows = partial_rows(4, 8)
    sums = ordered_sums(rows, timeline, "float32")
    for row in range(4):
        before = sums.previous[row]
        if before < 0:
            assert timeline.order[row] == 0
            assert np.array_equal(sums.dw_after[row], rows.dw[row])
        else:
            assert timeline.held_ns[before] < timeline.held_ns[row]
            assert np.array_equal(sums.db_after[row], sums.db_after[before] + rows.db[row])


@given(
    m=st.integers(1, 16),
    n=st.integers(1, 16),
    group_size_m=st.integers(1, 20),
    block_m=st.sampled_from((1, 2, 32)),
    dtype=st.sampled_from(("float32", "float16", "bfloat16")),
    seed=st.integers(0, 9),
)
def test_any_order_ends_within_the_bound_of_the_exact_sum(m, n, group_size_m, block_m, dtype, seed):
    rows = partial_rows(m, n, seed)
    timeline = simulate(
        m, n, group_size_m, block_m, 128, model(arbitration="random", jitter=0.5, seed=seed)
    )
    sums = ordered_sums(rows, timeline, dtype)
    for total, partial in ((sums.dw, rows.dw), (sums.db, rows.db)):
        exact = partial.astype(np.float64).sum(axis=0)
        bound = (
            order_bound(
                np.abs(partial.astype(np.float64)).sum(axis=0), m, group_size_m, dtype, "float32"
            )
            / 2
        )
        assert (np.abs(total - exact) <= bound).all()


def test_half_precision_buffers_round_at_every_store():
    rows = partial_rows(16, 8)
    timeline = simulated(16, 8, 1)
    coarse, fine = ordered_sums(rows, timeline, "float16"), ordered_sums(rows, timeline, "float32")
    assert np.array_equal(coarse.dw_after, rounded(coarse.dw_after, "float16"))
    assert np.abs(coarse.dw - fine.dw).max() > 1e-4


def test_bfloat16_rounds_to_nearest_even():
    values = np.array(
        [1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -np.inf, np.nan], np.float32
    )
    assert rounded(values, "bfloat16")[:5].tolist() == [1.0, 1.0, 1 + 2**-6, 1 + 2**-7, -np.inf]
    assert np.isnan(rounded(values, "bfloat16")[5])
