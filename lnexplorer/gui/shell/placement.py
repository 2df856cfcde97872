"""Where the window is, how large, and how its panes are arranged: as it was left, or as suits screen and device."""

from pathlib import Path

from PySide6.QtCore import QSettings

from lnexplorer.gui.shell.main_window import MainWindow

FIRST_SIZE = (1440, 900)  # px, where the screen is large enough


def place_for_picture(window: MainWindow, size: tuple[int, int], *, gpu: bool) -> None:
    """Give the window the size of a picture, in the picture's own pixels, and the first arrangement."""
    ratio = window.devicePixelRatio()
    window.resize(round(size[0] / ratio), round(size[1] / ratio))
    window.arrange(gpu=gpu)


def place(window: MainWindow, file: Path, size: tuple[int, int] | None, *, gpu: bool) -> None:
    """Put the window where it was left; `size` overrules what the file says."""
    kept = QSettings(str(file), QSettings.Format.IniFormat)
    geometry = kept.value("geometry")
    if size is not None:
        window.resize(*size)
    elif geometry is None or not window.restoreGeometry(geometry):
        available = window.screen().availableGeometry().size()
        window.resize(min(FIRST_SIZE[0], available.width()), min(FIRST_SIZE[1], available.height()))
    follows = kept.value("follows_size")
    window.arrange(kept.value("arrangement"), follows_size=None if follows is None else follows == "true", gpu=gpu)


def keep_place(window: MainWindow, file: Path) -> None:
    """Remember where the window is, which is going: its docks as they are without a message above them, as it will start."""
    window.message.hide()
    window.docks.settle()
    kept = QSettings(str(file), QSettings.Format.IniFormat)
    kept.setValue("geometry", window.saveGeometry())
    kept.setValue("arrangement", window.docks.state())
    kept.setValue("follows_size", "true" if window.docks.follows_size else "false")
