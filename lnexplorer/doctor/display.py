"""Whether there is a display that answers. Qt aborts the process where there is none."""

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
