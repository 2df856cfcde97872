"""Results that are kept: coarser pictures, the same numbers."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.result import KEPT_COLUMNS, KEPT_ROWS, RunResult, compact
from lnkernels.values.accuracy import ErrorMap
from tests.sample_results import make_result


def with_map(values: np.ndarray) -> RunResult:
    result = make_result()
    error_map = ErrorMap(
        name="y",
        row_start=0,
        rows=values.shape[0],
        column_start=0,
        columns=values.shape[1],
        values=values.astype(np.float32),
    )
    return replace(result, correctness=replace(result.correctness, maps=(error_map,)))


@pytest.mark.parametrize("shape", [(511, 1023), (1, 1), (7, 5000)])
def test_one_bad_element_stays_visible(shape: tuple[int, int]) -> None:
    values = np.zeros(shape)
    values[shape[0] - 1, shape[1] // 2] = 7.0
    (kept,) = compact(with_map(values)).correctness.maps
    assert kept.values.max() == 7.0
    assert np.count_nonzero(kept.values) == 1
    assert kept.values.shape[0] <= KEPT_ROWS
    assert kept.values.shape[1] <= KEPT_COLUMNS
    assert (kept.rows, kept.columns) == shape


def test_not_a_number_is_not_smoothed_away() -> None:
    values = np.ones((512, 512))
    values[3, 3] = np.nan
    (kept,) = compact(with_map(values)).correctness.maps
    assert np.isnan(kept.values).sum() == 1
