"""The status bar: device, worker, progress."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar, QStatusBar, QWidget

from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import DARK, GRID, Theme
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import Label
from lnkernels.values.sentence import say, verbatim

if TYPE_CHECKING:
    from lnexplorer.protocol.messages import JobProgress
    from lnkernels.values.environment import Device

INTERPRETER = "Triton's interpreter on "  # as its worker names it
PHASES = {"compile": say("compile"), "run": say("run")}


class StatusBar(Retranslated, QStatusBar):
    """Always says what the worker does, and on what."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = DARK
        self._device: Device | None = None
        self._worker = "starting"
        self._progress: JobProgress | None = None
        self.worker = Label(self)
        self.device = Label(self)
        self.step = Label(self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(20 * GRID)
        self.setSizeGripEnabled(False)
        self.setContentsMargins(GRID, 0, GRID, 0)
        self.addWidget(self.worker)
        self.addWidget(self.device)
        self.addPermanentWidget(self.step)
        self.addPermanentWidget(self.bar)
        self.retranslate()

    def show_worker(self, state: str, device: "Device | None") -> None:
        """Show a WorkerState, and where the worker is."""
        self._worker = state
        self._device = device
        self._show_worker()
        self._show_progress()

    def show_progress(self, progress: "JobProgress | None") -> None:
        self._progress = progress
        self._show_progress()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_worker()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Status"))
        self._show_worker()
        self._show_progress()

    def _show_worker(self) -> None:
        theme = self._theme
        texts = {
            "starting": (theme.warning, self.tr("Worker starting")),
            "ready": (theme.good, self.tr("Worker ready")),
            "running": (theme.accent, self.tr("Running")),
            "lost": (theme.bad, self.tr("Worker lost")),
        }
        colour, text = texts[self._worker]
        self.worker.set_markup(f'<span style="color:{colour}">●</span> {text}')
        self.worker.setToolTip(
            self.tr(
                "The worker is a process of its own: it runs the kernels, and can be stopped at any"
                " time."
            )
        )
        if self._device is None:
            self.device.setText(self.tr("Looking for a device …"))
            self.device.setToolTip(self.tr("The worker loads torch and triton first."))
            return
        name = translate_message(self._device.name)
        if name.startswith(INTERPRETER):
            name = self.tr("Triton's interpreter on {processor}").format(
                processor=name.removeprefix(INTERPRETER)
            )
        if (host := self._device.environment.host) is not None:
            name = f"{name} · {host}"
        self.device.setText(name)
        self.device.setToolTip("\n".join(map(translate_message, self._device.notes)) or name)

    def _show_progress(self) -> None:
        running = self._worker == "running"
        progress = self._progress if running else None
        self.bar.setVisible(running)
        self.step.setVisible(running)
        if progress is None:
            self.step.setText("")
            self.bar.setRange(0, 0 if running and self.isVisible() else 1)
            return
        phase = translate_message(PHASES.get(progress.phase, verbatim(progress.phase)))
        self.step.setText(phase if progress.step is None else translate_message(progress.step))
        self.step.setToolTip(self.tr("Phase: {phase}").format(phase=phase))
        self.bar.setRange(0, max(progress.total, 0))
        self.bar.setValue(progress.done)
