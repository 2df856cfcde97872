"""Saves the moment of the reduction on show, as a document or a picture, and a film."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QProgressDialog,
    QWidget,
)

from lnexplorer.gui.charts.picture import chart_picture, packed
from lnexplorer.gui.kit import GRID, Label, lay_column, lay_row, translate_message, with_text
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.session.files import ask_where_to_save
from lnexplorer.gui.timeline.film import (
    WRITERS,
    FilmError,
    FilmRequest,
    Still,
    make_film,
    missing_for,
    with_large_text,
)
from lnexplorer.gui.timeline.frame import Scene

LEAST_DOCUMENT = QSize(480, 320)  # nothing can be read in a smaller one
SLIDE = QSize(1280, 720)  # px


def moment_svg(pane: ReductionPane) -> bytes | None:
    """Return the moment on show as an SVG document with a line of provenance; None if there is no
    timeline.
    """
    if pane.shown is None:
        return None
    size = pane.canvas.size().expandedTo(LEAST_DOCUMENT)
    return chart_picture(pane.canvas, size, pane.lines_below(), "svg")


def moment_png(pane: ReductionPane) -> bytes:
    """Return the moment on show as a picture for half a slide, with large text."""
    scene = with_large_text(pane.canvas.scene, SLIDE.height())
    return packed(Still(scene, SLIDE, pane.provenance()).image(pane.player.time_ns))


_SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (960, 540))
_FPS = 25
_NS_PER_US = 1000.0


class FilmDialog(QDialog):
    """Choices of size, the stretch of time, and how long it takes to watch."""

    def __init__(self, scene: Scene, provenance: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._scene = scene
        self._provenance = provenance
        self._missing = {suffix: missing_for(suffix) for suffix in WRITERS}
        self.size_choice = QComboBox(self)
        for width, height in _SIZES:
            self.size_choice.addItem(f"{width} × {height}", (width, height))
        self.large = QCheckBox(self.tr("Large text, for half a slide"), self)
        end = scene.timeline.end_ns / _NS_PER_US
        # The stretch that the lanes show.
        self.begin = self._box(3, " µs", (0.0, end), scene.begin_ns / _NS_PER_US)
        self.end = self._box(3, " µs", (0.0, end), scene.end_ns / _NS_PER_US)
        self.seconds = self._box(1, " s", (0.5, 600.0), 8.0)
        self.begin.valueChanged.connect(self._keep_order)
        self._keep_order(self.begin.value())
        reasons = map(translate_message, self._missing.values())
        self.message = Label(
            "\n".join(filter(None, reasons)),
            self,
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
        )
        buttons = QDialogButtonBox(self)
        self.make = buttons.addButton(
            self.tr("Make film …"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.make.setEnabled(None in self._missing.values())
        self.make.clicked.connect(self._ask_for_file)
        buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        self.setWindowTitle(self.tr("Film of the reduction"))
        form = QFormLayout()
        form.addRow(self.tr("Size"), self.size_choice)
        form.addRow("", self.large)
        stretch = lay_row(None, (self.begin, 1), Label("–", self), (self.end, 1))
        form.addRow(self.tr("From – to"), stretch)
        form.addRow(self.tr("Lasts"), self.seconds)
        lay_column(self, form, self.message, buttons, margins=None, spacing=GRID)
        self.setMinimumWidth(with_text(60 * GRID))

    def _box(
        self, decimals: int, suffix: str, ends: tuple[float, float], value: float
    ) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setDecimals(decimals)
        box.setSuffix(suffix)
        box.setRange(*ends)
        box.setValue(value)
        return box

    def _keep_order(self, begin: float) -> None:
        self.end.setMinimum(begin + 0.001)

    def _ask_for_file(self) -> None:
        suffixes = [suffix for suffix, missing in self._missing.items() if missing is None]
        path = ask_where_to_save(self, self.windowTitle(), "reduction", *suffixes)
        if path is not None:
            self.make_film(path)

    def make_film(self, path: Path) -> None:
        """Make the film, and say where it is or why there is none."""
        width, height = self.size_choice.currentData()
        request = FilmRequest(
            path=path,
            width=width,
            height=height,
            fps=_FPS,
            begin_ns=self.begin.value() * _NS_PER_US,
            end_ns=self.end.value() * _NS_PER_US,
            seconds=self.seconds.value(),
            large=self.large.isChecked(),
        )
        count = len(request.times())
        progress = QProgressDialog(self.windowTitle(), self.tr("Stop"), 0, count, self)
        progress.setWindowModality(Qt.WindowModality.WindowModal)
        progress.setMinimumDuration(0)

        def go_on(painted: int) -> bool:
            progress.setValue(painted)  # processes other events
            return not progress.wasCanceled()

        try:
            make_film(self._scene, request, self._provenance, go_on)
            text = self.tr("Saved in {0}; frames: {1}, {2} a second.")
            text = text.format(path, count, _FPS)
        except FilmError as error:
            text = translate_message(error.sentence)
        except OSError as error:
            text = self.tr("{0} cannot be written ({1}).").format(path, error.strerror or error)
        progress.reset()
        progress.deleteLater()
        self.message.setText(text)


def open_film(pane: ReductionPane) -> FilmDialog | None:
    """Open the dialog for a film of the stretch on show; None if there is no timeline."""
    if pane.shown is None:
        return None
    pane.player.set_playing(False)
    dialog = FilmDialog(pane.canvas.scene, pane.provenance(), pane)
    dialog.open()
    return dialog
