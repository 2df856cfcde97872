"""The project's own strategies as providers, for the check and the stopwatch."""

from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch import Tensor

from lnkernels.device import device_limits
from lnkernels.launch import LAUNCHED, Launch, LaunchWish, as_wish, resolve_launch
from lnkernels.providers.peers import Autograd, Backward, Forward, after_addition
from lnkernels.providers.protocol import Case
from lnkernels.timing.rounds import least_bytes
from lnkernels.values.figures import Direction

if TYPE_CHECKING:
    from lnkernels.passes.arguments import ForwardTensors


class Own:
    """Provider of one of `lnkernels.launch.STRATEGIES`, with a launch of its own or else the
    case's, where that is of this strategy. A residual is added by PyTorch, before the kernels, and
    its gradient after them.

    Beside another strategy it is launched with its own automatic settings, and `auto` always is.
    Nothing is imported before a call is asked for: importing triton fixes whether kernels are
    interpreted.
    """

    def __init__(self, strategy: str, name: str = "", launch: Launch | None = None) -> None:
        self.name = self.label = name or strategy
        self._strategy = strategy
        self._launch = launch

    def case(self, case: Case) -> Case:
        """Return the case as it is launched."""
        return case if self._launch is None else replace(case, launch=self._launch)

    def unavailable(self) -> str | None:
        return None

    def requested_bytes(self, case: Case, direction: Direction) -> int:
        """Return the bytes that the kernels ask for, where the strategy counts them, else the least
        that the norm has to move; PyTorch's addition of a residual comes on top.
        """
        launch = self._decide(case)
        count = LAUNCHED[launch.strategy].requested_bytes
        given = direction, *case.shape, case.dtype
        requested = count(*given, launch, case.norm) or least_bytes(*given, case.norm)
        # An addition reads two matrices and writes one.
        return requested + (0 if case.residual is None else 3 * case.x.nbytes)

    def forward(self, case: Case) -> Forward:
        """Prepare a forward pass that allocates its results, as others' calls do.

        In captured graphs, whose memory is one pool, all of them then write to the same place,
        which moves the time of a small launch by up to a tenth.
        """
        launch, residual = self._decide(case), case.residual
        if residual is None:
            return lambda: _forward(case, case.x, launch).y

        def call() -> tuple[Tensor, Tensor]:
            total = case.x + residual
            return _forward(case, total, launch).y, total

        return call

    def backward(self, case: Case) -> Backward:
        """Prepare a backward pass, which allocates its results, on statistics computed once."""
        launch, total = self._decide(case), case.x
        if case.residual is not None:
            total = total + case.residual
        forward = _forward(case, total, launch)

        def call() -> tuple[Any, ...]:
            given = forward.gradients(case.dy)
            _registry().run_backward(given, launch)
            if case.dresidual_out is None or given.dx is None:
                return given.dx, given.dw, given.db
            dx = given.dx + case.dresidual_out
            return dx, given.dw, given.db, dx

        return call

    def autograd(self, case: Case) -> Autograd:
        from lnkernels import layer_norm, rms_norm

        wish, shape = self._wish(case), case.shape[1:]

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            if case.norm == "rms_norm":
                return rms_norm(x, shape, weight, case.eps, launch=wish)
            return layer_norm(x, shape, weight, bias, case.eps, launch=wish)

        return call if case.residual is None else after_addition(call)

    def _decide(self, case: Case) -> Launch:
        """Return the launch for a case.

        Raises:
            ValueError: the strategy cannot take rows so wide.
        """
        m, n = case.shape
        wish = self._wish(case)
        wish = LaunchWish(strategy=wish) if isinstance(wish, str) else wish
        launch: Launch = _registry().decide_launch(wish, n, case.dtype, case.x.device, m)
        return launch

    def _wish(self, case: Case) -> LaunchWish | str:
        """Return the case's launch as a wish if it is of this strategy, else the strategy's name,
        also where its own choice is the same.

        A wish costs `layer_norm` time on the host, which somebody who names a strategy does not
        spend.
        """
        m, n = case.shape
        launch, name = self.case(case).launch, self._strategy
        automatic = resolve_launch(
            n, case.dtype, LaunchWish(strategy=name), device_limits(case.x.device), m=m
        )
        return name if launch.strategy != name or launch == automatic else as_wish(launch)


def _forward(case: Case, x: Tensor, launch: Launch) -> "ForwardTensors":
    from lnkernels.passes.arguments import ForwardTensors  # as of `_registry`

    given = ForwardTensors.allocate(x, case.weight, case.bias, case.eps, case.norm)
    _registry().run_forward(given, launch)
    return given


def _registry() -> ModuleType:
    from lnkernels.passes import registry  # brings triton, for which the device has to be known

    return registry
