"""PyTorch's norms as torch.compile has Inductor write them, for those who look at its kernels."""

import torch
from torch import Tensor


@torch.compile(dynamic=False)
def layer_norm(
    x: Tensor, normalized_shape: list[int], weight: Tensor, bias: Tensor, eps: float
) -> Tensor:
    return torch.nn.functional.layer_norm(x, normalized_shape, weight, bias, eps)


@torch.compile(dynamic=False)
def rms_norm(x: Tensor, normalized_shape: list[int], weight: Tensor, eps: float) -> Tensor:
    return torch.nn.functional.rms_norm(x, normalized_shape, weight, eps)
