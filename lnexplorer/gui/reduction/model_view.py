"""Two pictures side by side, under a line each that says what they are: the trace's and the model's."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lnexplorer.domain.provenance import Kind
from lnexplorer.gui.reduction.canvas import Canvas
from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.reduction.preparation import Prepared
from lnexplorer.gui.shell.theme import GRID


class TitledCanvas(QWidget):
    """A canvas, and a line above it once there is something to tell it from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(self)
        self.title.setProperty("look", "strong")
        self.title.setContentsMargins(2 * GRID, 0, 0, 0)
        self.title.hide()
        self.canvas = Canvas(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.canvas, 1)
        self._trace: tuple[Kind, int] | None = None

    def show_title(self, kind: Kind, group_size_m: int) -> None:
        """Say whose picture this is, beside another one."""
        self._trace = (kind, group_size_m)
        self._write()
        self.title.show()

    def hide_title(self) -> None:
        """The picture is alone."""
        self._trace = None
        self.title.hide()

    def retranslate(self) -> None:
        """Write all texts again."""
        self._write()
        self.canvas.retranslate()

    def _write(self) -> None:
        if self._trace is None:
            return
        kind, group_size_m = self._trace
        match kind:
            case Kind.SIMULATED:
                text = QCoreApplication.translate("reduction", "Simulated by the fitted model, GROUP_SIZE_M {0}")
            case Kind.RECORDED:
                text = QCoreApplication.translate("reduction", "Recorded, GROUP_SIZE_M {0}")
            case _:
                text = QCoreApplication.translate("reduction", "Measured, GROUP_SIZE_M {0}")
        self.title.setText(text.format(group_size_m))
        self.title.setToolTip(self.title.text())


class ModelView(TitledCanvas):
    """The model's picture."""

    def show_model(self, model: Prepared, least_ns: float) -> None:
        """Show a simulated timeline, on a time axis no shorter than the trace's."""
        self.canvas.show_timeline(model.timeline, model.index, least_ns)
        self.show_title(Kind.SIMULATED, model.timeline.group_size_m)
