"""The Throughput pane: GB/s of both passes, run by run, against peers and the ceiling."""

from collections.abc import Iterable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from lnexplorer.domain.doubts import concerns, is_doubt
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.request import ResolvedRequest, RunPlan, other_setting
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.views import ThroughputView
from lnexplorer.gui.charts.chart import Legend
from lnexplorer.gui.charts.peer_chooser import PeerChooser
from lnexplorer.gui.charts.speed_chart import MODE_TEXTS, SpeedPoint, ThroughputChart
from lnexplorer.gui.charts.speed_runs import (
    ChartedRuns,
    Run,
    legend_of,
    point_sentence,
    remarks_of,
    sources_of,
)
from lnexplorer.gui.kit import (
    GRID,
    LEFT,
    Badge,
    DoubtsStrip,
    ElidedLabel,
    Notice,
    Readout,
    Retranslated,
    Segments,
    Veil,
    fill_with_stack,
    lay_column,
    lay_row,
    with_text,
)
from lnkernels.values import join_sentences, say
from lnkernels.values.environment import Device, Kind
from lnkernels.values.figures import DIRECTIONS, MODES, Figure

REDRAW_MS = 30  # figures arrive in bursts; the chart is drawn once for each


class ThroughputPane(Retranslated, QWidget):
    """Speeds of the runs since the window was opened."""

    modeChanged = Signal(str)  # one of MODES: which figures are looked at
    peersChosen = Signal(object)  # tuple[str, ...]: who is to be timed beside the kernels

    def __init__(self) -> None:
        super().__init__()
        self.notice = Notice()
        self.chart = self.write_on(
            ThroughputChart(),
            tip=say(
                "Wheel or + and − zoom, drag or arrow keys move, double click or Home shows"
                " everything."
            ),
            name=say("Throughput of every run"),
        )
        self.legend = self.write_on(
            Legend(),
            tip=say("Colour says whose kernels, circle and triangle say forward and backward"),
        )
        self.mode = Segments(MODE_TEXTS)
        self.samples = self.write_on(
            QCheckBox(),
            say("samples"),
            say("Repetitions as small dots; the bar reaches from the 20th to the 80th percentile"),
            say("Show single repetitions"),
        )
        self.badge = Badge()
        self.doubts = DoubtsStrip()
        self.readout = Readout(LEFT)
        self.remarks = ElidedLabel(look="muted")
        self.peers = PeerChooser()
        self._device: Device | None = None
        self._plan: RunPlan | None = None  # of the parameters in force
        self.veil = Veil(self, above=1)  # on the chart, not on the buttons
        self._own: KernelVersion | None = None
        self.runs = ChartedRuns()
        self._redraw = QTimer(self, singleShot=True)
        self._redraw.timeout.connect(self.refresh)
        self._build()
        self._connect()
        self.refresh()

    def set_device(self, device: Device | None) -> None:
        """Take the device that runs are made on: the interpreter gives no speeds."""
        self._device = device
        self.runs.gpu = (device.environment.named_gpu if device is not None else None) or ""
        self.peers.set_offered(device.offered if device is not None else ())
        self.refresh()

    def set_plan(self, plan: RunPlan) -> None:
        """Take the parameters in force, with which the newest run is compared."""
        self._plan = plan
        self._compare()

    def set_peers(self, peers: tuple[str, ...]) -> None:
        self.peers.set_peers(peers)
        self._draw_soon()

    def show_own(self, own: KernelVersion | None) -> None:
        """Show the user's own kernel beside a run of the same problem."""
        self._own = own
        self._draw_soon()

    def begin_run(self, resolved: ResolvedRequest) -> None:
        self.runs.begin(resolved)
        self._draw_soon()

    def add_figure(self, figure: Figure) -> None:
        self.runs.add_figure(figure)
        self._draw_soon()

    def show_live(self, point: LivePoint) -> None:
        """Show the figures so far of a setting that has just been moved to."""
        self.runs.follow(point)
        self._draw_soon()

    def show_result(self, result: RunResult) -> None:
        """Show the end of the run that was begun last, or a whole run from elsewhere."""
        self.runs.end(result)
        self._redraw.stop()
        self.refresh()

    def show_earlier(self, results: Iterable[RunResult]) -> None:
        """Put whole runs from elsewhere before those on the chart, unless they are there."""
        self.runs.put_before(results)
        self.refresh()

    @property
    def charted(self) -> tuple[tuple[ResolvedRequest, str], ...]:
        """The launch and date of each whole run on the chart."""
        return tuple((run.resolved, run.date) for run in self.runs.whole)

    View = ThroughputView

    def view(self) -> ThroughputView:
        return ThroughputView(mode=self.mode.current, samples=self.samples.isChecked())

    def show_view(self, view: ThroughputView) -> None:
        """Look at this; names that do not exist change nothing."""
        if view.mode in MODES:
            self.mode.choose(view.mode)
            self.modeChanged.emit(view.mode)
        self.samples.setChecked(view.samples)
        self.refresh()

    def refresh(self) -> None:
        last = self.runs.last
        if last is not None and self._own is not None:
            last.stand_beside(self._own)
        timed = self.runs.timed
        interpreted = last is not None and (
            last.kind is Kind.INTERPRETED if last.finished else self._interprets
        )
        self._stack.setCurrentIndex(1 if timed and not interpreted else 0)
        self._compare()
        self._show_notice(last)
        self.chart.setMinimumHeight(with_text(14 * GRID))
        self.chart.set_points(
            [point for run in timed for point in run.points(self.mode.current, self.peers.removed)]
        )
        self.retranslate()
        self.peers.set_strategy("" if last is None else last.strategy)
        remarks = [] if last is None else remarks_of(last, interpreted=self._interprets)
        about = join_sentences((say("Providers without a time, and why"), *remarks), "\n")
        self.write_on(self.remarks, join_sentences(remarks, " · "), about)
        self.remarks.setVisible(bool(remarks))
        notes, state = ((), []) if last is None else (last.notes, last.state)
        self.doubts.show_doubts(
            note
            for note in notes
            if is_doubt(note) and concerns(note, DIRECTIONS, self.mode.current)
        )
        self.write_on(self.doubts, tip=join_sentences(state, "\n"))
        if last is not None and last.finished:
            where = f"{last.device} {last.date[:10]}".strip()
            self.badge.show_kind(last.kind, join_sentences([where, *state], "\n"))
        else:
            self.badge.show_kind(None)

    apply_theme = refresh

    def retranslate(self) -> None:
        self.chart.set_labels("" if self.chart.is_of_one_run else self.tr("run"), "GB/s")
        self._show_legend()

    def _compare(self) -> None:
        shown = self.runs.timed if self._stack.currentIndex() else self.runs.failed
        if self._plan is None or not shown:
            self.veil.show_other(None)
            return
        last = shown[-1]
        machine = "" if last.kind is Kind.RECORDED else last.device
        self.veil.show_other(other_setting(last.resolved, self._plan, machine))

    @property
    def _interprets(self) -> bool:
        return self._device is not None and self._device.backend == "interpreter"

    def _show_legend(self) -> None:
        self.legend.set_entries(legend_of(self.chart.points, named=self.chart.names_all))

    def _draw_soon(self) -> None:
        if not self._redraw.isActive():
            self._redraw.start(REDRAW_MS)

    def _show_notice(self, last: Run | None) -> None:
        if self._interprets:
            self.notice.set_text(
                say("No speeds from the interpreter"),
                say(
                    "Triton's interpreter ran the kernels on the CPU. Its times say nothing about a"
                    " GPU, so none are shown."
                ),
                say("Watch a recorded run"),
                say("4096 × 1024 with GROUP_SIZE_M 16 on an H200"),
                say("Add a kernel …"),
            )
        elif last is not None and last.failed:
            body = say(
                "A wrong result gets no time. Beyond tolerance in the last run: {names}. See"
                " Correctness.",
                names=last.failed,
            )
            self.notice.set_text(say("No speed without correctness"), body)
        else:
            self.notice.set_text(
                say("Nothing measured yet"),
                say("Press Run: the kernels are timed after their results are checked."),
            )

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
        sentence = point_sentence(point, torch, point.device if several else "")
        self.write_on(self.readout, sentence)

    def _build(self) -> None:
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
        self.chart.caption = lambda: sources_of(self.runs.timed)
        self.chart.legend = lambda: self.legend.entries
        self.chart.view.sigResized.connect(self._show_legend)
        self.samples.setChecked(True)
        self.samples.toggled.connect(self.chart.set_samples)
        self.mode.changed.connect(self.refresh)
        self.mode.changed.connect(self.modeChanged)
        self.chart.pointed.connect(self._on_hovered)
        self.peers.chosen.connect(lambda _peers: self.refresh())
        self.peers.chosen.connect(self.peersChosen)
        self.notice.otherWanted.connect(
            self.peers.kernelWanted
        )  # a kernel is checked on the interpreter, too
