"""The Sweep pane: many settings at one click, as curves or as a map."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QMenu, QProgressBar, QPushButton, QSplitter, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.request import PRESETS, TUTORIAL, SweepRequest
from lnexplorer.domain.sweep.views import SweepTable
from lnexplorer.domain.views import SweepView
from lnexplorer.gui.kit import (
    GRID,
    LEFT,
    Badge,
    Choice,
    Readout,
    Retranslated,
    Theme,
    icon,
    lay_column,
    lay_row,
    on_accent,
    scroll_area,
    translate_message,
    with_text,
)
from lnexplorer.gui.panes.sweep.form import WIDTH, SweepForm
from lnexplorer.gui.panes.sweep.picture import SweepPictureView
from lnexplorer.gui.panes.sweep.views import ending_text, joined, overlay_text, problem_text
from lnkernels.values import Sentence, Words, say


class SweepBar(Retranslated, QWidget):
    """Chooses a preset, runs, pauses and cancels a sweep, and shows its progress."""

    presetChosen = Signal(object)  # SweepRequest

    def __init__(self) -> None:
        super().__init__()
        self.state = "idle"  # "running", "paused" or "ending" while there is a sweep
        title = say("Sweeps worth one click")
        self.presets = self.write_on(Choice(), tip=title, name=title)
        self.presets.offer(None, say("Own sweep"))
        for preset in PRESETS:
            self.presets.offer(preset.sweep, preset.name, preset.help)
        self.run = self.write_on(
            QPushButton(),
            say("Run sweep"),
            say("Try every setting; rows are kept as they come"),
        )
        self.pause = QPushButton()
        self.cancel = self.write_on(
            QPushButton(),
            say("Cancel"),
            say("End now; rows so far are kept, and the sweep can be resumed (Esc)"),
        )
        self.kept = self.write_on(
            QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup),
            say("Kept sweeps"),
            say("Look at a sweep again, or resume one that did not end"),
        )
        self.progress = QProgressBar(textVisible=False)
        self.said = Readout(LEFT)
        self.badge = Badge()
        self.run.setProperty("look", "primary")
        buttons = (self.presets, self.run, self.pause, self.cancel, self.kept)
        line = lay_row(None, *buttons, (self.said, 1), self.badge, spacing=GRID)
        margins = (2 * GRID, GRID, 2 * GRID, 0)
        lay_column(self, line, self.progress, margins=margins, spacing=GRID // 2)
        self.set_state("idle")
        self.presets.activated.connect(self._on_preset)

    def set_state(self, state: str) -> None:
        """Show what can be done now. What cannot leaves its room to the text about the sweep."""
        self.state = state
        idle, paused = state == "idle", state == "paused"
        for part in (self.pause, self.cancel):
            part.setVisible(not idle)
            part.setEnabled(state in {"running", "paused"})
        self.kept.setVisible(idle)
        self.run.setEnabled(idle)
        self.presets.setEnabled(idle)
        if paused:
            self.write_on(self.pause, say("Go on"), say("Hand out settings again"))
        else:
            self.write_on(self.pause, say("Pause"), say("Hand out no more settings for now"))

    def show_progress(self, done: int, total: int) -> None:
        self.progress.setMaximum(max(total, 1))
        self.progress.setValue(done)

    def apply_theme(self) -> None:
        theme = Theme.current
        self.run.setIcon(icon("run", on_accent(theme), theme.muted))
        self.cancel.setIcon(icon("stop", theme.bad, theme.line))

    def show_preset_of(self, sweep: SweepRequest | None) -> None:
        sweeps = [preset.sweep for preset in PRESETS]
        self.presets.setCurrentIndex(sweeps.index(sweep) + 1 if sweep in sweeps else 0)

    def _on_preset(self, index: int) -> None:
        sweep = self.presets.itemData(index)
        if isinstance(sweep, SweepRequest):
            self.presetChosen.emit(sweep)


class SweepPane(Retranslated, QWidget):
    """The form, the picture and the progress of a sweep: setters in, signals of intent out."""

    runRequested = Signal(object)  # SweepRequest
    aboutChanged = Signal(str)  # the problem on show, and its GPU; may be empty

    def __init__(self) -> None:
        super().__init__()
        self.bar = SweepBar()
        self.form = SweepForm()
        self.picture = SweepPictureView()
        self.model: SweepTable | None = None
        menu = QMenu(self)
        self.list_kept = menu.addAction("")
        self.save = menu.addAction("")
        self.write_on(self.list_kept, say("All in History …"))
        self.write_on(self.save, say("Save the sweep on show …"))
        self.write_on(self, name=say("Sweep"))
        self.save.setEnabled(False)
        self.bar.kept.setMenu(menu)
        self._lay_out()
        self._connect()
        self.show_form(TUTORIAL.sweep)

    View = SweepView

    def view(self) -> SweepView:
        return self.picture.view()

    def show_view(self, view: SweepView) -> None:
        self.picture.show_view(view)

    def set_base(self, request: RunRequest) -> None:
        self.form.set_base(request)
        self.bar.show_preset_of(None)
        self._show_badge()

    def propose(self, sweep: SweepRequest) -> None:
        """Put a sweep into a form that nobody has touched."""
        if self.model is None and self.form.sweep() == TUTORIAL.sweep:
            self.show_form(sweep)

    def show_form(self, sweep: SweepRequest) -> None:
        """Put a sweep into the form, beside what is on show."""
        self.form.set_sweep(sweep)
        self.bar.show_preset_of(sweep)
        self._show_badge()

    def set_overlays(self, overlays: Sequence[Overlay]) -> None:
        self.picture.bar.set_overlays(overlays)
        self.picture.draw_in_turns()

    def lay_beside(self, overlays: Sequence[Overlay], sweep: SweepRequest) -> bool:
        """Show figures from elsewhere, beside the sweep on show if that is one over N, and by
        themselves otherwise.

        Args:
            overlays: of GB/s against N.
            sweep: one over the same N, which may be run to compare with them.

        Returns:
            False where a sweep of something else is under way, and nothing is changed.
        """
        over_n = self.model is not None and [axis.name for axis in self.model.sweep.axes] == ["n"]
        if not over_n:
            if self.bar.state != "idle":
                return False
            self.show_sweep(sweep)
        self.picture.bar.choose("gbps")
        self.picture.bar.lay_beside(overlays)
        return True

    def offer_kept(self, rows: list[SweepRow]) -> None:
        """Take the kept sweeps, newest first, and say how to resume one that was cut off."""
        cut_off = [
            row for row in rows if row.done < row.total and not row.ended and not row.running
        ]
        if cut_off and self.model is None:
            row = cut_off[0]
            self.say(
                say(
                    "The sweep of {date} stopped at {done} of {total} rows. To go on, open it in"
                    " History.",
                    date=row.date[:16].replace("T", " "),
                    done=row.done,
                    total=row.total,
                )
            )

    def show_sweep(self, sweep: SweepRequest, results: Sequence[CellResult] = ()) -> None:
        """Show a sweep with the rows it has; more may follow."""
        self.model = SweepTable(sweep, results)
        self.form.set_sweep(sweep)
        self.bar.show_preset_of(sweep)
        self.picture.show_table(self.model)
        self._show_badge()
        self.save.setEnabled(True)

    def add_rows(self, results: list[CellResult]) -> None:
        if self.model is not None:
            first = not self.model.results
            self.picture.add(results)
            if first:
                self._show_badge()

    def set_state(self, state: str) -> None:
        self.bar.set_state(state)
        self.form.setEnabled(state == "idle")

    def show_progress(
        self, done: int, total: int, remaining_seconds: float | None, source: Sequence[str] = ()
    ) -> None:
        """Show the progress, and where the rows come from if that is elsewhere."""
        parts: list[Words] = [
            *source,
            say("{done} of {total}", done=done, total=total),
        ]
        if remaining_seconds is not None and done < total:
            parts.append(say("about {time} left", time=wording.duration(remaining_seconds)))
        if self.bar.state == "paused":
            parts.append(say("paused"))
        self.bar.show_progress(done, total)
        self.say(joined(parts))

    def show_end(self, how: str, sentence: Sentence | None, wall_seconds: float) -> None:
        """Show that the sweep is over, and why it ended so."""
        self.set_state("idle")
        self.say(ending_text(how, sentence, wall_seconds))
        self.picture.show_end()
        self._show_badge()

    def say(self, sentence: Words) -> None:
        """Write a sentence about the sweep, in the place of the last one."""
        self.bar.write_on(self.bar.said, sentence, sentence)

    def apply_theme(self) -> None:
        self._scroll.setMinimumWidth(with_text(WIDTH) + GRID)

    def _show_badge(self) -> None:
        kinds = self.model.kinds if self.model is not None else ()
        hardware = self.model.hardware if self.model is not None else ()
        self.bar.badge.show_kind(kinds[0] if kinds else None, joined(hardware, ", "))
        self.aboutChanged.emit(translate_message(self._about()))

    retranslate = _show_badge

    def _about(self) -> Sentence:
        """Return whose figures are on show: those of the rows, else of what lies beside them; else
        the problem that the form asks for.
        """
        model, beside = self.model, self.picture.bar.chosen_overlays
        if model is None and (asked := self.form.sweep()) is not None:
            model = SweepTable(asked)
        if model is not None and (model.results or not beside):
            return joined([problem_text(model), *model.hardware])
        return joined(list(dict.fromkeys(map(overlay_text, beside))))

    def _lay_out(self) -> None:
        # From the outside in: a widget that gets a parent later is restyled with all its parts.
        split = QSplitter(Qt.Orientation.Horizontal, self)
        self._scroll = scroll_area(split, sideways=False)
        self._scroll.viewport().setAutoFillBackground(False)
        self._scroll.setWidget(self.form)
        self.form.setAutoFillBackground(False)
        split.addWidget(self.picture)
        split.setStretchFactor(1, 1)
        split.setSizes([WIDTH, 3 * WIDTH])
        lay_column(self, self.bar, (split, 1), spacing=GRID // 2)

    def _connect(self) -> None:
        self.bar.presetChosen.connect(self.form.set_sweep)
        self.bar.run.clicked.connect(self._on_run)
        self.picture.bar.changed.connect(self._show_badge)
        self.form.edited.connect(lambda: self.bar.show_preset_of(None))
        self.form.edited.connect(self.form.sweep)
        self.form.edited.connect(self._show_badge)
        self.bar.presetChosen.connect(self._show_badge)

    def _on_run(self) -> None:
        sweep = self.form.sweep()
        if sweep is not None:
            self.runRequested.emit(sweep)
        else:  # in a low window the sentence is further down, once it has its place
            QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(self.form.error))
