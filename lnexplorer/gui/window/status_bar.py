"""The status bar: worker, device and progress."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QStatusBar, QToolButton

from lnexplorer.gui.kit import (
    GRID,
    ElidedLabel,
    Label,
    Retranslated,
    Theme,
    translate_message,
    with_text,
)
from lnkernels.values import as_sentence, join_sentences, say

if TYPE_CHECKING:
    from lnexplorer.gui.session.under_way import JobUnderWay
    from lnkernels.values.environment import Device

INTERPRETER = "Triton's interpreter on "  # as its worker names it
SECOND_MS = 1000
HEIGHT = 33  # px at usual text, from the first frame on and whatever is in it: nothing above moves
# By WorkerState: a colour of the theme, and the text beside it.
WORKERS = {
    "starting": ("warning", say("Worker starting")),
    "ready": ("good", say("Worker ready")),
    "running": ("accent", say("Running")),
    "lost": ("bad", say("Worker lost")),
}


class StatusBar(Retranslated, QStatusBar):
    """Shows the worker's state, its device, and the progress of its job."""

    def __init__(self, stop: QAction) -> None:
        super().__init__(sizeGripEnabled=False)
        self._worker = "starting"
        self._job: JobUnderWay | None = None
        self.worker = self.write_on(
            Label(self),
            tip=say(
                "The worker is a process of its own: it runs the kernels, and can be stopped at any"
                " time."
            ),
        )
        self.device = Label(self)
        self.step = ElidedLabel(self)  # a long name of a setting widens no window
        self.step.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.bar = QProgressBar(self, textVisible=False)
        self.bar.setFixedWidth(20 * GRID)
        self.stop = QToolButton(self)
        self.stop.setDefaultAction(stop)
        self._tick = QTimer(self, interval=SECOND_MS)
        self._tick.timeout.connect(lambda: self.show_job(self._job))
        self.setContentsMargins(GRID, 0, GRID, 0)
        self.addWidget(self.worker)
        self.addWidget(self.device)
        self.addPermanentWidget(self.step)
        self.addPermanentWidget(self.bar)
        self.addPermanentWidget(self.stop)
        self.write(self.setAccessibleName, say("Status"))
        self.show_worker("starting", None)
        self.show_job(None)

    def show_worker(self, state: str, device: "Device | None") -> None:
        """Show a WorkerState, and the device of the worker."""
        self._worker = state
        self.retranslate()
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
            name = join_sentences([name, host], " · ")
        self.write_on(self.device, name, join_sentences(device.notes or [name], "\n"))

    def show_job(self, job: "JobUnderWay | None") -> None:
        """Show a job that is done, with its time, each second anew; None: nothing is done."""
        self._job = job
        for part in (self.bar, self.step, self.stop):
            part.setVisible(job is not None)
        self.bar.setRange(0, 0)
        self._tick.stop()
        if job is None:
            return
        self._tick.start()
        self.step.setText(job.text())
        if job.progress is not None:
            self.bar.setRange(0, max(job.progress.total, 0))
            self.bar.setValue(job.progress.done)

    def apply_theme(self) -> None:
        self.setFixedHeight(with_text(HEIGHT))
        self.retranslate()

    def retranslate(self) -> None:
        colour, text = WORKERS[self._worker]
        dot = f'<span style="color:{getattr(Theme.current, colour)}">●</span>'
        self.worker.set_markup(f"{dot} {translate_message(text)}")
