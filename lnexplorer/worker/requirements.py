"""Import the libraries that a device needs, or say why a worker has none."""

import importlib
from importlib.metadata import version

from lnkernels.values import ExplainedError


class UnusableDeviceError(ExplainedError):
    """The wished device cannot be used."""


def import_or_refuse(name: str, told: str = "") -> None:
    """Import a library that a device needs.

    Args:
        name: of the module.
        told: what a message calls it; its name if empty.

    Raises:
        UnusableDeviceError: it cannot be imported.
    """
    try:
        importlib.import_module(name)
    except Exception as error:
        raise UnusableDeviceError(
            "{name} cannot be imported: {error}.", name=told or name, error=first_line(error)
        ) from error


def import_triton() -> None:
    """Import Triton, and what is taken from inside it, which a version yet to come may lack.

    Raises:
        UnusableDeviceError: one of them cannot be imported.
    """
    import_or_refuse("triton")
    import_or_refuse("lnkernels.interpreter", f"triton {version('triton')} as lnkernels uses it")


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")
