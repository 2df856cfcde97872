"""The problem that candidates share: its inputs, the truth and PyTorch's results are made once, on the device, and kept."""

from dataclasses import dataclass

import torch

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.worker.device import free_memory_bytes
from lnkernels.inputs import make_inputs
from lnkernels.judgement import Judge
from lnkernels.providers.protocol import Case
from lnkernels.reference import torch_results
from lnkernels.values.environment import Device

# Of the memory that is free when a problem has been made: what its truth may take, for the candidates need some, too.
KEPT_SHARE = 16


@dataclass(frozen=True, slots=True)
class Problem:
    """Tensors that every candidate is given."""

    request: RunRequest  # with m and n written out
    case: Case  # its launch is the heuristics'
    judge: Judge  # of results against the truth, which it keeps


class Problems:
    """Makes problems, and keeps the newest."""

    def __init__(self, torch_device: torch.device, device: Device) -> None:
        self._torch_device = torch_device
        self._device = device
        self._kept: Problem | None = None

    def pinned(self, subject: RunRequest) -> RunRequest:
        """The problem alone, with m and n written out."""
        resolved = resolve(subject, self._device.backend, self._device.limits)
        values = {name: getattr(subject, name) for name in PROBLEM_NAMES}
        return RunRequest(**{**values, "m": resolved.m, "n": resolved.n, "strategy": subject.strategy})

    def forget(self) -> None:
        """Give the memory back."""
        self._kept = None

    def make(self, subject: RunRequest) -> Problem:
        """The tensors of a problem."""
        request = self.pinned(subject)
        if self._kept is None or self._kept.request != request:
            self._kept = None  # its memory is needed now
            self._kept = self._made(request)
        return self._kept

    def _made(self, request: RunRequest) -> Problem:
        m, n = request.m, request.n
        assert m is not None and n is not None, "they are written out"  # noqa: PT018
        inputs = make_inputs(m, n, getattr(torch, request.dtype), request.data, request.seed, self._torch_device)
        case = Case.of(inputs, request.eps, resolve(request, self._device.backend, self._device.limits).launch)
        theirs = torch_results(inputs, request.eps)
        keep_bytes = free_memory_bytes(self._torch_device) // KEPT_SHARE
        return Problem(request, case, Judge(inputs, request.eps, theirs, keep_bytes))
