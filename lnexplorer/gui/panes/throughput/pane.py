"""GB/s of forward and backward, growing with every run, against PyTorch and the measured ceiling."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from lnexplorer.domain.doubts import concerns, is_doubt
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.views import ThroughputView
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.legend import Legend
from lnexplorer.gui.charts.peer_chooser import PeerChooser
from lnexplorer.gui.charts.speed_chart import SpeedPoint, ThroughputChart
from lnexplorer.gui.charts.speed_runs import Run, legend_of, point_text, sources_of
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.texts import domain_text
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    Badge,
    DoubtsStrip,
    Notice,
    Readout,
    Segments,
    fill_with_stack,
    lay_column,
    lay_row,
)
from lnkernels.values.environment import Device, Kind
from lnkernels.values.figures import DIRECTIONS, MODES, Figure

REDRAW_MS = 30  # figures arrive in bursts; the chart is drawn once for each
MOST_RUNS = 300  # kept in the chart


class ThroughputPane(Retranslated, QWidget):
    """Speeds of the runs since the window was opened."""

    modeChanged = Signal(str)  # one of MODES: which figures are looked at
    peersChosen = Signal(object)  # tuple[str, ...]: who is to be timed beside the kernels

    def __init__(self) -> None:
        super().__init__()
        self.notice = Notice()
        self.chart = ThroughputChart()
        self.legend = Legend()
        self.mode = Segments(MODES)
        self.samples = QCheckBox()
        self.badge = Badge()
        self.doubts = DoubtsStrip()
        self.readout = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.remarks = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.peers = PeerChooser()
        self._hidden: set[str] = set()  # peers that were taken out of the choice: their lines go
        self._chosen = self.peers.peers
        self._device: Device | None = None
        self._own: KernelVersion | None = None
        self._runs: list[Run] = []
        self._count = 0
        self._theme = LIGHT
        self._redraw = QTimer(self, singleShot=True)
        self._redraw.timeout.connect(self.refresh)
        self._build()
        self._connect()
        self.retranslate()

    def set_device(self, device: Device | None) -> None:
        """What runs are made on: the interpreter gives no speeds."""
        self._device = device
        self.peers.set_offered(device.offered if device is not None else ())
        self.refresh()

    def set_peers(self, peers: tuple[str, ...]) -> None:
        self._hidden.difference_update(peers)
        self._chosen = peers
        self.peers.set_peers(peers)
        self._draw_soon()

    def show_own(self, own: KernelVersion | None) -> None:
        """The user's own kernel, which stands beside a run of the same problem."""
        self._own = own
        self._draw_soon()

    def begin_run(self, resolved: ResolvedRequest) -> None:
        if self._runs and self._runs[-1].live and self._runs[-1].resolved == resolved:
            return  # what was seen live stays until the run has better
        self._append(resolved)
        self._draw_soon()

    def add_figure(self, figure: Figure) -> None:
        if self._runs and not self._runs[-1].finished:
            self._runs[-1].add(figure)
            self._draw_soon()

    def show_live(self, point: LivePoint) -> None:
        """What is known so far of a setting that has just been moved to."""
        if not (self._runs and self._runs[-1].live and self._runs[-1].resolved == point.resolved):
            before = list(self._runs)
            self._append(point.resolved)
            self._runs[-1].take_lines(before)
        self._runs[-1].follow(point)
        self._draw_soon()

    def show_result(self, result: RunResult) -> None:
        """The end of the run that was begun last, or a whole run from elsewhere."""
        if not self._runs or self._runs[-1].finished or self._runs[-1].resolved != result.resolved:
            self._append(result.resolved)
        self._runs[-1].finish(result)
        self._redraw.stop()
        self.refresh()

    def show_earlier(self, results: Iterable[RunResult]) -> None:
        """Whole runs from elsewhere, before those that are on the chart; one that is there already
        is not added.
        """
        there = set(self.charted)
        earlier = []
        for result in results:
            run = Run(0, result.resolved)
            run.finish(result)
            if (run.resolved, run.date) not in there:
                earlier.append(run)
        self._runs = [*earlier, *self._runs][-MOST_RUNS:]
        self._count = len(self._runs)
        for number, run in enumerate(self._runs, 1):
            run.number = number
        self.refresh()

    @property
    def charted(self) -> tuple[tuple[ResolvedRequest, str], ...]:
        """Launch and date of the whole runs on the chart, in their order."""
        return tuple((run.resolved, run.date) for run in self._runs if run.finished)

    def view(self) -> ThroughputView:
        return ThroughputView(mode=self.mode.current, samples=self.samples.isChecked())

    def show_view(self, view: ThroughputView) -> None:
        """Look at this; what it names that is not here stays as it is."""
        if view.mode in MODES:
            self.mode.choose(view.mode)
            self.modeChanged.emit(view.mode)
        self.samples.setChecked(view.samples)
        self.refresh()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.chart.apply_theme(theme)
        self.legend.apply_theme(theme)
        self.refresh()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Throughput"))
        self.mode.set_text(
            "kernel_cold",
            self.tr("cold L2"),
            self.tr("Kernels alone, L2 flushed before each repetition"),
        )
        self.mode.set_text(
            "kernel_warm",
            self.tr("warm L2"),
            self.tr("Kernels alone, L2 as the repetition before left it"),
        )
        self.mode.set_text(
            "autograd",
            self.tr("autograd"),
            self.tr("A call through autograd, with Python and the allocator"),
        )
        self.samples.setText(self.tr("samples"))
        self.samples.setToolTip(
            self.tr(
                "Repetitions as small dots; the bar reaches from the 20th to the 80th percentile"
            )
        )
        self.samples.setAccessibleName(self.tr("Show single repetitions"))
        self.legend.setToolTip(
            self.tr("Colour says whose kernels, circle and triangle say forward and backward")
        )
        self.chart.setAccessibleName(self.tr("Throughput of every run"))
        self.chart.setToolTip(
            self.tr(
                "Wheel or + and − zoom, drag or arrow keys move, double click or Home shows"
                " everything."
            )
        )
        self.refresh()

    def refresh(self) -> None:
        if self._runs and self._own is not None:
            self._runs[-1].stand_beside(self._own)
        timed = [run for run in self._runs if run.timed()]
        last = self._runs[-1] if self._runs else None
        here = self._device is not None and self._device.backend == "interpreter"
        interpreted = last is not None and (
            last.kind is Kind.INTERPRETED if last.finished else here
        )
        self._stack.setCurrentIndex(1 if timed and not interpreted else 0)
        self._show_notice()
        self.chart.setMinimumHeight(with_text(14 * GRID))
        drawn = [point for run in timed for point in run.points(self.mode.current, self._hidden)]
        self.chart.set_points(drawn)
        self.chart.set_labels("" if self.chart.is_of_one_run else self.tr("run"), "GB/s")
        self.peers.set_strategy(last.strategy if last is not None else "")
        self._show_legend()
        remarks = self._remarks()
        self.remarks.setText(" · ".join(remarks))
        self.remarks.setToolTip("\n".join((self.tr("Providers without a time, and why"), *remarks)))
        self.remarks.setVisible(bool(remarks))
        notes = last.notes if last is not None else ()
        self.doubts.show_doubts(
            [
                note
                for note in notes
                if is_doubt(note) and concerns(note, DIRECTIONS, self.mode.current)
            ]
        )
        self.doubts.setToolTip("\n".join(last.state) if last is not None else "")
        if last is not None and last.finished:
            self.badge.show_kind(
                last.kind, "\n".join((f"{last.device} {last.date[:10]}".strip(), *last.state))
            )
        else:
            self.badge.show_kind(None)

    def _show_legend(self) -> None:
        self.legend.set_entries(
            legend_of(self.chart.points, self._theme, named=self.chart.names_all)
        )

    def _on_peers_chosen(self, peers: tuple[str, ...]) -> None:
        self._hidden = (self._hidden | set(self._chosen)).difference(peers)
        self._chosen = peers
        self.refresh()
        self.peersChosen.emit(peers)

    def _draw_soon(self) -> None:
        if not self._redraw.isActive():
            self._redraw.start(REDRAW_MS)

    def _append(self, resolved: ResolvedRequest) -> None:
        """Another run, in the place of one that has brought nothing."""
        if self._runs and not self._runs[-1].finished and not self._runs[-1].figures:
            self._runs.pop()
            self._count -= 1
        self._count += 1
        gpu = self._device.environment.named_gpu if self._device is not None else None
        self._runs.append(Run(self._count, resolved, expected=gpu or ""))
        del self._runs[:-MOST_RUNS]

    def _show_notice(self) -> None:
        wrong = self._runs[-1].failed if self._runs else ()
        if self._device is not None and self._device.backend == "interpreter":
            title = self.tr("No speeds from the interpreter")
            body = self.tr(
                "Triton's interpreter ran the kernels on the CPU. Its times say nothing about a"
                " GPU, so none are shown."
            )
            tip = self.tr("4096 × 1024 with GROUP_SIZE_M 16 on an H200")
            self.notice.set_text(
                title, body, self.tr("Watch a recorded run"), tip, self.tr("Add a kernel …")
            )
        elif wrong:
            body = self.tr(
                "A wrong result gets no time. Beyond tolerance in the last run: {names}. See"
                " Correctness."
            )
            self.notice.set_text(
                self.tr("No speed without correctness"), body.format(names=", ".join(wrong))
            )
        else:
            body = self.tr("Press Run: the kernels are timed after their results are checked.")
            self.notice.set_text(self.tr("Nothing measured yet"), body)

    def _remarks(self) -> list[str]:
        if not self._runs:
            return []
        run = self._runs[-1]
        remarks = []
        if run.failed:
            text = self.tr(
                "No time for {provider} in run {run}: the result is wrong, {names} beyond tolerance"
            )
            remarks.append(
                text.format(run=run.number, provider=run.strategy, names=", ".join(run.failed))
            )
        elif run.reason:
            text = self.tr("No time for {provider} in run {run}: {reason}")
            remarks.append(
                text.format(
                    run=run.number, provider=run.strategy, reason=translate_message(run.reason)
                )
            )
        interpreted = self._device is not None and self._device.backend == "interpreter"
        if interpreted and run.timed():
            text = self.tr(
                "Not measured here: {kind} on {device}. This machine has only Triton's interpreter."
            )
            remarks.append(text.format(kind=domain_text(run.kind.value), device=run.device or "?"))
        refused = self.tr("No time for {provider}: {reason}")
        remarks += [
            refused.format(
                provider=provider_label(no.provider), reason=translate_message(no.reason)
            )
            for no in run.refusals
        ]
        return remarks

    def _on_hovered(self, point: SpeedPoint | None) -> None:
        self.legend.setVisible(point is None)
        self.readout.setVisible(point is not None)
        if point is None:
            self.readout.clear()
            return
        several = len({each.device for each in self.chart.points}) > 1
        alike = (
            each
            for each in self.chart.points
            if (each.run, each.direction) == (point.run, point.direction)
        )
        torch = next((each.figure.gbps for each in alike if each.provider == "torch"), None)
        self.readout.setText(point_text(point, torch, point.device if several else ""))

    def _build(self) -> None:
        self.remarks.setProperty("look", "muted")
        self.chart.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored
        )  # it takes what there is
        self._stack, content = fill_with_stack(self, self.notice)
        lay_column(
            content,
            self.doubts,
            lay_row(None, self.mode, 1),
            (self.chart, 1),  # in a low pane the rest is scrolled to
            self.readout.share_place_of(self.legend),
            lay_row(None, self.samples, self.peers, 1, self.badge),
            self.remarks,
            margins=GRID,
            spacing=GRID,
        )

    def _connect(self) -> None:
        self.chart.caption = lambda: sources_of([run for run in self._runs if run.timed()])
        self.chart.legend = lambda: self.legend.entries
        self.chart.view.sigResized.connect(lambda _view: self._show_legend())
        self.samples.setChecked(True)
        self.samples.toggled.connect(self.chart.set_samples)
        self.mode.changed.connect(lambda _key: self.refresh())
        self.mode.changed.connect(self.modeChanged)
        self.chart.pointed.connect(self._on_hovered)
        self.peers.chosen.connect(self._on_peers_chosen)
        self.notice.otherWanted.connect(
            self.peers.kernelWanted
        )  # a kernel is checked on the interpreter, too
