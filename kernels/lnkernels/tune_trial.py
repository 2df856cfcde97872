"""Times of candidate launch settings on one shape: every candidate is checked by the kernels' own policy before it is
timed.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch

from lnkernels.accuracy import check_all
from lnkernels.failures import free_what_was_left, in_one_line, raise_if_lost
from lnkernels.inputs import Inputs, make_inputs
from lnkernels.launch import DeviceLimits, Launch
from lnkernels.launch.measured import ForwardEntry
from lnkernels.launch.tuned import Entry
from lnkernels.launch.tuning import launch_of
from lnkernels.results import Results, true_chunks
from lnkernels.strategies.registry import STRATEGIES
from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch
from lnkernels.tolerance import SAFETY, U32, row_depths

EPS = 1e-5
_ROUNDS, _SAMPLES = 3, 10

Call: TypeAlias = Callable[[], None]
Stopwatch: TypeAlias = Callable[[int], Sequence[float]]  # from a number of repetitions to the ms of each


class Trial:
    def __init__(self, m: int, n: int, dtype: str, device: torch.device, limits: DeviceLimits) -> None:
        self._inputs: Inputs = make_inputs(m, n, getattr(torch, dtype), "normal", 0, device)
        self._limits, self._n, self._dtype = limits, n, dtype
        x, weight, bias, dy = self._inputs.x, self._inputs.weight, self._inputs.bias, self._inputs.dy
        y, mean, rstd = torch.ops.aten.native_layer_norm(x, [n], weight, bias, EPS)
        gradients = torch.ops.aten.native_layer_norm_backward(dy, x, [n], mean, rstd, weight, bias, [True, True, True])
        self._expected: dict[str, torch.Tensor] = dict(zip(("y", "dx", "dw", "db"), (y, *gradients), strict=True))
        self._given = {name: torch.empty_like(tensor) for name, tensor in self._expected.items()}
        # Neither pass is checked with the other's help: settings of one that do not compile are no fault of the other.
        self._true_mean, self._true_rstd = _true_statistics(self._inputs)
        self._mean, self._rstd = self._true_mean.float(), self._true_rstd.float()
        self._given_mean, self._given_rstd = torch.empty_like(self._mean), torch.empty_like(self._rstd)

    def times(
        self,
        entries: list[Entry],
        tell: Callable[[str], None],
        enough: Callable[[], bool] = lambda: False,
        stopwatch: Callable[[Call], Stopwatch] | None = None,
    ) -> dict[Entry, float]:
        """Median ms of every entry that compiles, fits the device and is right: kernels alone, cold L2, entries in
        turns.

        Args:
            entries: the candidates.
            tell: hears about progress, and about each candidate that is left out.
            enough: whether no further candidate is to be compiled; those before are timed all the same.
            stopwatch: makes the stopwatch of a call; by default one of a CUDA graph.

        Raises:
            DeviceLostError: the device does not answer any more.
        """
        stopwatch = stopwatch or _graph_stopwatches(self._inputs.x.device)
        watches: dict[Entry, Stopwatch] = {}
        for number, entry in enumerate(entries, start=1):
            if enough():
                tell(f"time is up, {len(entries) - number + 1} candidates not tried\n")
                break
            tell(f"candidate {number} of {len(entries)}")
            try:
                wrong = self._wrong(entry)
                if wrong is None:
                    watches[entry] = stopwatch(self._call(entry))
                else:
                    tell(f"{wrong}, left out: {entry}\n")
            except Exception as error:  # noqa: BLE001 - of Triton, its compiler, the driver: it costs this candidate
                _leave_out(error, entry, tell)
        samples: dict[Entry, list[float]] = {entry: [] for entry in watches}
        for turn in range(_ROUNDS):
            tell(f"timing, {turn + 1} of {_ROUNDS}")
            for entry in list(samples):
                try:
                    samples[entry] += watches[entry](_SAMPLES)
                except Exception as error:  # noqa: BLE001 - as above
                    _leave_out(error, entry, tell)
                    del samples[entry]
        return {entry: sorted(times)[len(times) // 2] for entry, times in samples.items()}

    def _launch(self, entry: Entry) -> Launch:
        return launch_of(entry, self._n, self._dtype, self._limits, m=self._inputs.x.shape[0])

    def _call(self, entry: Entry) -> Call:
        launch = self._launch(entry)
        return (lambda: self._forward(launch)) if isinstance(entry, ForwardEntry) else (lambda: self._backward(launch))

    def _forward(self, launch: Launch) -> None:
        x, weight, bias = self._inputs.x, self._inputs.weight, self._inputs.bias
        written = {"y": self._given["y"], "mean": self._given_mean, "rstd": self._given_rstd}
        STRATEGIES[launch.strategy].run_forward(x, weight, bias, EPS, launch, **written)

    def _backward(self, launch: Launch) -> None:
        x, dy, weight = self._inputs.x, self._inputs.dy, self._inputs.weight
        gradients = {name: self._given[name] for name in ("dx", "dw", "db")}
        STRATEGIES[launch.strategy].run_backward(x, dy, weight, self._mean, self._rstd, launch, **gradients)

    def _wrong(self, entry: Entry) -> str | None:
        launch = self._launch(entry)
        for tensor in (*self._given.values(), self._given_mean, self._given_rstd):
            tensor.fill_(torch.nan)
        self._call(entry)()
        forward = isinstance(entry, ForwardEntry)
        results = {name: (self._given if (name == "y") == forward else self._expected)[name] for name in self._given}
        checks = check_all(self._inputs, EPS, launch, Results(**results), Results(**self._expected)).checks
        wrong = [f"{one.name} off by {one.worst_ratio:.3g} times what is allowed" for one in checks if not one.passed]
        if forward and not self._statistics_are_right(launch):
            wrong.append("mean or rstd off by more than is allowed")
        return ", ".join(wrong) or None

    def _statistics_are_right(self, launch: Launch) -> bool:
        """Whether mean and rstd are within what `lnkernels.tolerance` argues for, without what such inputs make nothing
        of.
        """
        depth, _ = row_depths(self._n, launch)
        mean_error, rstd_error = (self._given_mean - self._true_mean).abs(), (self._given_rstd - self._true_rstd).abs()
        mean_ok = mean_error <= SAFETY * U32 * (self._true_mean.abs() + (depth + 3) / self._true_rstd)
        rstd_ok = rstd_error <= SAFETY * U32 * (depth + 8) * self._true_rstd
        return bool((mean_ok & rstd_ok).all())  # a NaN is not


def _true_statistics(inputs: Inputs) -> tuple[torch.Tensor, torch.Tensor]:
    found = [(chunk.mean[:, 0], chunk.rstd[:, 0]) for chunk in true_chunks(inputs, EPS)]
    return torch.cat([mean for mean, _ in found]), torch.cat([rstd for _, rstd in found])


def _graph_stopwatches(device: torch.device) -> Callable[[Call], Stopwatch]:
    capture, flush = Capture(device), Flush(device)
    return lambda call: KernelStopwatch(capture(lambda: call), "cold", flush)


def _leave_out(error: Exception, entry: Entry, tell: Callable[[str], None]) -> None:
    raise_if_lost(error)
    tell(f"{in_one_line(error)}, left out: {entry}\n")
    free_what_was_left(error)
