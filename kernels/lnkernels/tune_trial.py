"""Times of candidate launch settings on one shape: every candidate is checked against PyTorch before it is timed."""

from collections.abc import Callable

import torch

from lnkernels.inputs import Inputs, make_inputs
from lnkernels.launch import DeviceLimits
from lnkernels.launch.candidates import chosen_of
from lnkernels.launch.settings_table import ForwardEntry
from lnkernels.launch.tuned import Entry
from lnkernels.strategies import Plan
from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch

EPS = 1e-5
_CLOSE = 0.02  # of the largest value: a candidate's results against PyTorch's, to tell a broken kernel from a good one
_ROUNDS, _SAMPLES = 3, 10


class Trial:
    """One shape: inputs, PyTorch's results, and calls of candidates."""

    def __init__(self, m: int, n: int, dtype: str, device: torch.device, limits: DeviceLimits) -> None:
        self._inputs: Inputs = make_inputs(m, n, getattr(torch, dtype), "normal", 0, device)
        self._limits, self._n, self._dtype = limits, n, dtype
        x, weight, bias, dy = self._inputs.x, self._inputs.weight, self._inputs.bias, self._inputs.dy
        y, mean, rstd = torch.ops.aten.native_layer_norm(x, [n], weight, bias, EPS)
        self._mean, self._rstd = mean.float().reshape(-1), rstd.float().reshape(-1)
        gradients = torch.ops.aten.native_layer_norm_backward(dy, x, [n], mean, rstd, weight, bias, [True, True, True])
        self._expected: dict[str, torch.Tensor] = dict(zip(("y", "dx", "dw", "db"), (y, *gradients), strict=True))
        self._given = {name: torch.empty_like(tensor) for name, tensor in self._expected.items()}

    def times(
        self, entries: list[Entry], tell: Callable[[str], None], enough: Callable[[], bool] = lambda: False
    ) -> dict[Entry, float]:
        """Median ms of every entry that compiles, fits the device and is right: kernels alone, cold L2, entries in turns.

        Args:
            entries: the candidates.
            tell: hears about progress, and about each candidate that is left out.
            enough: whether no further candidate is to be compiled; those before are timed all the same.
        """
        device = self._inputs.x.device
        capture, flush = Capture(device), Flush(device)
        watches: dict[Entry, KernelStopwatch] = {}
        samples: dict[Entry, list[float]] = {}
        for number, entry in enumerate(entries, start=1):
            if enough():
                left = len(entries) - number + 1
                tell(f"time is up, {left} {'candidate' if left == 1 else 'candidates'} not tried\n")
                break
            tell(f"candidate {number} of {len(entries)}")
            try:
                call, written = self._call(entry)
                for name in written:
                    self._given[name].fill_(torch.nan)
                call()
                if not all(self._is_close(name) for name in written):
                    tell(f"wrong results, left out: {entry}\n")
                    continue
                watches[entry] = KernelStopwatch(capture(lambda call=call: call), "cold", flush)  # type: ignore[misc]
                samples[entry] = []
            except (RuntimeError, ValueError) as error:
                tell(f"{(str(error).splitlines() or [type(error).__name__])[0]}, left out: {entry}\n")
        for turn in range(_ROUNDS):
            tell(f"timing, {turn + 1} of {_ROUNDS}")
            for entry, watch in watches.items():
                samples[entry] += watch(_SAMPLES)
        return {entry: sorted(times)[len(times) // 2] for entry, times in samples.items()}

    def _call(self, entry: Entry) -> tuple[Callable[[], None], tuple[str, ...]]:
        """A call that launches the entry's kernels, and the names of what it writes."""
        chosen = chosen_of(entry, self._n, self._dtype, self._limits)
        plan, given = Plan(chosen.strategy, chosen.forward, chosen.backward), self._given
        x, weight = self._inputs.x, self._inputs.weight
        if isinstance(entry, ForwardEntry):
            out = {"y": given["y"], "mean": torch.empty_like(self._mean), "rstd": torch.empty_like(self._rstd)}
            return lambda: plan.run_forward(x, weight, self._inputs.bias, EPS, **out), ("y",)
        gradients = {name: given[name] for name in ("dx", "dw", "db")}
        backward = (x, self._inputs.dy, weight, self._mean, self._rstd)
        return lambda: plan.run_backward(*backward, **gradients), tuple(gradients)

    def _is_close(self, name: str) -> bool:
        error = (self._given[name].float() - self._expected[name].float()).abs().max()
        return bool(error <= _CLOSE * self._expected[name].float().abs().max())  # a NaN is not
