"""Sessions: everything on the screen in a file, and back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from pathlib import Path

from PySide6.QtCore import QObject

from lnexplorer.domain.experiments.catalogue import finished
from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.gui.panes.sweep.controller import SweepController
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.gui.session.files import ask_where_to_save, shown_path
from lnexplorer.gui.session.services import Kept, PartKey
from lnexplorer.gui.window.main_window import layout_text, restore_layout
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.gui.window.workspaces import (
    EXPERIMENTS,
    HISTORY,
    MEMORY_ACCESS,
    OWN_KERNELS,
    PARTS,
    REDUCTION,
    SWEEP,
    THROUGHPUT,
)
from lnexplorer.store.archive import SESSION
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import RecordedSweep, recorded_sweep
from lnexplorer.store.session import (
    Session,
    SessionRun,
    SessionTimeline,
    read_session,
    view_of,
    write_session,
)
from lnkernels.values import Sentence, frozen, join_sentences, say
from lnkernels.values.environment import Kind

SWEEPS = PartKey[SweepController](SWEEP.name)
LECTURE = "lecture"  # beside the panes' names
MOST_ROWS = 1 << 20  # that the pane simulates at all


@frozen(eq=False)
class OnShow:
    """A snapshot of what is open."""

    session: Session  # without runs and sweeps
    result: RunResult | None
    # Launch and date of each run on the chart of speeds.
    charted: tuple[tuple[ResolvedRequest, str], ...]
    sweep: tuple[SweepRequest, list[CellResult]] | None

    def traits(self) -> tuple[object, ...]:
        """Return what differs from that of another snapshot where what is open does: what is
        measured by its identity.
        """
        session = self.session
        drawn = session.timeline
        traced = None if drawn is None else (drawn.request, id(drawn.timeline), drawn.view)
        rows = None if self.sweep is None else (self.sweep[0], len(self.sweep[1]))
        held = tuple(map(id, (self.result, *session.beside, *session.experiments)))
        shown = (session.request, session.layout, session.sweep_form, session.views)
        return (*shown, traced, rows, held, self.charted)


class Sessions(QObject):
    """Saves and opens sessions."""

    def __init__(self, services: WindowServices) -> None:
        super().__init__(services)
        self._services = services
        self._window = services.window
        self._session = services.session
        self._steps = services.steps
        self._files = services.files
        self._history = services.history
        self._kept: tuple[object, ...] = ()  # traits of what was kept last

    def ask_where_to_save(self) -> None:
        path = ask_where_to_save(
            self._window, self.tr("Save session"), "lnexplorer", SESSION.suffix
        )
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write everything that is open, and the history as far as it shows it."""
        model = self._window.pane(HISTORY).model
        runs, total = tuple(model.ids), model.total
        baseline = None if model.baseline is None else model.baseline.id
        if baseline is not None:
            runs = tuple(dict.fromkeys((*runs, baseline)))
        shown = self._on_show()

        def load(found: list[KeptRun]) -> None:
            self._history.load_sweeps(partial(write, found))

        def write(found: list[KeptRun], sweeps: list[RecordedSweep]) -> None:
            def work() -> Sentence:
                session = session_of(shown, found, baseline, sweeps)
                write_session(path, session)
                return contents(session)

            self._files.do(work, tell)

        def tell(contents: Sentence) -> None:
            lines = [say("Saved as {path} · {contents}", path=path, contents=contents)]
            if total > len(runs):
                lines.append(
                    say("Runs of the history that are not in it: {count}", count=total - len(runs))
                )
            self._session.remark(*lines)

        self._history.collect(runs, load)

    def open(self, path: Path) -> None:
        self._files.do(
            lambda: with_simulation(read_session(path)), lambda session: self._show(session, path)
        )

    def keep(self, path: Path) -> None:
        """Write what is on the screen, if it is new, without the history and without a word."""
        shown = self._on_show()
        if (traits := shown.traits()) != self._kept:
            self._kept = traits
            self._files.do(lambda: write_session(path, session_of(shown, (), None, ())))

    def show_left(self, session: Session, then: Callable[[Session], None]) -> None:
        """Show what was on the screen when the window was closed, in the layout that it has; then
        call something.
        """
        end = partial(then, session)
        # After the steps that others of these add.
        self._add_steps(
            session, partial(self._remark, []), lambda _: self._steps.add("session stands", end)
        )

    def _on_show(self) -> OnShow:
        window, state = self._window, self._session.state
        sweep, shown = window.pane(SWEEP), window.pane(REDUCTION).shown
        model = sweep.model
        timeline = None
        if shown is not None:
            # A model that a timeline was simulated with simulates it again.
            recorded = None if shown[2] is not None else shown[0]
            own = recorded is not None and recorded is state.trace.timeline
            timeline = SessionTimeline(
                request=shown[1],
                timeline=recorded,
                view=window.pane(REDUCTION).view(),
                environment=state.trace.environment if own else None,
            )
        session = Session(
            request=state.request,
            timeline=timeline,
            layout=layout_text(window),
            sweep_form=sweep.form.sweep() or (model.sweep if model is not None else None),
            beside=tuple(sweep.picture.bar.chosen_overlays),
            experiments=window.pane(EXPERIMENTS).results,
            views={
                name: view
                for name, pane in {**window.made, LECTURE: self._services.commands.lecture}.items()
                if isinstance(pane, Kept) and (view := pane.view()) is not None
            },
        )
        return OnShow(
            session=session,
            result=state.run.result,
            charted=window.pane(THROUGHPUT).charted,
            sweep=(model.sweep, list(model.results.values())) if model and model.results else None,
        )

    def _show(self, session: Session, path: Path) -> None:
        self._add_steps(
            session,
            lambda session: restore_layout(self._window, session.layout),
            partial(self._tell_opened, path),
        )

    def _add_steps(self, session: Session, *last: Callable[[Session], None]) -> None:
        """Show all of it, one part in each turn of the event loop, and run nothing."""
        parts: tuple[Callable[[Session], None], ...] = (
            self._show_throughput,
            self._show_reduction,
            self._show_run,
            self._show_sweep,
            self._show_experiments,
            self._show_views,
            *last,
        )
        for number, part in enumerate(parts):
            self._steps.add(f"session {number}", partial(part, session))

    def _show_run(self, session: Session) -> None:
        kept, asks = session.timeline, True
        timeline = None if kept is None else kept.timeline
        if session.shown is not None:
            result = session.runs[session.shown].result
            own = kept is not None and kept.request == result.resolved
            # A timeline that does not say where it was made is taken for the run's.
            if kept is not None and kept.environment is not None:
                own = own and kept.environment.place == result.provenance.environment.place
            self._session.show_past(result, timeline if own else None)
            if own or (timeline is not None and timeline.kind is Kind.SIMULATED):
                timeline = None  # one of other parameters is simulated anew with the run's
            asks = not self._session.state.live and session.request != result.request
        if kept is not None and timeline is not None:
            self._session.show_timeline(timeline, kept.request, kept.environment)
        if asks:
            self._session.set_request(session.request)

    def _show_reduction(self, session: Session) -> None:
        pane, kept = self._window.pane(REDUCTION), session.timeline
        if kept is None or kept.timeline is None:
            return
        pane.wish_view(kept.timeline, kept.view)
        if self._session.state.trace.timeline is kept.timeline:
            # A pane that was made later shows it already, without its model.
            pane.show_timeline(kept.timeline, kept.request)

    def _show_views(self, session: Session) -> None:
        resolved = self._session.state.run.resolved
        if resolved is not None:  # before its view, which chooses a row and a column
            self._window.pane(MEMORY_ACCESS).set_shape(resolved.m, resolved.n)
        for name, values in session.views.items():
            if name in PARTS or name == LECTURE:
                # After the rows of a sweep, which are shown in steps of their own.
                self._steps.add(f"session's view of {name}", partial(self._show_view, name, values))

    def _show_view(self, name: str, values: object) -> None:
        lecture = self._services.commands.lecture
        pane = lecture if name == LECTURE else self._window.pane(name)
        if isinstance(pane, Kept):
            try:
                pane.show_view(view_of(values, pane.View))
            except StoreError as error:
                title = say("Lecture") if name == LECTURE else PARTS[name].title
                self._session.warn(say("{part}: {why}", part=title, why=error.sentence))

    def _show_throughput(self, session: Session) -> None:
        earlier = [
            session.runs[place].result for place in session.charted if place != session.shown
        ]
        self._window.pane(THROUGHPUT).show_earlier(earlier)

    def _show_sweep(self, session: Session) -> None:
        pane = self._window.pane(SWEEP)
        if session.sweep is None and session.sweep_form is None:
            return
        sweeps = self._services.part(SWEEPS)
        if sweeps.busy:
            self._session.warn(
                say("A sweep is under way: those of the session are in the history.")
            )
            return
        if session.sweep is not None:
            shown = session.sweeps[session.sweep]
            pane.show_sweep(shown.sweep, shown.results)
            pane.show_progress(len(shown.results), shown.total, None)
        self._steps.add("session's sweep", partial(self._show_form, session, pane))

    def _show_form(self, session: Session, pane: SweepPane) -> None:
        form = session.sweep_form
        if form is not None:
            if session.beside:
                pane.lay_beside(list(session.beside), form)
            pane.show_form(form)

    def _show_experiments(self, session: Session) -> None:
        show = self._window.pane(EXPERIMENTS).show_result
        for number, result in enumerate(session.experiments):
            self._steps.add(f"session's experiment {number}", partial(show, result))

    def _tell_opened(self, path: Path, session: Session) -> None:
        words = say(
            "Session: {path} · {contents}", path=shown_path(path), contents=contents(session)
        )
        self._remark([words], session)
        picture = self._services.picture
        if picture is not None:
            picture.note_opened()
            for part in session.left_out:
                picture.mention(f"{path}: left out is {part}.")
        else:
            # Once everything is on the screen: a thread that is busy meanwhile would slow that
            # down.
            self._steps.add("session to the history", lambda: self._keep(session))

    def _remark(self, words: list[Sentence], session: Session) -> None:
        lines = [say("Left out is {part}.", part=part) for part in session.left_out] + words
        if OWN_KERNELS.name in session.views:
            lines.append(
                say(
                    "It had a kernel of somebody's own, which is not run unless you agree: see Your"
                    " kernel."
                )
            )
        if lines:
            self._session.remark(*lines)

    def _keep(self, session: Session) -> None:
        """Add to the history what is not there yet."""
        runs = [(run.result, run.note) for run in session.runs]
        if runs:
            self._history.take(runs, session.baseline)
        if session.experiments:
            records = [finished(result) for result in session.experiments]
            self._history.change(
                "experiments",
                lambda history: [history.experiments.take(record) for record in records],
            )
        if session.sweeps:
            self._history.change(
                "sweeps", lambda history: [history.sweeps.take(sweep) for sweep in session.sweeps]
            )


def session_of(
    shown: OnShow,
    found: Sequence[KeptRun],
    baseline: int | None,
    sweeps: Sequence[RecordedSweep],
) -> Session:
    """The whole session. Not for Qt's thread: many runs are compared with what is on show."""
    runs = [SessionRun(result=run.result, note=run.note) for run in found]
    if shown.result is not None and _key(shown.result) not in {_key(run.result) for run in runs}:
        runs.append(SessionRun(result=shown.result))
    places = {_key(run.result): number for number, run in enumerate(runs)}
    numbers = [run.id for run in found]
    held, sweep = _with_shown_sweep(list(sweeps), shown)
    return replace(
        shown.session,
        runs=tuple(runs),
        baseline=numbers.index(baseline) if baseline in numbers else None,
        shown=None if shown.result is None else places[_key(shown.result)],
        charted=tuple(places[key] for key in shown.charted if key in places),
        sweeps=tuple(held),
        sweep=sweep,
    )


def contents(session: Session) -> Sentence:
    """How many runs, sweeps and experiments are in it."""
    counts = (
        say("runs: {count}", count=len(session.runs)),
        say("sweeps: {count}", count=len(session.sweeps)),
        say("experiments: {count}", count=len(session.experiments)),
    )
    held = list(compress(counts, (session.runs, session.sweeps, session.experiments)))
    return join_sentences(held or [say("parameters alone")], " · ")


def with_simulation(session: Session) -> Session:
    """Simulate a session's timeline again, if it was simulated.

    A million rows take a second: not for Qt's thread.
    """
    kept = session.timeline
    if kept is None or kept.timeline is not None or kept.view.model is None:
        return session
    request, launch = kept.request, kept.request.launch
    timeline = simulate(
        min(request.m, MOST_ROWS),
        request.n,
        launch.group_size_m,
        launch.reduce_block_size_m,
        launch.reduce_block_size_n,
        kept.view.model,
    )
    return replace(session, timeline=replace(kept, timeline=timeline))


def _key(result: RunResult) -> tuple[ResolvedRequest, str]:
    """Return what tells runs apart: the history keeps them coarser, so arrays are not compared."""
    return result.resolved, result.provenance.environment.date


def _with_shown_sweep(
    sweeps: list[RecordedSweep], shown: OnShow
) -> tuple[list[RecordedSweep], int | None]:
    """The sweeps, and the place of the one on the screen, which is added where it is not among the
    others.
    """
    if shown.sweep is None:
        return sweeps, None
    request, results = shown.sweep
    dates = {result.cell.number: result.environment.date for result in results}
    for place, sweep in enumerate(sweeps):
        if (
            sweep.sweep == request
            and {row.cell.number: row.environment.date for row in sweep.results} == dates
        ):
            return sweeps, place
    return [*sweeps, recorded_sweep(request, results)], len(sweeps)
