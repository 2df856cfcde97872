"""The system libraries that Qt loads, a font, and the Debian packages that bring them.

Qt aborts the process when one is missing, and charts without a font end it with a segmentation
fault, so they are looked for before Qt is.
"""

import ctypes
import sys
from collections.abc import Mapping

FONT = "a font"
BASE = {
    FONT: "fonts-dejavu-core",
    "libX11.so.6": "libx11-6",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
# Some come with the packages of others, as long as Mesa is what draws.
X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
PLATFORMS = {"xcb": X11, "wayland": WAYLAND}


class _FontSet(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int),)


def has_font() -> bool:
    """Return whether fontconfig knows any font; True where fontconfig itself is missing."""
    try:
        find = ctypes.CDLL("libfontconfig.so.1").FcConfigGetFonts
    except OSError:
        return True
    find.restype = ctypes.POINTER(_FontSet)
    find.argtypes = (ctypes.c_void_p, ctypes.c_int)
    fonts = find(None, 0)  # of the system, in the current configuration
    return bool(fonts) and fonts.contents.count > 0


def lacking(soname: str) -> str | None:
    """Return the library that is missing where one cannot be loaded: itself, or one that it needs.

    None where it can be loaded. The font is treated as a library.
    """
    if soname == FONT:
        return None if has_font() else FONT
    try:
        ctypes.CDLL(soname)
    except OSError as error:
        name = str(error).partition(":")[0]  # as the dynamic linker says it
        return name if ".so" in name and "/" not in name else soname
    return None


def platforms(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the platforms that Qt tries, first choice first; "offscreen" without a display."""
    chosen = environment.get("QT_QPA_PLATFORM", "")
    if chosen:
        return tuple(name.split(":")[0] for name in chosen.split(";"))
    names = []
    if environment.get("WAYLAND_DISPLAY"):
        names.append("wayland")
    if environment.get("DISPLAY"):
        names.append("xcb")
    return tuple(names) or ("offscreen",)


def missing_libraries(wanted: tuple[str, ...]) -> dict[str, str]:
    """Return libraries that must be installed before Qt can start, with their packages.

    Args:
        wanted: the platforms that Qt tries in turn. One that is complete is enough.
    """
    if sys.platform != "linux":  # Qt's own package brings them
        return {}
    packages = BASE | X11 | WAYLAND
    base, *choices = (
        {
            lacks: packages.get(lacks, package)
            for soname, package in needed.items()
            if (lacks := lacking(soname))
        }
        for needed in (BASE, *(PLATFORMS.get(platform, {}) for platform in wanted))
    )
    return base | min(choices, key=len, default={})


def missing_sentence(missing: Mapping[str, str]) -> str:
    packages = " ".join(dict.fromkeys(missing.values()))
    verb = "is" if len(missing) == 1 else "are"
    return (
        f"Qt cannot start: {', '.join(missing)} {verb} missing. Install with: sudo apt-get install"
        f" {packages}"
    )
