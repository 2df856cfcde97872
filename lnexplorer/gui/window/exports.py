"""Exports of what the window shows: recordings, sessions, pictures, and runs in other forms."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QInputDialog,
    QSpinBox,
    QWidget,
)

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.lecture.scenes import LENGTHS, USUAL
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.picture import FORMATS, LARGEST, SMALLEST, chart_picture
from lnexplorer.gui.kit import GRID, LIGHT, translate_message
from lnexplorer.gui.panes.reduction.saving import moment_png, moment_svg, open_film
from lnexplorer.gui.session.files import ask_where_to_save
from lnexplorer.gui.session.state import SessionState
from lnexplorer.gui.window.menus import EXPORTS
from lnexplorer.gui.window.picture_run import save_picture
from lnexplorer.gui.window.sessions import Sessions
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.gui.window.workspaces import EXPERIMENTS, HISTORY, REDUCTION, SWEEP
from lnexplorer.lecture.handout import SPEAKER, STUDENT, handout
from lnexplorer.lecture.web import lecture_page
from lnexplorer.report import script
from lnexplorer.report.configs import triton_config
from lnexplorer.report.files import SINGLE, SUFFIXES, in_a_process, write_runs
from lnexplorer.report.page import Exported
from lnexplorer.report.tables import SWEEP_SUFFIXES, write, write_rows
from lnexplorer.store.archive import RECORDING
from lnexplorer.store.recordings import (
    RecordedSweep,
    Recording,
    recorded_sweep,
    write_recording,
)
from lnkernels.values import Sentence, say
from lnkernels.values.environment import KIND_NAMES, Kind

NO_RUN = say("There is no finished run to copy or to export yet.")
NO_TIMELINE = say("There is no timeline of locks to save.")
OTHER_TRACE = say(
    "Only the run is saved: the trace is not of it. Run, then record locks, to save both."
)
USUAL_SIZE = QSize(1600, 900)  # of the picture of a chart
SCALES = (100, 150, 200, 300)  # per cent


def recording_of(state: SessionState) -> tuple[Recording | None, Sentence | None]:
    """Return a recording without a title, and a sentence about what it leaves out.

    The recording is None if there is nothing to save, the sentence if nothing is left out.
    """
    result, trace = state.run.result, state.trace
    timeline = trace.timeline
    if timeline is not None and timeline.kind is Kind.SIMULATED:  # a model gives it again
        timeline = None
    if result is None:
        if timeline is None:
            return None, None
        alone, alone_in = trace.launch, trace.environment
        found = Recording(title="", result=None, timeline=timeline, alone=alone, alone_in=alone_in)
        return found, None
    if timeline is not None and not state.is_of_run:
        return Recording(title="", result=result, timeline=None), OTHER_TRACE
    return Recording(title="", result=result, timeline=timeline), None


class ExportController(QObject):
    """Carries out the actions of EXPORT_ACTIONS, and the exports of the history's context menu."""

    def __init__(self, services: WindowServices) -> None:
        super().__init__(services)
        self._window = services.window
        self._session = services.session
        self._files = services.files
        self._history = services.history
        self._languages = services.preferences.languages
        self.sessions = Sessions(services)
        self._actions: dict[str, Callable[[], object]] = {
            "save_recording": self._save_recording,
            "save_session": self.sessions.ask_where_to_save,
            "save_picture": self._save_picture,
            "chart": self._chart,
            "moment": self._moment,
            "film": self._film,
            "handout": self._handout,
            "copy_python": partial(self._copy, script.python_script),
            "copy_command": partial(self._copy, script.command),
            "copy_config": partial(
                self._copy, lambda result: triton_config(result.resolved.launch)
            ),
            **{name: partial(self._export, name.removeprefix("export_")) for name in EXPORTS},
        }

    def export(self, name: str) -> None:
        """Carry out one of EXPORT_ACTIONS."""
        self._actions[name]()

    def _save_recording(self) -> None:
        recording, left_out = recording_of(self._session.state)
        if recording is None:
            self._session.remark(say("There is neither a finished run nor a trace to save yet."))
            return
        path = ask_where_to_save(self._window, self.tr("Save recording"), "run", RECORDING.suffix)
        if path is not None:
            named = replace(recording, title=path.stem)
            saved = say("Saved as {path}", path=path)
            lines = (saved,) if left_out is None else (saved, left_out)
            self._files.do(
                lambda: write_recording(path, named), lambda _: self._session.remark(*lines)
            )

    def _save_picture(self) -> None:
        path = ask_where_to_save(self._window, self.tr("Save picture"), "lnexplorer", ".png")
        if path is not None and (problem := save_picture(self._window, path)):
            self._session.remark(problem)

    def _chosen(self) -> tuple[int, ...]:
        """Return the runs that are selected in the history, if it is visible."""
        pane = self._window.pane(HISTORY)
        return pane.selected() if pane.isVisible() else ()

    def _collect(self, runs: tuple[int, ...], then: Callable[[list[KeptRun]], None]) -> None:
        """Pass runs of the history to a callback; without a number, the run on the screen."""
        result = self._session.state.run.result
        if runs:
            self._history.collect(runs, then)
        else:
            then([] if result is None else [KeptRun(0, "", result)])

    def _copy(self, write: Callable[[RunResult], str]) -> None:
        def copy(found: list[KeptRun]) -> None:
            if found:
                self._files.do(lambda: write(found[0].result), self.copy)
            else:
                self._session.warn(NO_RUN)

        self._collect(self._chosen()[:1], copy)

    def copy(self, copied: str) -> None:
        QGuiApplication.clipboard().setText(copied)
        lines = copied.rstrip("\n").count("\n") + 1
        self._session.remark(
            say("Copied: 1 line.") if lines == 1 else say("Copied: {lines} lines.", lines=lines)
        )

    def export_sweep(self, number: int) -> None:
        path = ask_where_to_save(self._window, self.tr("Export"), f"sweep{number}", *SWEEP_SUFFIXES)
        if path is not None:
            self._history.ask(
                lambda history: write_rows(path, history.sweeps.load(number)),
                self._session.tell_saved,
            )

    def _export(self, kind: str) -> None:
        """Write the runs that are selected in the history, or else what is on the screen.

        In the workspace of sweeps that is the sweep, if the form can have its rows; else the run.
        """
        shows_sweep = self._window.workspace == "sweep" and SUFFIXES[kind] in SWEEP_SUFFIXES
        if shows_sweep and (sweeps := self._beside()[0]):
            path = ask_where_to_save(self._window, self.tr("Export"), "sweep", SUFFIXES[kind])
            if path is not None:
                self._files.do(lambda: write_rows(path, sweeps[0]), self._session.tell_saved)
            return
        runs = self._chosen()[: 1 if kind in SINGLE else None]
        pinned = self._window.pane(HISTORY).model.baseline if runs else None
        baseline = None if pinned is None else pinned.id
        if kind == "report" and baseline is not None:
            runs = tuple(dict.fromkeys((*runs, baseline)))
        recording = None if runs or kind != "report" else recording_of(self._session.state)[0]
        self._collect(runs, lambda found: self._write(kind, found, baseline, recording))

    def _write(
        self, kind: str, found: list[KeptRun], baseline: int | None, recording: Recording | None
    ) -> None:
        sweeps, experiments = self._beside() if kind == "report" else ((), ())
        content = Exported(
            runs=found,
            baseline=baseline,
            sweeps=sweeps,
            experiments=experiments,
            recording=recording,
        )
        if not content.suffices(kind):
            self._session.warn(NO_RUN)
            return
        path = ask_where_to_save(self._window, self.tr("Export"), "lnexplorer", SUFFIXES[kind])
        if path is not None:
            self._files.do(lambda: write_runs(path, kind, content), self._session.tell_saved)

    def _beside(self) -> tuple[tuple[RecordedSweep, ...], tuple[ExperimentResult, ...]]:
        """Return the sweep on the screen, and the experiments that were done here."""
        model = self._window.pane(SWEEP).model
        rows = list(model.results.values()) if model is not None else []
        done = self._window.pane(EXPERIMENTS).results
        return (
            (recorded_sweep(model.sweep, rows),) if model is not None and rows else (),
            tuple(result for result in done if result.provenance.kind is not Kind.RECORDED),
        )

    def _chart(self) -> None:
        drawn: list[Chart | Drawing] = [
            *self._window.findChildren(Chart),
            *self._window.findChildren(Drawing),
        ]
        # The panels of one picture are saved together.
        charts = [
            each for each in drawn if each.isVisible() and not isinstance(each.parent(), Drawing)
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
        chosen = charts[dialog.chart.currentIndex()]
        caption = [
            chosen.accessibleName(),
            *(self.provenance() if chosen.caption is None else chosen.caption()),
        ]
        try:
            data = chart_picture(
                chosen,
                QSize(dialog.width_.value(), dialog.height_.value()),
                caption,
                path.suffix[1:].lower(),
                dialog.scale.currentData(),
                dialog.colours.currentData(),
            )
        except ValueError as error:  # a name that ends in another form's suffix
            self._session.remark(str(error))
        else:
            self._save(path, lambda: data)

    def _moment(self) -> None:
        """Save the reduction's picture at the playhead, as it was before the file was chosen."""
        pane = self._window.pane(REDUCTION)
        data = moment_svg(pane)
        if data is None:
            self._session.remark(NO_TIMELINE)
            return
        large = moment_png(pane)
        path = ask_where_to_save(
            self._window, self.tr("Save this moment"), "reduction", ".svg", ".png"
        )
        if path is not None:
            self._save(path, lambda: large if path.suffix.lower() == ".png" else data)

    def _film(self) -> None:
        if open_film(self._window.pane(REDUCTION)) is None:
            self._session.remark(NO_TIMELINE)

    def _handout(self) -> None:
        wanted = {
            translate_message(text): (length, reader)
            for length in LENGTHS
            for reader, text in (
                (SPEAKER, say("{length} minutes, with the speaker's notes", length=length)),
                (STUDENT, say("{length} minutes, for students", length=length)),
            )
        }
        title = self.tr("Lecture handout")
        name, chosen = QInputDialog.getItem(
            self._window, title, title, list(wanted), 2 * LENGTHS.index(USUAL), editable=False
        )
        if not chosen:
            return
        path = ask_where_to_save(self._window, title, "lecture", ".pdf", ".html")
        if path is None:
            return
        length, reader = wanted[name]
        make = partial(lecture_page, length)
        if path.suffix.lower() == ".pdf":
            make = partial(handout, length, reader, self._languages.current)
        self._save(path, lambda: in_a_process(make))

    def _save(self, path: Path, make: Callable[[], bytes]) -> None:
        self._files.do(lambda: write(path, make()), lambda _: self._session.tell_saved(path))

    def provenance(self) -> list[str]:
        """Return the lines below a picture: kind of figures, device, date, the run, versions."""
        result = self._session.state.run.result
        if result is None:
            return []
        resolved, environment = result.resolved, result.provenance.environment
        versions = f"torch {environment.torch} · triton {environment.triton}"
        if environment.driver:
            versions += " · " + self.tr("driver {version}").format(version=environment.driver)
        return [
            (
                f"{translate_message(KIND_NAMES[result.provenance.kind])} · {environment.where} ·"
                f" {environment.date}"
            ),
            f"{resolved.shape_text} · {resolved.launch.strategy} · {versions}",
        ]


class ChartDialog(QDialog):
    """Asks which chart is saved, at which size, with how large a text, and in which colours."""

    def __init__(self, charts: Sequence[Chart | Drawing], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Save a chart"))
        self.chart = QComboBox()
        self.scale = QComboBox()
        self.colours = QComboBox()
        self.width_, self.height_ = (
            QSpinBox(minimum=SMALLEST, maximum=LARGEST, suffix=" px", value=size)
            for size in USUAL_SIZE.toTuple()
        )
        self.chart.addItems([chart.accessibleName() or self.tr("Chart") for chart in charts])
        for percent in SCALES:  # of the size of text and lines on the screen
            self.scale.addItem(f"{percent} %", percent / 100)
        self.scale.setCurrentIndex(SCALES.index(200))
        self.colours.addItem(self.tr("For print: dark on white"), LIGHT)
        self.colours.addItem(self.tr("As on the screen"), None)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        form.setSpacing(GRID)
        form.addRow(self.tr("Chart"), self.chart)
        form.addRow(self.tr("Width"), self.width_)
        form.addRow(self.tr("Height"), self.height_)
        form.addRow(self.tr("Text and lines"), self.scale)
        form.addRow(self.tr("Colours"), self.colours)
        form.addRow(buttons)
