"""The layout of the main window: where it is, what it shows, and how its room is shared."""

import json
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings

if TYPE_CHECKING:
    from lnexplorer.gui.window.main_window import MainWindow

FIRST_SIZE = (1440, 900)  # px, where the screen is large enough


def layout_text(window: "MainWindow") -> str:
    """Return the layout, for a file."""
    folds = {name: view.fold_wished for name, view in window.views.items()}
    return json.dumps(
        {
            "workspace": window.workspace,
            "sizes": {name: view.sizes() for name, view in window.views.items()},
            "folded": {name: folded for name, folded in folds.items() if folded is not None},
        }
    )


def restore_layout(window: "MainWindow", text: str) -> None:
    """Apply the layout of `layout_text`; any other text changes nothing."""
    try:
        kept = json.loads(text)
        for name, sizes in kept["sizes"].items():
            if name in window.views:
                window.views[name].set_sizes(sizes)
        for name, folded in kept.get("folded", {}).items():
            if name in window.views and isinstance(folded, bool):
                window.views[name].fold(wished=folded)
        if kept["workspace"] in window.views:
            window.show_workspace(kept["workspace"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def place_window(window: "MainWindow", kept: QSettings, size: tuple[int, int] | None) -> None:
    """Put the window where it was left; `size` overrules that."""
    geometry = kept.value("geometry")
    if size is not None:
        window.resize(*size)
    elif geometry is None or not window.restoreGeometry(geometry):
        available = window.screen().availableGeometry().size()
        window.resize(min(FIRST_SIZE[0], available.width()), min(FIRST_SIZE[1], available.height()))
    restore_layout(window, str(kept.value("layout") or ""))


def keep_place(window: "MainWindow", kept: QSettings) -> None:
    """Keep place and layout for the next start."""
    for view in window.views.values():
        view.close_windows()
    kept.setValue("geometry", window.saveGeometry())
    kept.setValue("layout", layout_text(window))
