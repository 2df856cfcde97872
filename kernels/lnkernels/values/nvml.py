"""NVML, the library through which the NVIDIA driver is asked: the `pynvml` module of the
nvidia-ml-py package. Standard library only.

Drivers differ in what they know. A question that one does not know is an unanswered question,
whatever pynvml raises for it: for an old driver it is no NVMLError.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

Answer = TypeVar("Answer")

# In NVML's words, of nvmlReturn_t: nobody who has no NVIDIA GPU is told these.
NO_DRIVER = ("NVML Shared Library Not Found", "Driver Not Loaded", "nvidia-ml-py is not installed")
MISMATCH = "Driver/library version mismatch"  # after an update, until the next start


@cache
def opened_nvml() -> tuple[ModuleType | None, str]:
    """Return NVML, or why there is none. It stays open: opening it looks at every GPU of the
    host.
    """
    try:
        import pynvml
    except ImportError:
        return None, NO_DRIVER[-1]
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        # The driver's own words: pynvml has others for some of them.
        return None, (ask(pynvml.nvmlErrorString, error.value) or str(error)).rstrip(".")
    return pynvml, ""


def ask(question: Callable[..., Answer], *arguments: Any) -> Answer | None:
    """Return the driver's answer; None where it has none."""
    try:
        return question(*arguments)
    except Exception:  # noqa: BLE001 - see above
        return None
