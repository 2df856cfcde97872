"""Errors for display keep a single bad element visible."""

import torch

from lnkernels.errors import PooledMap, RunningHistogram, RunningStats, abs_error, histogram_edges, unit_in_last_place


def pooled_abs_error(result: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    pooled = PooledMap(*result.shape)
    pooled.add(slice(0, len(result)), result, truth)
    return pooled.values


def test_one_bad_element_among_millions_is_in_the_map() -> None:
    truth = torch.zeros(1500, 3000, dtype=torch.float64)
    result = truth.float()
    result[1499, 2999] = 0.5
    pooled = pooled_abs_error(result, truth)
    assert pooled.shape == (500, 1000)
    assert pooled.max() == 0.5
    assert pooled[499, 999] == 0.5
    assert pooled.count_nonzero() == 1


def test_a_map_of_a_small_matrix_is_the_matrix() -> None:
    truth = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)
    assert pooled_abs_error(torch.tensor([[1.0, 2.5, 3.0]]), truth).tolist() == [[0.0, 0.5, 0.0]]


def test_what_is_not_finite_is_no_error_where_the_truth_is_so_too() -> None:
    truth = torch.tensor([torch.nan, torch.inf, -torch.inf, 1.0, torch.inf, 70000.0], dtype=torch.float64)
    result = torch.tensor([torch.nan, torch.inf, torch.inf, torch.nan, 1.0, torch.inf], dtype=torch.float16)
    assert abs_error(result, truth).tolist() == [0.0, 0.0, torch.inf, torch.inf, torch.inf, 0.0]


def test_the_histogram_counts_every_error_once() -> None:
    counted, errors = RunningHistogram(), torch.tensor([0.0, 0.0, 1e-30, 1.1e-3, 1.2e-3, 1e9, torch.inf], dtype=torch.float64)
    counted.add(errors)
    assert counted.zeros == 2
    assert counted.counts[0] == counted.counts[-1] == 1
    assert counted.counts[histogram_edges().tolist().index(-3.0)] == 2
    assert counted.counts.sum() == 4
    counted.add(errors)
    assert counted.counts.sum() == 8


def test_a_unit_in_the_last_place_is_the_distance_to_the_next_number() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        values = torch.tensor([1.0, 1.5, 2.0, 1000.0, 0.1, 0.0], dtype=dtype)
        inner = torch.nextafter(values[:-1].float(), torch.tensor(torch.inf)) if dtype == torch.float32 else None
        steps = unit_in_last_place(values.double(), dtype)
        assert steps[0] == torch.finfo(dtype).eps
        assert steps[2] == 2 * torch.finfo(dtype).eps
        assert steps[-1] == torch.finfo(dtype).tiny * torch.finfo(dtype).eps
        if inner is not None:
            assert torch.equal(steps[:-1], inner.double() - values[:-1].double())


def test_the_stats_of_two_results() -> None:
    running, truth = RunningStats(), torch.tensor([1.0, 2.0, 3.0, torch.inf], dtype=torch.float64)
    running.add(torch.tensor([1.0, 2.002, torch.nan, 4.0], dtype=torch.float16), truth, torch.float16)
    stats = running.result()
    assert stats.misplaced == 2
    assert stats.max_ulp == 1.0
    assert stats.max_abs == 2.0**-9
    assert stats.mean_abs == 2.0**-10
    assert stats.max_rel == 2.0**-10
