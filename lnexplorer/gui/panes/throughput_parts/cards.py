"""The current figures, large."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.provenance import KIND_HELP, Kind
from lnexplorer.gui.panes.throughput_parts.runs import Run
from lnexplorer.gui.plots.legend import Legend, LegendEntry
from lnexplorer.gui.plots.throughput_chart import STYLES, provider_colour, spread
from lnexplorer.gui.theme import GRID, Theme

FIGURES = ("speed", "share", "against", "host")
TONES = {Kind.MEASURED: "good", Kind.INTERPRETED: "warning", Kind.SIMULATED: "warning"}


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
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.badge)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(0)
        for place, name in enumerate(FIGURES):
            self.values[name].setProperty("look", "title" if name == "speed" else "strong")
            self.captions[name].setProperty("look", "muted")
            grid.addWidget(self.values[name], 0, place, Qt.AlignmentFlag.AlignBottom)
            grid.addWidget(self.captions[name], 1, place, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(place, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID)
        layout.setSpacing(GRID // 2)
        layout.addLayout(head)
        layout.addLayout(grid)

    def show_run(self, run: Run | None, mode: str) -> None:
        """Show a run's figures in one mode."""
        self._run, self._mode = run, mode
        self.retranslate()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.title.apply_theme(theme)
        self.setStyleSheet(f"#speedCard {{ border: 1px solid {theme.line}; border-radius: {GRID}px; }}")

    def retranslate(self) -> None:
        """Say it in the language of the window."""
        strategy = "locked" if self._run is None else self._run.strategy
        forward = self._direction == "forward"
        name = self.tr("Forward") if forward else self.tr("Backward")
        style, symbol = STYLES[self._direction]
        self.title.set_entries((LegendEntry(f"{name} · {strategy}", provider_colour(strategy), style, symbol),))
        figure = None if self._run is None else self._run.find(strategy, self._direction, self._mode)
        torch = None if self._run is None else self._run.find("torch", self._direction, self._mode)
        self.values["speed"].setText(f"{wording.gbps(None if figure is None else figure.gbps)} GB/s")
        share = None if figure is None else figure.share_of_ceiling
        against = None if figure is None or torch is None or torch.gbps <= 0 else figure.gbps / torch.gbps
        self.values["share"].setText(wording.share(share))
        self.values["against"].setText(wording.ratio(against))
        self.values["host"].setText(wording.microseconds(None if figure is None else figure.host_us))
        self._show_captions("" if figure is None else "–".join(wording.gbps(value) for value in spread(figure)), forward)
        self._show_badge()
        self.setAccessibleName(f"{name}: {self.values['speed'].text()}")

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

    def _show_badge(self) -> None:
        run = self._run
        self.badge.setVisible(run is not None and run.finished)
        if run is None or not run.finished:
            return
        self.badge.setText(kind_word(self, run.kind))
        where = f"{run.device}, {run.date[:10]}" if run.device else run.date[:10]
        self.badge.setToolTip(f"{KIND_HELP[run.kind]}\n{where}")
        self.badge.setProperty("tone", TONES.get(run.kind, "accent"))
        self.badge.style().unpolish(self.badge)
        self.badge.style().polish(self.badge)


def kind_word(widget: QWidget, kind: Kind) -> str:
    """The word on a badge."""
    return {
        Kind.MEASURED: widget.tr("measured"),
        Kind.INTERPRETED: widget.tr("interpreted"),
        Kind.SIMULATED: widget.tr("simulated"),
        Kind.RECORDED: widget.tr("recorded"),
        Kind.PUBLISHED: widget.tr("published"),
    }[kind]
