"""The status bar: worker, device and progress."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar, QStatusBar, QWidget

from lnexplorer.gui.kit.languages import Retranslated, translate_message
from lnexplorer.gui.kit.theme import DARK, GRID, Theme
from lnexplorer.gui.kit.widgets import Label
from lnkernels.values.sentence import as_sentence, join_sentences, say, verbatim

if TYPE_CHECKING:
    from lnexplorer.protocol.messages import JobProgress
    from lnkernels.values.environment import Device

INTERPRETER = "Triton's interpreter on "  # as its worker names it
PHASES = {"compile": say("compile"), "run": say("run")}
# By WorkerState: a colour of the theme, and the text beside it.
WORKERS = {
    "starting": ("warning", say("Worker starting")),
    "ready": ("good", say("Worker ready")),
    "running": ("accent", say("Running")),
    "lost": ("bad", say("Worker lost")),
}


class StatusBar(Retranslated, QStatusBar):
    """Shows the worker's state, its device, and the progress of its job."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = DARK
        self._worker = "starting"
        self._progress: JobProgress | None = None
        self.worker = self.write_on(
            Label(self),
            tip=say(
                "The worker is a process of its own: it runs the kernels, and can be stopped at any"
                " time."
            ),
        )
        self.device = Label(self)
        self.step = Label(self)
        self.bar = QProgressBar(self, textVisible=False)
        self.bar.setFixedWidth(20 * GRID)
        self.setSizeGripEnabled(False)
        self.setContentsMargins(GRID, 0, GRID, 0)
        self.addWidget(self.worker)
        self.addWidget(self.device)
        self.addPermanentWidget(self.step)
        self.addPermanentWidget(self.bar)
        self.write(self.setAccessibleName, say("Status"))
        self.show_worker("starting", None)

    def show_worker(self, state: str, device: "Device | None") -> None:
        """Show a WorkerState, and the device of the worker."""
        self._worker = state
        self.retranslate()
        self.show_progress(self._progress)
        if device is None and state == "lost":
            self.write_on(self.device, say("No device"))
            return
        if device is None:
            self.write_on(
                self.device,
                say("Looking for a device …"),
                say("The worker loads torch and triton first."),
            )
            return
        name = as_sentence(device.name)
        if str(name).startswith(INTERPRETER):
            processor = str(name).removeprefix(INTERPRETER)
            name = say("Triton's interpreter on {processor}", processor=processor)
        if (host := device.environment.host) is not None:
            name = join_sentences([name, verbatim(host)], verbatim(" · "))
        notes = [as_sentence(note) for note in device.notes]
        self.write_on(self.device, name, join_sentences(notes or [name], verbatim("\n")))

    def show_progress(self, progress: "JobProgress | None") -> None:
        self._progress = progress
        running = self._worker == "running"
        self.bar.setVisible(running)
        self.step.setVisible(running)
        if progress is None or not running:
            self.write(self.step.setText, "")
            self.bar.setRange(0, 0 if running and self.isVisible() else 1)
            return
        phase = PHASES.get(progress.phase, verbatim(progress.phase))
        self.write_on(self.step, progress.step or phase, say("Phase: {phase}", phase=phase))
        self.bar.setRange(0, max(progress.total, 0))
        self.bar.setValue(progress.done)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.retranslate()

    def retranslate(self) -> None:
        colour, text = WORKERS[self._worker]
        dot = f'<span style="color:{getattr(self._theme, colour)}">●</span>'
        self.worker.set_markup(f"{dot} {translate_message(text)}")
