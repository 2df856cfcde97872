"""The strategies without locks, as providers for the check and the stopwatch."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from lnkernels.launch import CATALOGUE, LaunchOverrides, resolve_launch
from lnkernels.providers.protocol import Case

if TYPE_CHECKING:
    from lnkernels.strategies.registry import Plan


class Planned:
    """One of `lnkernels.strategies.STRATEGIES`, with the settings of `case.launch` where that is of this strategy.

    Beside another strategy it is launched with its own automatic settings, and `auto` always is.
    """

    def __init__(self, strategy: str) -> None:
        self.name = strategy
        self.label = strategy

    def unavailable(self) -> str | None:
        """Always there."""
        return None

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The forward kernel into memory allocated once."""
        chosen = self._plan(case)
        y, mean, rstd = _outputs(case)

        def call() -> Tensor:
            chosen.run_forward(case.x, case.weight, case.bias, case.eps, y=y, mean=mean, rstd=rstd)
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """Everything that a backward pass launches, into memory allocated once, on statistics computed once."""
        chosen = self._plan(case)
        y, mean, rstd = _outputs(case)
        chosen.run_forward(case.x, case.weight, case.bias, case.eps, y=y, mean=mean, rstd=rstd)
        dx, dw, db = torch.empty_like(case.x), torch.empty_like(case.weight), torch.empty_like(case.bias)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            chosen.run_backward(case.x, case.dy, case.weight, mean, rstd, dx=dx, dw=dw, db=db)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """The public function with this strategy."""
        from lnkernels.layer_norm import layer_norm

        settings = self._settings(case)

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            return layer_norm(x, case.shape[1:], weight, bias, case.eps, strategy=self.name, **settings)

        return call

    def _plan(self, case: Case) -> "Plan":
        from lnkernels.strategies.registry import plan

        m, n = case.shape
        return plan(self.name, n, case.dtype, case.x.device, LaunchOverrides(**self._settings(case)), m=m)

    def _settings(self, case: Case) -> dict[str, Any]:
        """What of the case's launch is this strategy's; nothing where that is what it chooses itself.

        Given settings cost `layer_norm` time on the host, which somebody who gives none does not spend.
        """
        from lnkernels.device import device_limits, host_limits

        limits = device_limits(case.x.device) if case.x.is_cuda else host_limits()
        m, n = case.shape
        automatic = resolve_launch(n, case.dtype, LaunchOverrides(strategy=self.name), limits, m=m)
        if case.launch.strategy != self.name or case.launch == automatic:
            return {}
        return {name: getattr(case.launch, name) for name in sorted(CATALOGUE[self.name].settings)}


class Persistent(Planned):
    """Strategy `persistent`."""

    def __init__(self) -> None:
        super().__init__("persistent")


class Split(Planned):
    """Strategy `split`."""

    def __init__(self) -> None:
        super().__init__("split")


class Atomic(Planned):
    """Strategy `atomic`."""

    def __init__(self) -> None:
        super().__init__("atomic")


class Automatic(Planned):
    """Strategy `auto`."""

    def __init__(self) -> None:
        super().__init__("auto")


def _outputs(case: Case) -> tuple[Tensor, Tensor, Tensor]:
    statistics = torch.empty((2, case.shape[0]), dtype=torch.float32, device=case.x.device)
    return torch.empty_like(case.x), statistics[0], statistics[1]
