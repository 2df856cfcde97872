"""Hands things on: pictures of charts, and runs in other forms."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from lnexplorer.domain import wording
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.session.files import ask_where_to_save
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.gui.window.workspaces import EXPERIMENTS, HISTORY, REDUCTION, SWEEP
from lnkernels.values.environment import KIND_NAMES, Kind
from lnkernels.values.sentence import say

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.experiment import ExperimentResult
    from lnexplorer.gui.window.sessions import Sessions
    from lnexplorer.store.history import History
    from lnexplorer.store.recordings import RecordedSweep

NO_RUN = say("There is no finished run to copy or to export yet.")
NO_TIMELINE = say("There is no timeline of locks to save.")
COPIES = {
    "copy_python": "python_script",
    "copy_command": "command",
    "copy_config": "triton_config",
}  # by functions of report
EXPORTS = tuple(
    f"export_{kind}"
    for kind in ("report", "csv", "figures", "parquet", "json", "notebook", "script")
)


class ExportController(QObject):
    """Does what the Export menu and the history's context menu ask for."""

    def __init__(self, services: WindowServices) -> None:
        super().__init__(services)
        self._services = services
        self._window = services.window
        self._session = services.session
        self._files = services.files
        self._history = services.history
        self._sessions: Sessions | None = None
        actions = self._window.actions_
        for name, do in (
            (
                "save_session",
                lambda: self.sessions.ask_where_to_save(),
            ),
            ("chart", self._chart),
            ("moment", self._moment),
            ("film", self._film),
            ("handout", self._handout),
            *((name, partial(self._copy, function)) for name, function in COPIES.items()),
            *((name, partial(self._export, name.removeprefix("export_"))) for name in EXPORTS),
        ):
            actions[name].triggered.connect(lambda _checked=False, do=do: do())
        self._window.paneMade.connect(
            lambda name: self._listen_to_history() if name == "history" else None
        )

    @property
    def sessions(self) -> "Sessions":
        """Made when the first one is wanted: what they need is no work for the start of the window."""
        if self._sessions is None:
            from lnexplorer.gui.window.sessions import Sessions

            self._sessions = Sessions(self._services)
        return self._sessions

    def _listen_to_history(self) -> None:
        pane, actions = self._window.pane(HISTORY), self._window.actions_
        pane.table.exports = [actions[name] for name in (*COPIES, *EXPORTS)]  # of the selected runs
        pane.sweepCommandWanted.connect(self._put)
        pane.sweepRowsWanted.connect(self._sweep)

    def _chosen(self) -> tuple[int, ...]:
        """The runs that are selected in the history, where it is on show."""
        pane = self._window.made_pane(HISTORY)
        return pane.selected() if pane is not None and pane.isVisible() else ()

    def _collect(
        self, runs: tuple[int, ...], then: Callable[[list[tuple[int, str, RunResult]]], None]
    ) -> None:
        """Have runs of the history, or where none is named that on the screen, given to a function."""
        result = self._session.state.run.result
        if runs:
            self._history.collect(runs, then)
        else:
            then([] if result is None else [(0, "", result)])

    def _copy(self, function: str) -> None:
        def copy(found: list[tuple[int, str, RunResult]]) -> None:
            if found:
                self._files.do(
                    lambda: getattr(import_module("lnexplorer.report.script"), function)(
                        found[0][2]
                    ),
                    self._put,
                )
            else:
                self._session.warn(NO_RUN)

        self._collect(self._chosen()[:1], copy)

    def _put(self, copied: str) -> None:
        QGuiApplication.clipboard().setText(copied)
        lines = copied.rstrip("\n").count("\n") + 1
        self._session.remark(
            say("Copied: 1 line.") if lines == 1 else say("Copied: {lines} lines.", lines=lines)
        )

    def _sweep(self, number: int) -> None:
        from lnexplorer.report.tables import SWEEP_SUFFIXES

        path = ask_where_to_save(self._window, self.tr("Export"), f"sweep{number}", *SWEEP_SUFFIXES)
        if path is None:
            return

        def write(history: "History") -> Path:
            from lnexplorer.report.tables import write_rows

            found = history.sweeps.load(number)
            write_rows(path, found.sweep, found.results, found.ended)
            return path

        self._history.ask(write, self._session.tell_saved)

    def _export(self, kind: str) -> None:
        """Write the runs that are selected in the history, or that on the screen."""
        from lnexplorer.report.files import SINGLE

        runs = self._chosen()[: 1 if kind in SINGLE else None]
        pinned = self._window.pane(HISTORY).model.baseline if runs else None
        baseline = None if pinned is None else pinned.id
        if kind == "report" and baseline is not None:
            runs = tuple(dict.fromkeys((*runs, baseline)))
        self._collect(runs, lambda found: self._write(kind, found, baseline))

    def _write(
        self, kind: str, found: list[tuple[int, str, RunResult]], baseline: int | None
    ) -> None:
        from lnexplorer.report.files import SUFFIXES, write_runs
        from lnexplorer.report.tables import KeptRun

        sweeps, experiments = self._beside() if kind == "report" else ((), ())
        if not (found or sweeps or experiments):
            self._session.warn(NO_RUN)
            return
        path = ask_where_to_save(self._window, self.tr("Export"), "lnexplorer", SUFFIXES[kind])
        if path is not None:
            runs = [KeptRun(*run) for run in found]
            self._files.do(
                lambda: write_runs(path, kind, runs, baseline, sweeps, experiments),
                self._session.tell_saved,
            )

    def _beside(self) -> "tuple[tuple[RecordedSweep, ...], tuple[ExperimentResult, ...]]":
        """What stands beside the runs of a report: the sweep on the screen, and the experiments
        that were done here.
        """
        from lnexplorer.store.recordings import recorded_sweep

        sweep, experiments = self._window.made_pane(SWEEP), self._window.made_pane(EXPERIMENTS)
        model, done = sweep and sweep.model, experiments.results if experiments is not None else ()
        shown = (
            (recorded_sweep(model.sweep, list(model.results.values())),)
            if model and model.results
            else ()
        )
        return shown, tuple(
            result for result in done if result.provenance.kind is not Kind.RECORDED
        )

    def _chart(self) -> None:
        from lnexplorer.gui.charts.chart import Chart, Drawing
        from lnexplorer.gui.charts.picture import FORMATS, chart_picture
        from lnexplorer.gui.window.export_dialogs import ChartDialog

        found: list[Chart | Drawing] = [
            *self._window.findChildren(Chart),
            *self._window.findChildren(Drawing),
        ]
        # The panels of one picture are saved together.
        charts = [
            chart
            for chart in found
            if chart.isVisible() and not isinstance(chart.parent(), Drawing)
        ]
        if not charts:
            self._session.remark(say("No chart is on the screen."))
            return
        dialog = ChartDialog(charts, self._window)
        accepted = dialog.exec()
        dialog.deleteLater()
        if not accepted:
            return
        path = ask_where_to_save(
            self._window, self.tr("Save a chart"), "chart", *(f".{form}" for form in FORMATS)
        )
        if path is None:
            return
        chosen = dialog.chosen
        caption = [
            chosen.accessibleName(),
            *(self.provenance() if chosen.caption is None else chosen.caption()),
        ]
        try:
            data = chart_picture(
                chosen,
                dialog.size_,
                caption,
                path.suffix[1:].lower(),
                dialog.factor,
                dialog.colours.currentData(),
            )
        except ValueError as error:  # a name that ends in another form's suffix
            self._session.remark(str(error))
        else:
            self._files.do(lambda: _write_bytes(path, data), self._session.tell_saved)

    def _moment(self) -> None:
        """The reduction's picture at the playhead; as it is now, however long somebody looks for a
        folder.
        """
        data = self._window.pane(REDUCTION).moment_svg()
        if data is None:
            self._session.remark(NO_TIMELINE)
            return
        path = ask_where_to_save(self._window, self.tr("Save this moment"), "reduction", ".svg")
        if path is not None:
            self._files.do(lambda: _write_bytes(path, data), self._session.tell_saved)

    def _film(self) -> None:
        if self._window.pane(REDUCTION).open_film() is None:
            self._session.remark(NO_TIMELINE)

    def _handout(self) -> None:
        path = ask_where_to_save(
            self._window, self.tr("Lecture handout"), "lecture", ".pdf", ".png"
        )
        if path is not None:
            # Loaded when somebody wants it.
            from lnexplorer.lecture.handout import HandoutDialog

            HandoutDialog(path, self._files, self._session.tell_saved, self._window).begin()

    def provenance(self) -> list[str]:
        """What is printed below a picture: what ran, on what, when, and what kind of figures these
        are.
        """
        result = self._session.state.run.result
        if result is None:
            return []
        resolved, environment = result.resolved, result.provenance.environment
        shape = wording.shape(resolved.m, resolved.n, resolved.dtype)
        versions = f"torch {environment.torch} · triton {environment.triton}"
        if environment.driver:
            versions += " · " + self.tr("driver {version}").format(version=environment.driver)
        return [
            (
                f"{translate_message(KIND_NAMES[result.provenance.kind])} · {environment.where} ·"
                f" {environment.date}"
            ),
            f"{shape} · {resolved.launch.strategy} · {versions}",
        ]


def _write_bytes(path: Path, data: bytes) -> Path:
    from lnexplorer.report.tables import write

    write(path, data)
    return path
