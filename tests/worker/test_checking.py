from dataclasses import replace

import numpy as np
import pytest
import torch

from lnexplorer.domain.parameters import DATA_CHOICES
from lnexplorer.worker.checking import correctness, shown_rows, worse
from lnkernels.accuracy import Accuracy, check_all
from lnkernels.inputs import DISTRIBUTIONS, Inputs, make_inputs
from lnkernels.launch import LaunchOverrides, resolve_launch
from lnkernels.reference import torch_results
from lnkernels.results import KernelResults, Results, kernel_results
from lnkernels.row_partials import per_row_partials

M, N, EPS = 6, 16, 1e-5
LAUNCH = resolve_launch(N, "float32", LaunchOverrides(group_size_m=2))


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return make_inputs(M, N, torch.float32, "normal", 0, "cpu")


@pytest.fixture(scope="module")
def results(inputs: Inputs) -> KernelResults:
    return kernel_results(inputs, EPS, LAUNCH)


def check(inputs: Inputs, results: Results) -> Accuracy:
    return check_all(inputs, EPS, LAUNCH, results, torch_results(inputs, EPS))


def test_the_request_s_data_are_the_kernels_distributions() -> None:
    assert tuple(DISTRIBUTIONS) == DATA_CHOICES


def test_a_run_s_checks_come_in_the_order_of_the_tensors(inputs: Inputs, results: KernelResults) -> None:
    accuracy = check(inputs, results)
    seen = correctness(accuracy, accuracy, None, (M, N))
    assert [each.name for each in seen.checks] == ["y", "dx", "dw", "db"]
    assert seen.passed
    assert [each.name for each in seen.maps] == ["y", "dx"]
    assert seen.maps[0].values.shape == (M, N)
    assert [each.name for each in seen.columns] == ["dw", "db"]
    assert seen.columns[0].kernel.shape == (N,)
    assert all(
        each.kernel.sum() + each.kernel_zeros == size for each, size in zip(seen.histograms, (M * N, M * N, N, N), strict=True)
    )


def test_of_several_repeats_each_tensor_s_worst_counts(inputs: Inputs, results: KernelResults) -> None:
    assert results.dw is not None
    good = check(inputs, results)
    bad_dw = check(inputs, replace(results, dw=results.dw + 1))
    bad_dx = check(inputs, replace(results, dx=results.dx + 1))
    worst = worse(worse(bad_dw, good), bad_dx)
    assert [name for name, each in worst.checks.items() if not each.passed] == ["dx", "dw"]
    assert float(worst.column_errors["dw"].min()) > 0.9
    assert float(worst.column_errors["db"].max()) < 0.1


def test_the_rows_shown_add_up_to_what_the_run_gave(inputs: Inputs, results: KernelResults) -> None:
    partial = per_row_partials(inputs.x, inputs.dy, results.mean, results.rstd, inputs.weight, LAUNCH)
    shown = shown_rows(partial, results)
    assert shown is not None
    assert shown.dw.shape == shown.db.shape == (M, N)
    np.testing.assert_allclose(shown.dw.sum(0), shown.dw_total, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(shown.db.sum(0), shown.db_total, rtol=1e-5, atol=1e-5)
