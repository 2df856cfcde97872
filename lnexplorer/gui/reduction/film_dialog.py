"""Asks what a film shows, and makes it."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressDialog,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import Label
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.reduction.film import RATES, FilmError, FilmRequest, lacks, make_film, writer_for
from lnexplorer.gui.reduction.painter.frame import Scene

_SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (960, 540))
_NS_PER_US = 1000.0


class FilmDialog(QDialog):
    """Size, frames a second, the stretch of time, how long it takes to watch, and the file."""

    def __init__(self, scene: Scene, provenance: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._scene, self._provenance = scene, provenance
        self.size_choice = QComboBox(self)
        for width, height in _SIZES:
            self.size_choice.addItem(f"{width} × {height}", (width, height))
        self.fps = QComboBox(self)
        for fps in RATES:
            self.fps.addItem(str(fps), fps)
        self.fps.setCurrentText("25")
        end = scene.timeline.end_ns / _NS_PER_US
        self.begin, self.end, self.seconds = (QDoubleSpinBox(self) for _ in range(3))
        for box, time_ns in ((self.begin, scene.begin_ns), (self.end, scene.end_ns)):  # what the lanes show
            box.setRange(0.0, end)
            box.setDecimals(3)
            box.setSuffix(" µs")
            box.setValue(time_ns / _NS_PER_US)
        self.seconds.setRange(0.5, 600.0)
        self.seconds.setDecimals(1)
        self.seconds.setSuffix(" s")
        self.seconds.setValue(8.0)
        suffix = ".mp4" if lacks(".gif") and not lacks(".mp4") else ".gif"
        self.path = QLineEdit(str(Path.home() / f"reduction{suffix}"), self)
        self.browse = QPushButton("…", self)
        self.browse.setAutoDefault(False)
        self.message = Label(self)
        self.message.setWordWrap(True)
        self.buttons = QDialogButtonBox(self)
        self.make = self.buttons.addButton(self.tr("Make film"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        self.make.setDefault(True)
        self._lay_out()
        self.browse.clicked.connect(self._browse)
        for changed in (self.path.textChanged, self.begin.valueChanged, self.end.valueChanged):
            changed.connect(self._check)
        self.make.clicked.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        self._check()

    def request(self) -> FilmRequest:
        width, height = self.size_choice.currentData()
        return FilmRequest(
            path=Path(self.path.text()).expanduser(),
            width=width,
            height=height,
            fps=self.fps.currentData(),
            begin_ns=self.begin.value() * _NS_PER_US,
            end_ns=self.end.value() * _NS_PER_US,
            seconds=self.seconds.value(),
        )

    def _lay_out(self) -> None:
        self.setWindowTitle(self.tr("Film of the reduction"))
        self.browse.setAccessibleName(self.tr("Choose the file"))
        file_line = QHBoxLayout()
        file_line.addWidget(self.path, 1)
        file_line.addWidget(self.browse)
        stretch = QHBoxLayout()
        stretch.addWidget(self.begin, 1)
        stretch.addWidget(Label("–", self))
        stretch.addWidget(self.end, 1)
        form = QFormLayout()
        form.addRow(self.tr("Size"), self.size_choice)
        form.addRow(self.tr("Frames a second"), self.fps)
        form.addRow(self.tr("From – to"), stretch)
        form.addRow(self.tr("Lasts"), self.seconds)
        form.addRow(self.tr("File (.gif or .mp4)"), file_line)
        layout = QVBoxLayout(self)
        layout.setSpacing(GRID)
        layout.addLayout(form)
        layout.addWidget(self.message)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(60 * GRID)

    def _browse(self) -> None:
        kinds = self.tr("Films") + " (*.gif *.mp4)"
        path, _ = QFileDialog.getSaveFileName(self, self.tr("Film of the reduction"), self.path.text(), kinds)
        if path:
            self.path.setText(path)

    def _check(self) -> None:
        """Say what is not possible before it is tried."""
        problem = ""
        try:
            writer_for(Path(self.path.text()))
        except FilmError as error:
            problem = str(error)
        if self.end.value() <= self.begin.value():
            problem = self.tr("From – to: {0} µs is not later than {1} µs.").format(
                f"{self.end.value():g}", f"{self.begin.value():g}"
            )
        path = Path(self.path.text()).expanduser()
        if not problem and path.is_file():
            self.message.setText(self.tr("{0} exists and will be replaced.").format(path))
        else:
            self.message.setText(problem)
        self.make.setEnabled(not problem)

    def _make(self) -> None:
        request = self.request()
        count = len(request.times())
        progress = QProgressDialog(self.windowTitle(), self.tr("Stop"), 0, count, self)
        progress.setWindowModality(Qt.WindowModality.WindowModal)
        progress.setMinimumDuration(0)

        def go_on(painted: int) -> bool:
            progress.setValue(painted)  # lets other events have their turn
            return not progress.wasCanceled()

        try:
            make_film(self._scene, request, self._provenance, go_on)
            sentence = self.tr("Saved in {0}; frames: {1}, {2} a second.").format(request.path, count, request.fps)
        except FilmError as error:
            sentence = str(error)
        except OSError as error:
            sentence = f"{request.path} cannot be written ({error.strerror or error})."
        progress.reset()
        progress.deleteLater()
        self.message.setText(translate_message(sentence))
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
