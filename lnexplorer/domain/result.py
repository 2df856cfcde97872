"""The result of a run. Arrays are numpy; none is modified after it is made."""

from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.measuring import MeasuredCandidate, Status
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.values import Sentence, frozen_by_name, join_sentences
from lnkernels.values.accuracy import Correctness, TensorCheck
from lnkernels.values.compiled import KernelFacts, LaunchedKernels
from lnkernels.values.counters import KernelCounters
from lnkernels.values.environment import Provenance
from lnkernels.values.figures import Throughput

SCHEMA_VERSION = 1
# 0.25 MB for both maps. In a run's own resolution, 512 × 1024, they take 4 MB and are nearly all of
# the file.
KEPT_ROWS, KEPT_COLUMNS = 128, 256


@frozen_by_name
class RunResult:
    """A whole run. Throughput is None on the interpreter, whose times mean nothing."""

    request: RunRequest
    resolved: ResolvedRequest
    provenance: Provenance
    correctness: Correctness
    compiled: tuple[KernelFacts, ...]
    throughput: Throughput | None
    notes: tuple[Sentence, ...] = ()
    providers: tuple[str, ...] = DEFAULT_PEERS  # to be timed beside the strategy
    # Those that the user named and that are wrong, failed or are not here.
    wrong_providers: tuple[str, ...] = ()
    inexact: tuple[str, ...] = ()  # providers that are timed though beyond the tolerance
    counters: tuple[KernelCounters, ...] = ()  # of each kernel, if the hardware was asked to count
    # Of kernels of one's own, by name; of none that gave nothing to be held against the truth.
    own_checks: dict[str, tuple[TensorCheck, ...]] = field(default_factory=dict, hash=False)
    launched: dict[str, LaunchedKernels] = field(
        default_factory=dict, hash=False
    )  # by those not wrong
    schema_version: int = SCHEMA_VERSION

    @property
    def failed(self) -> tuple[str, ...]:
        """The results beyond their tolerance, and the providers that were named and are wrong."""
        beyond = (check.name for check in self.correctness.checks if not check.passed)
        return (*beyond, *self.wrong_providers)

    def candidate(self, provider: str) -> MeasuredCandidate:
        """Return the verdict on a provider that took part, and its speeds.

        The reason is of the provider as a whole; a pass without a time is in the throughput.
        """
        times = self.throughput or Throughput()
        refusals = [no for no in times.refusals if no.provider == provider]
        reasons = [no.reason for no in refusals if no.mode is None]
        notes: list[dict[str, Any]] = [dict(note.values) for note in self.notes]
        told = [each for each in notes if each.get("provider") == provider]
        reasons += [each["reason"] for each in told if "reason" in each]
        kinds = {no.kind for no in refusals} | {each.get("kind") for each in told}
        remarks = reasons[:1] or [each["remark"] for each in told if "remark" in each]
        status: Status = "ok" if not reasons else "incorrect" if "incorrect" in kinds else "failed"
        return MeasuredCandidate(
            status=status,
            reason=join_sentences(remarks) if remarks else None,
            inexact=provider in self.inexact,
            launched=self.launched.get(provider),
            figures=tuple(figure for figure in times.figures if figure.provider == provider),
        )


def compact(result: RunResult, rows: int = KEPT_ROWS, columns: int = KEPT_COLUMNS) -> RunResult:
    """Reduce the error maps to at most rows × columns, each value the maximum of those it
    replaces.
    """
    maps = []
    for each in result.correctness.maps:
        values = _pooled(_pooled(each.values, rows).T, columns).T
        maps.append(replace(each, values=np.ascontiguousarray(values)))
    return replace(result, correctness=replace(result.correctness, maps=tuple(maps)))


def _pooled(values: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """Maxima of as many neighbouring rows as it takes to have at most `most`; a NaN stays one."""
    window = max(-(-values.shape[0] // most), 1)
    starts = np.arange(0, values.shape[0], window)
    return np.maximum.reduceat(values, starts, axis=0) if window > 1 else values
