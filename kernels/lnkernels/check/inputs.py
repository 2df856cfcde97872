"""Data to run the kernels on, by name: the tutorial's, and hard cases for a LayerNorm."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from lnkernels.launch.limits import split_norm, with_residual


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Inputs of a forward and a backward pass."""

    x: Tensor  # [M, N]
    weight: Tensor | None  # [N]
    bias: Tensor | None  # [N]
    dy: Tensor  # [M, N]
    norm: str = "layer_norm"  # or "rms_norm", which takes no bias
    residual: Tensor | None = None  # [M, N], added to x; None without an addition
    dresidual_out: Tensor | None = None  # [M, N], the gradient of x + residual

    @property
    def named_norm(self) -> str:
        """Return the name of the norm in `lnkernels.launch.NORMS`."""
        return self.norm if self.residual is None else with_residual(self.norm)

    @property
    def given(self) -> tuple[Tensor | None, ...]:
        """Return the tensors that the function of `Provider.autograd` is given."""
        residual = () if self.residual is None else (self.residual,)
        return self.x, self.weight, self.bias, *residual

    @property
    def leaves(self) -> tuple[Tensor, ...]:
        """Return those of them that are there, as tensors that require gradients."""
        return tuple(each.detach().requires_grad_() for each in self.given if each is not None)

    @property
    def given_gradients(self) -> tuple[Tensor, ...]:
        """Return the gradients of what that function returns."""
        return (self.dy,) if self.dresidual_out is None else (self.dy, self.dresidual_out)

    def mapped(
        self,
        of_rows: Callable[[Tensor], Tensor],
        of_gradients: Callable[[Tensor], Tensor] | None = None,
    ) -> "Inputs":
        """Return the same with other matrices: what `of_rows` makes of each, and `of_gradients`,
        where it is given, of the gradients.
        """
        changed: dict[str, Any] = {"x": of_rows(self.x), "dy": (of_gradients or of_rows)(self.dy)}
        if self.residual is not None and self.dresidual_out is not None:
            changed["residual"] = of_rows(self.residual)
            changed["dresidual_out"] = (of_gradients or of_rows)(self.dresidual_out)
        return replace(self, **changed)


DISTRIBUTIONS: dict[str, str] = {
    "tutorial": (
        "The tutorial's check: x = -2.3 + 0.5·randn, weight and bias uniform in 0 to 1, dy ="
        " 0.1·randn."
    ),
    "normal": "Standard normal x and dy, weight and bias uniform in 0 to 1.",
    "offset": (
        "Large mean, small spread: x = 10000 + 0.01·randn, where half precision keeps nothing of"
        " the spread."
    ),
    "constant": "Every row holds one value, so the variance is 0 and rstd is 1 / sqrt(eps).",
    "spike": "Standard normal, with one value of 10000 in every row.",
    "nan": "Standard normal, with one NaN in every fourth row.",
    "inf": "Standard normal, with one infinity in every fourth row, of both signs in turn.",
}

HUGE = 10000.0


def make_inputs(
    m: int,
    n: int,
    dtype: torch.dtype,
    distribution: str,
    seed: int,
    device: torch.device | str,
    norm: str = "layer_norm",
) -> Inputs:
    """Return inputs of one named distribution.

    Args:
        m: rows, at least 0.
        n: columns, at least 1.
        dtype: of all tensors.
        distribution: a key of DISTRIBUTIONS.
        seed: the same seed gives the same values on the same kind of device.
        device: where to make them.
        norm: of `lnkernels.launch.NORMS`. A residual is another draw of x, and the gradient of the
            sum one of dy.

    Raises:
        ValueError: the distribution is not known.
    """
    if distribution not in DISTRIBUTIONS:
        raise ValueError(
            f"distribution = {distribution!r} is not known: choose one of"
            f" {', '.join(DISTRIBUTIONS)}"
        )
    generator = torch.Generator(device).manual_seed(seed)

    def randn(rows: int) -> Tensor:
        return torch.randn((rows, n), dtype=dtype, device=device, generator=generator)

    def one_per_row() -> Tensor:
        return torch.randint(n, (m,), device=device, generator=generator)

    weight = torch.rand(n, dtype=dtype, device=device, generator=generator)
    bias = torch.rand(n, dtype=dtype, device=device, generator=generator)
    scale = 0.1 if distribution == "tutorial" else 1.0
    dy = randn(m).mul_(scale)
    x = _x(distribution, m, n, randn, one_per_row)
    plain, added = split_norm(norm)
    more = [_x(distribution, m, n, randn, one_per_row), randn(m).mul_(scale)] if added else []
    return Inputs(x, weight, bias if plain == "layer_norm" else None, dy, plain, *more)


def _x(
    distribution: str,
    m: int,
    n: int,
    randn: Callable[[int], Tensor],
    one_per_row: Callable[[], Tensor],
) -> Tensor:
    x = randn(m)
    if distribution == "tutorial":
        return x.mul_(0.5).add_(-2.3)
    if distribution == "offset":
        return x.mul_(0.01).add_(HUGE)
    if distribution == "constant":
        return x[:, :1].expand(m, n).contiguous()
    if distribution == "spike":
        return x.scatter_(1, one_per_row()[:, None], HUGE)
    if distribution in ("nan", "inf"):
        rows = torch.arange(0, m, 4, device=x.device)
        bad = x.new_full((len(rows),), float(distribution))
        bad[1::2].neg_()
        x[rows, one_per_row()[rows]] = bad
    return x
