"""The current figures, large."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import state_lines
from lnexplorer.gui.charts.legend import SAMPLE_WIDTH, Legend, LegendEntry
from lnexplorer.gui.charts.theme import GRID, TONES, Theme
from lnexplorer.gui.charts.throughput_chart import STYLES, provider_colour, spread
from lnexplorer.gui.charts.widgets import Readout
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.throughput.runs import Run
from lnkernels.values.environment import KIND_HELP

UNIT = "GB/s"
FIGURES = ("speed", "share", "against", "host")
SIDE = GRID + 4  # px left and right
BRIEF_SAMPLE = 12  # px of the line beside a small card's name
NOTHING = wording.share(None)  # what stands where there is no figure


class SpeedCard(QFrame):
    """One direction of the kernels: GB/s, share of the ceiling, against PyTorch, time of the call on the host."""

    def __init__(self, direction: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speedCard")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # cards share the width evenly
        self._direction = direction
        self._run: Run | None = None
        self._mode = "kernel_cold"
        self.title = Legend()
        self.badge = QLabel()
        self.badge.setProperty("look", "badge")
        self.values = {name: QLabel() for name in FIGURES}
        self.captions = {name: QLabel() for name in FIGURES}
        self.brief = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.brief.setProperty("look", "muted")
        self.brief.hide()
        self._compact = False
        self._speed = NOTHING
        self.counted = QLabel()  # speed by counted bytes
        self.counted.setProperty("look", "muted")
        self._head = QHBoxLayout()
        self._head.setSpacing(2 * GRID)
        self._head.addWidget(self.title)
        self._head.addStretch(1)
        self._head.addWidget(self.counted)
        self._head.addWidget(self.badge)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(0)
        for place, name in enumerate(FIGURES):
            self.values[name].setProperty("look", "title" if name == "speed" else "strong")
            self.captions[name].setProperty("look", "muted")
            self._grid.addWidget(self.values[name], 0, place, Qt.AlignmentFlag.AlignBottom)
            self._grid.addWidget(self.captions[name], 1, place, Qt.AlignmentFlag.AlignTop)
            self._grid.setColumnStretch(place, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(SIDE, GRID, SIDE, GRID)
        self._layout.setSpacing(GRID // 2)
        self._layout.addLayout(self._head)
        self._layout.addLayout(self._grid)
        self._layout.addWidget(self.brief)

    def set_compact(self, compact: bool) -> None:
        """Two lines instead of three: the speed beside the name, the rest in a line of words."""
        if compact == self._compact:
            return
        self._compact = compact
        speed = self.values["speed"]
        if compact:
            self._grid.removeWidget(speed)
            self._head.insertWidget(1, speed)
        else:
            self._head.removeWidget(speed)
            self._grid.addWidget(speed, 0, 0, Qt.AlignmentFlag.AlignBottom)
        for name in FIGURES:
            self.captions[name].setVisible(not compact)
            if name != "speed":
                self.values[name].setVisible(not compact)
        self.brief.setVisible(compact)
        side, margin = (GRID, GRID // 2) if compact else (SIDE, GRID)
        self._layout.setContentsMargins(side, margin, side, margin)
        self._head.setSpacing(GRID if compact else 2 * GRID)
        self._layout.setSpacing(0 if compact else GRID // 2)
        self.retranslate()

    def show_run(self, run: Run | None, mode: str) -> None:
        """Show a run's figures in one mode."""
        self._run, self._mode = run, mode
        self.retranslate()

    def apply_theme(self, theme: Theme) -> None:
        self.title.apply_theme(theme)
        self.setStyleSheet(f"#speedCard {{ border: 1px solid {theme.line}; border-radius: {GRID}px; }}")

    def retranslate(self) -> None:
        strategy = "locked" if self._run is None else self._run.strategy
        forward = self._direction == "forward"
        name = self._names()[self._direction]
        figure = None if self._run is None else self._run.find(strategy, self._direction, self._mode)
        torch = None if self._run is None else self._run.find("torch", self._direction, self._mode)
        self._speed = wording.gbps(None if figure is None else figure.gbps)
        share = None if figure is None else figure.share_of_ceiling
        against = None if figure is None or torch is None or torch.gbps <= 0 else figure.gbps / torch.gbps
        self.values["share"].setText(wording.share(share))
        self.values["against"].setText(wording.ratio(against))
        self.values["host"].setText(wording.microseconds(None if figure is None else figure.host_us))
        span = "" if figure is None else "–".join(wording.gbps(value) for value in spread(figure))
        text = self.tr("{speed} GB/s counted")
        self.counted.setText("" if figure is None else text.format(speed=wording.gbps(figure.counted_gbps)))
        self.counted.setToolTip(self._counted_help(strategy))
        self.counted.setVisible(not self._compact and figure is not None)
        self._show_captions(span, forward)
        self._show_badge()
        self._fit_head()
        self.setAccessibleName(f"{name}: {self._speed} {UNIT}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()

    def _fit_head(self) -> None:
        """The pass, and the strategy where there is room for it: the legend says it, too. The speed is always whole."""
        strategy = "locked" if self._run is None else self._run.strategy
        name = self._names()[self._direction]
        style, symbol = STYLES[self._direction]
        colour = provider_colour(strategy)
        whole = (LegendEntry(f"{name} · {strategy}", colour, style, symbol),)
        brief = (LegendEntry(name, colour, style, symbol, BRIEF_SAMPLE if self._compact else SAMPLE_WIDTH),)
        self.title.set_entries(brief)
        if not self._compact:
            beside = [part.sizeHint().width() for part in (self.counted, self.badge) if not part.isHidden()]
            room = self.contentsRect().width() - 2 * SIDE - sum(beside) - self._head.spacing() * (len(beside) + 1)
            self.title.set_entries(whole)
            if self.title.sizeHint().width() > room:
                self.title.set_entries(brief)
        self._show_speed()
        self._show_brief()

    def _names(self) -> dict[str, str]:
        return {"forward": self.tr("Forward"), "backward": self.tr("Backward")}

    def _show_speed(self) -> None:
        """Where a small card has no room for the unit, the line below begins with it; the smallest has smaller type,
        too.
        """
        speed = self.values["speed"]
        widths = {key: self.title.fontMetrics().horizontalAdvance(name) for key, name in self._names().items()}
        longer = max(widths.values()) - widths[self._direction]  # both cards use the same type
        room = self.contentsRect().width() - 2 * GRID - self.title.sizeHint().width() - longer - self._head.spacing()
        for look, text in (("title", f"{self._speed} {UNIT}"), ("title", self._speed), ("strong", self._speed)):
            if speed.property("look") != look:
                speed.setProperty("look", look)
                speed.style().unpolish(speed)
                speed.style().polish(speed)
            speed.setText(text)
            if not self._compact or speed.sizeHint().width() <= room:
                break

    def _show_brief(self) -> None:
        """What matters most comes first: a narrow card ends where its room ends."""
        text = self.tr("{figure} {caption}")
        shown = [] if self.values["speed"].text().endswith(UNIT) else [UNIT]
        for name in FIGURES[1:]:
            figure, caption = self.values[name].text(), self.captions[name].text()
            shown += [text.format(figure=figure, caption=caption)] if figure != NOTHING else []
        shown += [self.counted.text()] if self.counted.text() else []
        self.brief.setText(" · ".join(shown) or self.captions["speed"].text())

    def _counted_help(self, strategy: str) -> str:
        if strategy == "locked":
            return self.tr("By all bytes that these kernels move, buffers and repeated reading counted.")
        return self.tr("By the fewest bytes that any LayerNorm moves: matrices, weights and statistics once, no buffers.")

    def _show_captions(self, span: str, forward: bool) -> None:
        wrong = self._run is not None and bool(self._run.failed)
        self.captions["speed"].setText(span or (self.tr("wrong result") if wrong else self.tr("no figure yet")))
        self.captions["share"].setText(self.tr("of ceiling"))
        self.captions["against"].setText(self.tr("of PyTorch"))
        self.captions["host"].setText(self.tr("host, a call"))
        count = "2·M·N" if forward else "3·M·N"
        speed_help = self.tr(
            "The median, counted as the tutorial does: {count} elements moved. Below it the range from p20 to p80."
        )
        plain = self.tr("a copy") if forward else self.tr("an elementwise a + b → c")
        share_help = self.tr("Share of the measured ceiling: {plain} that moves the same bytes.")
        helps = {
            "speed": speed_help.format(count=count),
            "share": share_help.format(plain=plain),
            "against": self.tr("Speed as a multiple of PyTorch's in the same run and mode."),
            "host": self.tr("Time that one call takes on the host, before the GPU is done. It is not part of the kernel's time."),
        }
        for name, text in helps.items():
            self.values[name].setToolTip(text)
            self.captions[name].setToolTip(text)
        text = self.tr("{figure} {caption}")
        parts = [text.format(figure=self.values[name].text(), caption=self.captions[name].text()) for name in FIGURES[1:]]
        self.brief.setToolTip("\n".join([f"{self.captions['speed'].text()} {UNIT}", *parts, "", *helps.values()]))

    def _show_badge(self) -> None:
        run = self._run
        self.badge.setVisible(run is not None and run.finished and not self._compact)
        if run is not None and run.finished:
            show_badge(self.badge, run)


def show_badge(badge: QLabel, run: Run) -> None:
    """Say on a badge where a run's figures come from."""
    badge.setText(domain_text(run.kind.value))
    where = f"{run.device}, {run.date[:10]}" if run.device else run.date[:10]
    badge.setToolTip("\n".join((domain_text(KIND_HELP[run.kind]), where, *state_words(run))))
    badge.setProperty("tone", TONES[run.kind])
    badge.style().unpolish(badge)
    badge.style().polish(badge)


def state_words(run: Run) -> list[str]:
    """The device before and after a run's timing, a line for each value."""
    return [f"{domain_text(label)}: {value}" for label, value in state_lines(run.before, run.after)]
