"""The part of the File menu that hands things on."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

COPIES = ("python", "command", "config")
FILES = ("report", "csv", "parquet", "json", "notebook", "script")


class ExportMenu(QMenu):
    """Charts, and the run on the screen, in forms that others take."""

    chartRequested = Signal()  # noqa: N815
    momentRequested = Signal()  # noqa: N815
    filmRequested = Signal()  # noqa: N815
    copyRequested = Signal(str)  # noqa: N815  # one of COPIES
    fileRequested = Signal(str)  # noqa: N815  # one of FILES

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]  # a menu or a menu bar
        self.setToolTipsVisible(True)
        self.chart = QAction(self)
        self.chart.setShortcut(QKeySequence("Ctrl+E"))
        self.chart.triggered.connect(lambda _checked=False: self.chartRequested.emit())
        self.moment, self.film = QAction(self), QAction(self)
        self.moment.triggered.connect(lambda _checked=False: self.momentRequested.emit())
        self.film.triggered.connect(lambda _checked=False: self.filmRequested.emit())
        self.copies = {name: self._new(self.copyRequested, name) for name in COPIES}
        self.files = {name: self._new(self.fileRequested, name) for name in FILES}
        self.copies["python"].setShortcut(QKeySequence("Ctrl+Shift+C"))
        self.addActions([self.chart, self.moment, self.film])
        self.addSeparator()
        self.addActions(list(self.copies.values()))
        self.addSeparator()
        self.addActions(list(self.files.values()))
        self.retranslate()

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setTitle(self.tr("&Export"))
        run = self.tr("The run on the screen, or the runs that are selected in the history")
        _name(self.chart, self.tr("&Chart …"), self.tr("A chart as PNG or SVG, at any size, with its provenance"))
        _name(
            self.moment,
            self.tr("This &moment as SVG …"),
            self.tr("The reduction as it stands at the playhead, with a line that says where it comes from"),
        )
        _name(self.film, self.tr("&Film …"), self.tr("A stretch of the reduction as GIF or MP4"))
        script = self.tr("A script with the kernels in it that needs torch and triton alone, and gives the same figure")
        _name(self.copies["python"], self.tr("Copy as &Python"), script)
        _name(self.copies["command"], self.tr("Copy as c&ommand"), self.tr("The command that makes this run again"))
        _name(self.copies["config"], self.tr("Copy as &triton.Config"), self.tr("The settings of each kernel"))
        _name(self.files["report"], self.tr("HTML &report …"), run)
        _name(self.files["csv"], self.tr("CS&V …"), run)
        _name(self.files["parquet"], self.tr("Par&quet …"), run)
        _name(self.files["json"], self.tr("&JSON …"), run)
        _name(self.files["notebook"], self.tr("&Notebook …"), script)
        _name(self.files["script"], self.tr("Python &script …"), script)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _new(self, signal: object, name: str) -> QAction:
        action = QAction(self)
        action.triggered.connect(lambda _checked=False: signal.emit(name))  # type: ignore[attr-defined]  # a bound signal
        return action


def _name(action: QAction, text: str, tip: str) -> None:
    action.setText(text)
    shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{tip} ({shortcut})" if shortcut else tip)
