"""Import the libraries that a device needs, or say why a worker has none."""

import importlib

from lnkernels.values.sentence import ExplainedError, say


class UnusableDeviceError(ExplainedError):
    """The wished device cannot be used."""


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
