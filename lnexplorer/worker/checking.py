"""Checks of results, in the domain's values."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import torch

from lnexplorer.domain.result import (
    TENSORS,
    ColumnError,
    Correctness,
    ErrorHistogram,
    ErrorMap,
    ErrorStats,
    PartialRows,
    TensorCheck,
)
from lnkernels.accuracy import Accuracy
from lnkernels.accuracy import TensorCheck as KernelCheck
from lnkernels.error_maps import Histogram
from lnkernels.results import KernelResults


def worse(one: Accuracy, other: Accuracy) -> Accuracy:
    """Of two checks of the same problem, for each tensor the one in which it came out worse."""
    sides = {name: one if _badness(one.checks[name]) >= _badness(other.checks[name]) else other for name in one.checks}
    return Accuracy(
        checks={name: side.checks[name] for name, side in sides.items()},
        error_maps={name: sides[name].error_maps[name] for name in one.error_maps},
        column_errors={name: sides[name].column_errors[name] for name in one.column_errors},
        histograms={name: side.histograms[name] for name, side in sides.items()},
    )


def correctness(kernel: Accuracy, torch_itself: Accuracy, partial: PartialRows | None, shape: tuple[int, int]) -> Correctness:
    """The domain's view of the checks.

    Args:
        kernel: of the kernels' results.
        torch_itself: of PyTorch's results, for their columns and histograms.
        partial: what each row adds, for small shapes.
        shape: M and N.
    """
    names = [name for name in TENSORS if name in kernel.checks]
    return Correctness(
        checks=tuple(_check(kernel.checks[name]) for name in names),
        maps=tuple(_map(name, values, shape) for name, values in kernel.error_maps.items()),
        columns=tuple(
            ColumnError(name=name, kernel=_array(errors), torch=_array(torch_itself.column_errors[name]))
            for name, errors in kernel.column_errors.items()
        ),
        histograms=_histograms(names, kernel.histograms, torch_itself.histograms),
        partial_rows=partial,
    )


def shown_rows(partial: tuple[torch.Tensor, torch.Tensor] | None, results: KernelResults) -> PartialRows | None:
    """The rows' shares beside what the run summed them to."""
    if partial is None or results.dw is None or results.db is None:
        return None
    dw, db = partial
    return PartialRows(dw=_array(dw), db=_array(db), dw_total=_array(results.dw), db_total=_array(results.db))


def _badness(check: KernelCheck) -> tuple[int, float, float]:
    return check.failed, check.worst_ratio, check.kernel_vs_truth.max_abs


def _check(check: KernelCheck) -> TensorCheck:
    return TensorCheck(
        name=check.name,
        kernel_vs_truth=ErrorStats(**asdict(check.kernel_vs_truth)),
        torch_vs_truth=ErrorStats(**asdict(check.torch_vs_truth)),
        kernel_vs_torch=ErrorStats(**asdict(check.kernel_vs_torch)),
        tolerance=check.tolerance,
        passed=check.passed,
        tutorial_passed=check.tutorial_passed,
    )


def _map(name: str, values: torch.Tensor, shape: tuple[int, int]) -> ErrorMap:
    return ErrorMap(name=name, row_start=0, rows=shape[0], column_start=0, columns=shape[1], values=_array(values))


def _histograms(
    names: list[str], kernel: Mapping[str, Histogram], torch_itself: Mapping[str, Histogram]
) -> tuple[ErrorHistogram, ...]:
    return tuple(
        ErrorHistogram(
            name=name,
            log10_edges=np.array(kernel[name].log10_edges, np.float32),
            kernel=np.array(kernel[name].counts, np.int64),
            torch=np.array(torch_itself[name].counts, np.int64),
            kernel_zeros=kernel[name].zeros,
            torch_zeros=torch_itself[name].zeros,
        )
        for name in names
    )


def _array(values: torch.Tensor) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    array: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = values.detach().float().cpu().numpy()
    return array
