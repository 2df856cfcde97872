"""What was found on a machine, as plain values, and whether there is a display that answers:

Qt aborts where there is none.
"""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Display:
    """Where a window would appear."""

    platform: str | None  # "wayland", "xcb", what QT_QPA_PLATFORM names, or None where there is nothing
    name: str  # such as ":0"
    why_not: str | None  # a sentence, where no window can appear

    @property
    def usable(self) -> bool:
        """Whether a window can be opened."""
        return self.why_not is None


def find_display(environment: Mapping[str, str]) -> Display:
    """The display that Qt would use."""
    chosen = environment.get("QT_QPA_PLATFORM", "")
    if chosen:
        return Display(chosen, chosen, None)
    wayland, x11 = environment.get("WAYLAND_DISPLAY", ""), environment.get("DISPLAY", "")
    if wayland and _wayland_socket(environment, wayland):
        return Display("wayland", wayland, None)
    if x11:
        return Display("xcb", x11, None if _x11_answers(x11) else f"The display {x11} does not answer.")
    if wayland:
        return Display("wayland", wayland, f"The Wayland display {wayland} does not exist.")
    return Display(None, "", "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.")


def _wayland_socket(environment: Mapping[str, str], name: str) -> bool:
    return (Path(environment.get("XDG_RUNTIME_DIR", "/")) / name).is_socket()


def _x11_answers(name: str) -> bool:
    """Connect as Qt will, with the same library. Where that is missing, the list of missing libraries says so."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(name.encode(), None)
    answers: bool = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch:
    """What torch and triton say about themselves in a process of their own."""

    version: str | None = None  # None: not installed
    error: str | None = None  # why it cannot be imported
    cuda: str | None = None  # the CUDA version that it is built for; None for a build without CUDA
    gpus: int = 0  # how many it can use
    gpu_error: str | None = None  # why it can use none, in its own words
    triton: str | None = None
    triton_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU as its driver describes it. None is "not known"."""

    index: int
    name: str
    compute_capability: tuple[int, int] | None
    memory_bytes: int | None
    free_bytes: int | None
    drives_display: bool | None
    processes: tuple[str, ...]  # other programs on it, as "python3 (1234)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The NVIDIA driver and its GPUs."""

    version: str | None = None  # None: no driver answers
    cuda: tuple[int, int] | None = None  # the newest CUDA version that it runs
    gpus: tuple[Gpu, ...] = ()
    error: str | None = None  # why the driver does not answer
    cards: int = 0  # NVIDIA display controllers on the PCI bus, with or without a driver
    hidden_by: str | None = None  # the value of CUDA_VISIBLE_DEVICES where it is set


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that the checks look at."""

    system: str  # "Linux"
    python: tuple[int, int, int]
    packages: dict[str, str | None]  # version by name; None: not installed
    torch: Torch
    missing_libraries: dict[str, str]  # package by soname
    qt_error: str | None = None  # why Qt cannot be imported, where it is installed with all its libraries
    display: Display
    chinese_font: str | None  # the name of one
    driver: Driver
