"""The line above a sweep: what to try, run, pause, cancel, how far it is."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.domain.sweep.request import PRESETS, SweepRequest
from lnexplorer.gui.charts.readout import Readout
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.shell.icons import icon
from lnexplorer.gui.shell.style import on_accent
from lnexplorer.gui.shell.theme import GRID, Theme

STATES = ("idle", "running", "paused", "ending")


class SweepBar(QWidget):
    """Says what its user wants; the pane says what is so."""

    presetChosen = Signal(object)  # SweepRequest  # noqa: N815
    runRequested = Signal()  # noqa: N815
    pauseRequested = Signal()  # noqa: N815
    resumeRequested = Signal()  # noqa: N815
    cancelRequested = Signal()  # noqa: N815

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.presets, self.run, self.pause, self.cancel = QComboBox(), QPushButton(), QPushButton(), QPushButton()
        self.kept = QToolButton()
        self.kept.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.said = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.badge = QLabel()
        self.badge.setProperty("look", "badge")
        self.badge.hide()
        self.run.setProperty("look", "primary")
        self._state = "idle"
        self._lay_out()
        self.presets.activated.connect(self._on_preset)
        self.run.clicked.connect(self.runRequested)
        self.pause.clicked.connect(self._on_pause)
        self.cancel.clicked.connect(self.cancelRequested)
        self.retranslate()

    @property
    def state(self) -> str:
        """One of STATES."""
        return self._state

    def set_state(self, state: str) -> None:
        """Show what can be done now; what cannot leaves its room to what is said about the sweep."""
        self._state = state
        for part in (self.pause, self.cancel):
            part.setVisible(state != "idle")
        self.kept.setVisible(state == "idle")
        self.run.setEnabled(state == "idle")
        self.pause.setEnabled(state in {"running", "paused"})
        self.cancel.setEnabled(state in {"running", "paused"})
        self.presets.setEnabled(state == "idle")
        self.kept.setEnabled(state == "idle")
        self._name_pause()

    def show_progress(self, done: int, total: int) -> None:
        """How many cells have a row."""
        self.progress.setMaximum(max(total, 1))
        self.progress.setValue(done)

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.run.setIcon(icon("run", on_accent(theme), theme.muted))
        self.cancel.setIcon(icon("stop", theme.bad, theme.line))

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        chosen = self.presets.currentIndex()
        self.presets.clear()
        self.presets.addItem(self.tr("Own sweep"), None)
        for preset in PRESETS:
            self.presets.addItem(domain_text(preset.name), preset.sweep)
            self.presets.setItemData(self.presets.count() - 1, domain_text(preset.help), Qt.ItemDataRole.ToolTipRole)
        self.presets.setCurrentIndex(max(chosen, 0))
        self.presets.setAccessibleName(self.tr("Sweeps worth one click"))
        self.presets.setToolTip(self.tr("Sweeps worth one click"))
        self.run.setText(self.tr("Run sweep"))
        self.run.setToolTip(self.tr("Try every setting; rows are kept as they come"))
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setToolTip(self.tr("End now; rows so far are kept, and the sweep can be gone on with"))
        self.kept.setText(self.tr("Kept sweeps"))
        self.kept.setToolTip(self.tr("Go on with a sweep that did not end, or look at one again"))
        for button in (self.run, self.cancel, self.kept):
            button.setAccessibleName(button.text())
        self._name_pause()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def show_preset_of(self, sweep: SweepRequest | None) -> None:
        """Name the preset that this sweep is, if it is one."""
        index = next((i for i in range(1, self.presets.count()) if self.presets.itemData(i) == sweep), 0)
        self.presets.setCurrentIndex(index)

    def _name_pause(self) -> None:
        paused = self._state == "paused"
        self.pause.setText(self.tr("Go on") if paused else self.tr("Pause"))
        self.pause.setToolTip(self.tr("Hand out settings again") if paused else self.tr("Hand out no more settings for now"))
        self.pause.setAccessibleName(self.pause.text())

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(GRID)
        for widget in (self.presets, self.run, self.pause, self.cancel, self.kept):
            line.addWidget(widget)
        line.addWidget(self.said, 1)
        line.addWidget(self.badge)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, 0)
        layout.setSpacing(GRID // 2)
        layout.addLayout(line)
        layout.addWidget(self.progress)
        self.set_state("idle")

    def _on_preset(self, index: int) -> None:
        sweep = self.presets.itemData(index)
        if isinstance(sweep, SweepRequest):
            self.presetChosen.emit(sweep)

    def _on_pause(self) -> None:
        if self._state == "paused":
            self.resumeRequested.emit()
        else:
            self.pauseRequested.emit()
