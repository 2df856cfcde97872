import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.simulation.stage1 import share_out, swapped


@given(st.lists(st.integers(0, 5), max_size=60))
def test_swapping_all_at_once_is_swapping_one_after_another(steps):
    other = np.minimum(np.arange(len(steps)) + np.array(steps, np.int64), max(len(steps) - 1, 0))
    plain = list(range(len(steps)))
    for place, chosen in enumerate(other.tolist()):
        plain[place], plain[chosen] = plain[chosen], plain[place]
    assert swapped(other).tolist() == plain


def test_who_waits_has_an_equal_chance_at_each_turn():
    came = np.array([3, 3, 4, 4])  # of three that wait one is taken, of two one, then a fourth has come
    shared = np.array([share_out("random", came, np.random.default_rng(seed)) for seed in range(4000)])
    shares = np.array([[(shared[:, turn] == place).mean() for place in range(4)] for turn in range(4)])
    expected = [[1 / 3, 1 / 3, 1 / 3, 0], [1 / 3, 1 / 3, 1 / 3, 0], [1 / 6, 1 / 6, 1 / 6, 1 / 2], [1 / 6, 1 / 6, 1 / 6, 1 / 2]]
    assert np.abs(shares - expected).max() < 0.04


def test_first_and_last_come():
    came = np.array([2, 4, 4, 4])
    assert share_out("fifo", came, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]
    assert share_out("newest", came, np.random.default_rng(0)).tolist() == [1, 3, 2, 0]


def test_of_two_locks_each_shares_out_its_own_rows():
    came = np.array([2, 2, 4, 4])
    for arbitration in ("fifo", "newest", "random"):
        taken = share_out(arbitration, came, np.random.default_rng(3))
        assert sorted(taken[:2].tolist()) == [0, 1]
        assert sorted(taken[2:].tolist()) == [2, 3]
