"""A session in one file: everything that a window has open, and how it is shown.

Each part is a value of its own in the archive, so that one that cannot be shown takes no other with
it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, TypeVar

from lnexplorer import __version__
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.result import RunResult, compact
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.views import ReductionView
from lnexplorer.protocol.codec import encode
from lnexplorer.store.archive import SESSION, Archive, Manifest, open_archive, write_archive
from lnexplorer.store.check import (
    check_experiment_result,
    check_possible,
    check_result,
    check_sweep_form,
    check_timeline,
)
from lnexplorer.store.files import StoreError
from lnexplorer.store.packed import check_packed, cleaned, unpack
from lnexplorer.store.recordings import RecordedSweep, check_recorded_sweep
from lnkernels.values import Sentence, frozen_by_name, say
from lnkernels.values.environment import Environment
from lnkernels.values.timeline import ReductionTimeline

Check = Callable[[Any], None]
View = TypeVar("View")


@frozen_by_name(eq=False)
class SessionRun:
    result: RunResult
    note: str = ""


@frozen_by_name(eq=False)
class SessionTimeline:
    """The timeline on show. A simulated one is not kept: `view.model` yields it again."""

    request: ResolvedRequest
    timeline: ReductionTimeline | None
    view: ReductionView = field(default_factory=ReductionView)
    # Of a recorded one; None where it was not recorded, or that is not known.
    environment: Environment | None = None


@frozen_by_name(eq=False)
class Session:
    """The content of one file. `baseline`, `shown` and `charted` are places in `runs`, `sweep` is
    one in `sweeps`.
    """

    request: RunRequest
    runs: tuple[SessionRun, ...] = ()
    baseline: int | None = None
    shown: int | None = None  # the run on the screen
    charted: tuple[int, ...] = ()  # those on the chart of speeds
    layout: str = ""  # where the panes are, as Qt keeps it, in base64
    timeline: SessionTimeline | None = None
    sweeps: tuple[RecordedSweep, ...] = ()
    sweep: int | None = None  # the one on the screen
    sweep_form: SweepRequest | None = None  # what its form says
    beside: tuple[Overlay, ...] = ()  # the sweep on show
    experiments: tuple[ExperimentResult, ...] = ()
    views: Mapping[str, Any] = field(default_factory=dict)  # by the name of the pane
    left_out: tuple[Sentence, ...] = ()  # parts of the file that cannot be shown; reading fills it


@frozen_by_name
class _Places:
    """Places in the file of the runs and sweeps that are chosen."""

    baseline: int | None = None
    shown: int | None = None
    charted: tuple[int, ...] = ()
    sweep: int | None = None
    layout: str = ""


def write_session(path: Path, session: Session) -> None:
    """Write `session`, its results compact, whole or not at all.

    Raises:
        StoreError: it would be larger than what is read, or the file cannot be written; one
            sentence.
    """
    write_archive(
        path,
        SESSION,
        Manifest(kind=SESSION.name, title=f"lnexplorer {__version__}"),
        _values(session),
    )


def read_session(path: Path) -> Session:
    """Read a session. What was measured comes back as "recorded"; what cannot be shown is named in
    `left_out`.

    Raises:
        StoreError: the file cannot be read, is damaged, foreign or from a newer version, or nothing
            of it can be shown; one sentence that names the file and the cause.
    """
    with open_archive(path, SESSION) as archive:
        return _Reader(archive).session()


def view_of(values: object, kind: type[View]) -> View:
    """Return how a pane shows what it has, from the plain values in a file.

    Raises:
        StoreError: they are no such view; why, without a full stop.
    """
    data = encode(values)
    check_packed(data, kind)
    view: View = cleaned(unpack(data, kind))
    return view


def _values(session: Session) -> Iterator[tuple[str, Any]]:
    places = {
        name: getattr(session, name) for name in ("baseline", "shown", "charted", "sweep", "layout")
    }
    yield "places", _Places(**places)
    for name in ("request", "timeline", "sweep_form", "views"):
        value = getattr(session, name)
        if value is not None:
            yield name, value
    for place, run in enumerate(session.runs):
        yield f"runs/{place}", replace(run, result=compact(run.result))
    for name in ("sweeps", "experiments", "beside"):
        for place, value in enumerate(getattr(session, name)):
            yield f"{name}/{place}", value


class _Reader:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._names = archive.names
        self._unread = set(archive.names)
        self._left_out: list[Sentence] = []
        self._found = 0

    def session(self) -> Session:
        places = self._part("places", say("what is on the screen"), _Places) or _Places()
        runs, place_of_run = self._list(
            "runs", say("run"), SessionRun, lambda run: check_result(run.result)
        )
        sweeps, place_of_sweep = self._list(
            "sweeps", say("sweep"), RecordedSweep, check_recorded_sweep
        )
        experiments, _ = self._list(
            "experiments", say("experiment"), ExperimentResult, check_experiment_result
        )
        beside, _ = self._list("beside", say("curves beside the sweep"), Overlay, _check_curves)
        shown = place_of_run.get(places.shown)
        request = self._part("request", say("the parameters"), RunRequest)
        if request is None:
            request = runs[shown].result.request if shown is not None else RunRequest()
        found = Session(
            request=request,
            runs=runs,
            baseline=place_of_run.get(places.baseline),
            shown=shown,
            charted=tuple(place_of_run[place] for place in places.charted if place in place_of_run),
            layout=places.layout,
            timeline=self._part("timeline", say("the timeline"), SessionTimeline, _check_timeline),
            sweeps=sweeps,
            sweep=place_of_sweep.get(places.sweep),
            sweep_form=self._part(
                "sweep_form", say("the form of the sweep"), SweepRequest, check_sweep_form
            ),
            beside=beside,
            experiments=experiments,
            views=self._views(),
        )
        self._left_out += [say("{name} is not known", name=name) for name in sorted(self._unread)]
        if not self._found:
            raise StoreError(self._left_out[0] if self._left_out else say("it holds no session"))
        return replace(found, left_out=tuple(self._left_out))

    def _views(self) -> dict[str, Any]:
        views = self._part("views", say("how panes show what they have"), dict) or {}
        # Files of before had the name of the chosen experiment alone.
        if (chosen := views.pop("experiment", None)) is not None:
            views["experiments"] = {"name": chosen}
        return {name: view for name, view in views.items() if view is not None}

    def _part(self, name: str, words: Sentence, kind: Any, check: Check = lambda _: None) -> Any:
        """Return a part; None where it is missing, or refused by `check`."""
        if name not in self._names:
            return None
        self._unread.discard(name)
        try:
            found = self._archive.value(name, kind)
            check(found)
        except StoreError as error:
            self._left_out.append(say("{part}: {why}", part=words, why=error.sentence))
            return None
        self._found += 1
        return found

    def _list(
        self, name: str, words: Sentence, kind: Any, check: Check
    ) -> tuple[tuple[Any, ...], dict[int | None, int]]:
        """Return the parts of a list that can be shown, and the new place of each by its place in
        the file.
        """
        found: list[Any] = []
        places: dict[int | None, int] = {}
        count = sum(each.startswith(f"{name}/") for each in self._names)
        for place in range(count):
            part = say("{part} {place}", part=words, place=place + 1)
            value = self._part(f"{name}/{place}", part, kind, check)
            if value is not None:
                places[place] = len(found)
                found.append(value)
        return tuple(found), places


def _check_curves(found: Overlay) -> None:
    if any(
        len(curve.x) != len(curve.y) or list(curve.x) != sorted(curve.x) for curve in found.curves
    ):
        raise StoreError("a curve of it is impossible")


def _check_timeline(found: SessionTimeline) -> None:
    check_possible(found.request)
    if found.timeline is not None:
        check_timeline(found.timeline, found.request)
    elif found.view.model is None:
        raise StoreError("it holds neither times nor a model that gives them")
