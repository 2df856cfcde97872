"""Where a run's figures come from, and why they may be doubtful."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QWidget

from lnexplorer.domain.doubts import state_lines
from lnexplorer.gui.charts.theme import GRID, TONES
from lnexplorer.gui.charts.widgets import Label, WrappedLabel, lay_row, restyle
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.throughput.runs import Run
from lnkernels.sentence import Sentence
from lnkernels.values.environment import KIND_HELP


def show_badge(badge: Label, run: Run) -> None:
    """Say on a badge where a run's figures come from."""
    badge.setText(domain_text(run.kind.value))
    where = f"{run.device}, {run.date[:10]}" if run.device else run.date[:10]
    badge.setToolTip("\n".join((domain_text(KIND_HELP[run.kind]), where, *state_words(run))))
    restyle(badge, "tone", TONES[run.kind])


def state_words(run: Run) -> list[str]:
    """The device before and after a run's timing, a line for each value."""
    return [f"{domain_text(label)}: {value}" for label, value in state_lines(run.before, run.after)]


class DoubtsStrip(QFrame):
    """Says why the figures below it are doubtful; hidden while nothing speaks against them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setProperty("tone", "note")
        self._sentences: tuple[Sentence, ...] = ()
        self.label = WrappedLabel()
        lay_row(self, (self.label, 1), margins=(GRID, GRID // 2, GRID, GRID // 2))
        self.hide()

    def show_doubts(self, sentences: Sequence[Sentence]) -> None:
        """Show these, each once."""
        self._sentences = tuple(dict.fromkeys(sentences))
        text = " ".join(map(translate_message, self._sentences))
        self.label.setText(self.tr("Doubtful: {sentences}").format(sentences=text) if text else "")
        self.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.show_doubts(self._sentences)
        super().changeEvent(event)
