"""Open the device of a worker, before torch is imported."""

import importlib
from typing import TYPE_CHECKING

from lnkernels.values.environment import Device
from lnkernels.values.sentence import ExplainedError, say

if TYPE_CHECKING:
    import torch


class UnusableDeviceError(ExplainedError):
    """The wished device cannot be used."""


def open_device(wish: str) -> "tuple[torch.device, Device]":
    """Open the device for a wish. Import neither torch nor triton before this.

    Args:
        wish: "auto" for the first usable GPU and else the interpreter, "cuda:N", "interpreter", or
            "interpreter:sm_80" for one that shows what the compiler makes of the kernels for that
            architecture.

    Raises:
        UnusableDeviceError: the wished GPU is not there or cannot be used, the architecture is not
            known, or torch or triton cannot be imported.
    """
    import_or_refuse("torch")
    from lnexplorer.worker import torch_device  # torch takes seconds, and may not be importable

    return torch_device.choose(wish)


def import_or_refuse(name: str) -> None:
    """Import a library that a device needs.

    Raises:
        UnusableDeviceError: it cannot be imported.
    """
    try:
        importlib.import_module(name)
    except Exception as error:
        raise UnusableDeviceError(
            say("{name} cannot be imported: {error}.", name=name, error=first_line(error))
        ) from error


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")
