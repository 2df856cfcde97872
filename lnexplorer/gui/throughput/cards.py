"""The current figures, large, and why they may be doubtful."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import state_lines
from lnexplorer.gui.charts.legend import SYMBOLS
from lnexplorer.gui.charts.speed_chart import STYLES, provider_colour, spread
from lnexplorer.gui.charts.theme import GRID, TONES
from lnexplorer.gui.charts.widgets import Label, Readout, WrappedLabel, restyle
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.throughput.runs import Run
from lnkernels.sentence import Sentence
from lnkernels.values.environment import KIND_HELP

UNIT = "GB/s"


class SpeedCard(QFrame):
    """One direction of the kernels: GB/s, share of the ceiling, against PyTorch, time of the call on the host."""

    def __init__(self, direction: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speedCard")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # cards share the width evenly
        self._direction = direction
        self._run: Run | None = None
        self._mode = "kernel_cold"
        self.title, self.speed, self.rest = Label(), Label(), Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.speed.setProperty("look", "title")
        self.rest.setProperty("look", "muted")
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.title, 1)
        head.addWidget(self.speed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.rest)

    def show_run(self, run: Run | None, mode: str) -> None:
        self._run, self._mode = run, mode
        self.retranslate()

    def retranslate(self) -> None:
        run, direction = self._run, self._direction
        strategy = "locked" if run is None else run.strategy
        figure = None if run is None else run.find(strategy, direction, self._mode)
        torch = None if run is None else run.find("torch", direction, self._mode)
        name = self.tr("Forward") if direction == "forward" else self.tr("Backward")
        sign = SYMBOLS[STYLES[direction][1]]
        self.title.set_markup(f'<span style="color:{provider_colour(strategy)}">{sign}</span> {name}')
        self.speed.setText(wording.gbps(None if figure is None else figure.gbps))
        if figure is None:
            wrong = run is not None and bool(run.failed)
            parts = [self.tr("wrong result") if wrong else self.tr("no figure yet")]
        else:
            against = None if torch is None or torch.gbps <= 0 else figure.gbps / torch.gbps
            parts = [
                self.tr("{share} of ceiling").format(share=wording.share(figure.share_of_ceiling)),
                self.tr("{ratio} of PyTorch").format(ratio=wording.ratio(against)),
                self.tr("p20 to p80 {low}–{high}").format(
                    **dict(zip(("low", "high"), map(wording.gbps, spread(figure)), strict=True))
                ),
                self.tr("{time} host, a call").format(time=wording.microseconds(figure.host_us)),
                self.tr("{speed} GB/s requested").format(speed=wording.gbps(figure.requested_gbps)),
            ]
        self.rest.setText(" · ".join((UNIT, *parts)))
        self.setToolTip("\n".join([f"{name} · {strategy}", *parts, "", *self._helps(strategy)]))
        self.setAccessibleName(f"{name}: {self.speed.text()} {UNIT}")

    def _helps(self, strategy: str) -> list[str]:
        forward = self._direction == "forward"
        plain = self.tr("a copy") if forward else self.tr("an elementwise a + b → c")
        speed = self.tr("The median, counted as the tutorial does: {count} elements moved.")
        return [
            speed.format(count="2·M·N" if forward else "3·M·N"),
            self.tr("Share of the measured ceiling: {plain} that moves the same bytes.").format(plain=plain),
            self.tr("Speed as a multiple of PyTorch's in the same run and mode."),
            self.tr("Time that one call takes on the host, before the GPU is done. It is not part of the kernel's time."),
            self.tr("By all bytes that these kernels request from L2 and memory, buffers and repeated reading included.")
            if strategy == "locked"
            else self.tr("By the fewest bytes that any LayerNorm moves: matrices, weights and statistics once, no buffers."),
        ]


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
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        layout.addWidget(self.label, 1)
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
