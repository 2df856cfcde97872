"""The parts of a session, each read by itself, so that one that cannot be shown takes no other with it."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.sweep.request import SweepRequest, check_sweep
from lnexplorer.domain.views import CorrectnessView, SweepView, ThroughputView, TouchView
from lnexplorer.protocol.plain import DecodeError, from_plain
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.experiment_file import check_findings
from lnexplorer.store.foreign_text import check_environment, check_line, check_names
from lnexplorer.store.own_file import short
from lnexplorer.store.recorded_file import replayed
from lnexplorer.store.session_arrays import with_arrays
from lnexplorer.store.session_values import (
    Session,
    SessionCurves,
    SessionLaunch,
    SessionRun,
    SessionTimeline,
    SessionViews,
)
from lnexplorer.store.sweep_values import RecordedSweep, sweep_from_plain
from lnexplorer.store.timeline_check import MAX_TIME_NS, check_launch_of, check_timeline
from lnexplorer.store.validation import check_possible, check_result
from lnkernels.launch.validation import MAX_GROUP_SIZE_M
from lnkernels.values.accuracy import TENSORS, ErrorMap
from lnkernels.values.environment import Provenance

T = TypeVar("T")
MOST_PROGRAMS = 1 << 20
VIEWS: dict[str, type] = {"correctness": CorrectnessView, "throughput": ThroughputView, "sweep": SweepView, "touch": TouchView}
# Everything that a part can raise that is damaged or impossible.
DAMAGE = (RecordingError, DecodeError, ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


def session_of(plain: dict[str, Any]) -> Session:
    """The session in a file of this version; what cannot be shown is in `left_out`."""
    return _Reader(plain).session()


class _Reader:
    def __init__(self, plain: dict[str, Any]) -> None:
        self._plain = plain
        self._left_out: list[str] = []

    def session(self) -> Session:
        runs, place_of_run = self._list("runs", "run", _run)
        sweeps, place_of_sweep = self._list("sweeps", "sweep", _sweep)
        experiments, _ = self._list("experiments", "experiment", _experiment)
        launches, _ = self._list("launches", "earlier trace", _launch)
        beside, _ = self._list("beside", "figures beside the sweep", _curves)
        shown = self._place("shown", "the run on the screen", place_of_run)
        request = self._part("request", "the parameters", lambda plain: from_plain(plain, RunRequest))
        part = self._part("part", "the part of an error map", lambda plain: from_plain(with_arrays(plain), ErrorMap))
        if request is None:
            request = runs[shown].result.request if shown is not None else RunRequest()
        return Session(
            request=request,
            runs=runs,
            baseline=self._place("baseline", "the baseline", place_of_run),
            shown=shown,
            charted=self._places("charted", "the chart of speeds", place_of_run),
            layout=self._part("layout", "the arrangement", lambda plain: from_plain(plain, str)) or "",
            part=self._fitting(part, None if shown is None else runs[shown].result),
            timeline=self._part("timeline", "the timeline", _timeline),
            launches=launches,
            sweeps=sweeps,
            sweep=self._place("sweep", "the sweep on the screen", place_of_sweep),
            sweep_form=self._part("sweep_form", "the form of the sweep", _form),
            beside=beside,
            experiments=experiments,
            views=self._views(),
            left_out=tuple(self._left_out),
        )

    def _part(self, key: str, name: str, make: Callable[[Any], T]) -> T | None:
        plain = self._plain.get(key)
        return None if plain is None else self._made(name, plain, make)

    def _list(self, key: str, name: str, make: Callable[[Any], T]) -> tuple[tuple[T, ...], dict[int, int]]:
        """The parts of a list that can be shown, and the new place of each by its place in the file."""
        plain = self._plain.get(key, [])
        if not isinstance(plain, list):
            self._leave_out(f"every {name}", "it is no list")
            return (), {}
        found: list[T] = []
        places = {}
        for place in range(len(plain)):
            each, plain[place] = plain[place], None  # given up one by one: to free all at once would stop every thread
            value = self._made(f"{name} {place + 1}", each, make)
            if value is not None:
                places[place] = len(found)
                found.append(value)
        return tuple(found), places

    def _made(self, name: str, plain: Any, make: Callable[[Any], T]) -> T | None:
        try:
            return make(plain)
        except DecodeError as error:
            self._leave_out(name, f"it is damaged or not complete: {error}")
        except DAMAGE as error:
            self._leave_out(name, str(error) or type(error).__name__)
        return None

    def _place(self, key: str, name: str, places: dict[int, int]) -> int | None:
        place = self._plain.get(key)
        count = self._count(key)
        if place is None or count is None:
            return None
        if type(place) is not int or not 0 <= place < count:
            self._leave_out(name, f"{key} is {str(place)[:40]}, and there are {count} to choose from, from 0")
            return None
        return places.get(place)

    def _places(self, key: str, name: str, places: dict[int, int]) -> tuple[int, ...]:
        given = self._part(key, name, lambda plain: from_plain(plain, tuple[int, ...])) or ()
        count = self._count(key)
        for place in given:
            if count is not None and not 0 <= place < count:
                self._leave_out(f"one of {name}", f"{key} has {place}, and there are {count} to choose from, from 0")
        return tuple(places[place] for place in given if place in places)

    def _count(self, key: str) -> int | None:
        """How many a place can be among; None where their list is none, which is told already."""
        listed = self._plain.get("sweeps" if key == "sweep" else "runs", [])
        return len(listed) if isinstance(listed, list) else None

    def _fitting(self, part: ErrorMap | None, result: RunResult | None) -> ErrorMap | None:
        """A part of an error map, where it is one of the run on the screen."""
        if part is None or result is None or _fits(part, result):
            return part if result is not None else None
        where = f"rows {part.row_start} to {part.row_start + part.rows}, columns {part.column_start} to"
        shape = f"{result.resolved.m}×{result.resolved.n}"
        said = f"{short(part.name[:20])}, {where} {part.column_start + part.columns}, is none of the run on the screen, {shape}"
        self._leave_out("the part of an error map", said)
        return None

    def _views(self) -> SessionViews:
        plain = self._part("views", "how panes show what they have", lambda plain: from_plain(plain, dict[str, Any])) or {}
        views = {
            key: self._made(f"how the pane {key} shows what it has", plain[key], partial(_view, kind=kind))
            for key, kind in VIEWS.items()
            if plain.get(key) is not None
        }
        experiment = plain.get("experiment")
        return SessionViews(**views, experiment=experiment if isinstance(experiment, str) else None)

    def _leave_out(self, name: str, why: str) -> None:
        self._left_out.append(f"{name}: {short(why)}")


def _run(plain: Any) -> SessionRun:
    run = from_plain(with_arrays(plain), SessionRun)
    check_result(run.result)
    return SessionRun(result=replace(run.result, provenance=_replayed(run.result.provenance)), note=run.note)


def _sweep(plain: Any) -> RecordedSweep:
    if isinstance(plain, dict) and "samples_ms" in plain:
        plain = plain | {"samples_ms": with_arrays(plain["samples_ms"])}
    return sweep_from_plain(plain)


def _experiment(plain: Any) -> ExperimentResult:
    found = from_plain(with_arrays(plain), ExperimentResult)
    check_findings(found)
    return replace(found, provenance=_replayed(found.provenance))


def _replayed(provenance: Provenance) -> Provenance:
    return replace(provenance, kind=replayed(provenance.kind))


def _curves(plain: Any) -> SessionCurves:
    found = from_plain(with_arrays(plain), SessionCurves)
    check_line("their title", found.title)
    check_line("their problem", found.problem)
    for curve in found.curves:
        check_line("the name of a curve", curve.provider)
        numbers = np.array([*curve.x, *curve.y], np.float64)
        possible = bool(np.isfinite(numbers).all()) and numbers.min(initial=0) >= 0
        if not possible or len(curve.x) != len(curve.y) or list(curve.x) != sorted(curve.x):
            raise RecordingError(f"the curve of {curve.provider[:40]} is impossible")
    return found


def _form(plain: Any) -> SweepRequest:
    form = from_plain(with_arrays(plain), SweepRequest)
    problems = check_sweep(form)
    if problems:
        raise RecordingError(f"it is not possible: {problems[0]}")
    check_names("a provider of it", form.providers)
    return form


def _timeline(plain: Any) -> SessionTimeline:
    found = from_plain(with_arrays(plain), SessionTimeline)
    request, view = found.request, found.view
    check_possible(request)
    if found.environment is not None:
        check_environment(found.environment)
    for model in (view.model, None if view.fitted is None else view.fitted.parameters):
        if model is not None:
            _check_model(model)
    sizes = () if view.fitted is None else (view.fitted.fitted_to, view.fitted.group_size_m)
    for size in sizes:
        if not 1 <= size <= MAX_GROUP_SIZE_M:
            raise RecordingError(f"the model beside it has GROUP_SIZE_M = {size}; it can be 1 to {MAX_GROUP_SIZE_M}")
    if not all(math.isfinite(time) for time in (view.time_ns, *(view.stretch_ns or ()))):
        raise RecordingError("it is looked at outside of all time")
    if found.timeline is None:
        if view.model is None:
            raise RecordingError("it holds neither times nor a model that gives them")
        return found
    check_timeline(found.timeline, barrier=request.launch.barrier)
    check_launch_of(found.timeline, request)
    return replace(found, timeline=replace(found.timeline, kind=replayed(found.timeline.kind)))


def _launch(plain: Any) -> SessionLaunch:
    found = from_plain(with_arrays(plain), SessionLaunch)
    seen, summary = found.seen, found.seen.summary
    if not 1 <= seen.group_size_m <= MAX_GROUP_SIZE_M:
        raise RecordingError(f"it has GROUP_SIZE_M = {seen.group_size_m}; it can be 1 to {MAX_GROUP_SIZE_M}")
    for name in ("m", "tile_block_m", "tile_block_n", "programs"):
        if getattr(seen, name) < 1:
            raise RecordingError(f"its {name} is {getattr(seen, name)}; it is at least 1")
    for field in fields(summary):
        value = getattr(summary, field.name)
        # The gap between the stages of an old trace is the host's, and can be below 0.
        if value is not None and not (-MAX_TIME_NS if field.name == "gap_ns" else 0) <= value < MAX_TIME_NS:
            raise RecordingError(f"{field.name} of its times is {value}")
    for name in ("plain_ns", "traced_ns") if seen.cost is not None else ():
        value = getattr(seen.cost, name)
        if not 0 < value < MAX_TIME_NS:
            raise RecordingError(f"{name} of its times is {value}")
    return found


def _view(plain: Any, kind: type[T]) -> T:
    found = from_plain(with_arrays(plain), kind)
    zoom = getattr(found, "zoom", None)
    if zoom is not None and not (all(map(math.isfinite, zoom)) and zoom[0] < zoom[1] and zoom[2] < zoom[3]):
        raise RecordingError("it is zoomed to where nothing can be")
    return found


def _check_model(model: SimulationParameters) -> None:
    if model.resident_programs > MOST_PROGRAMS or model.sm_count > MOST_PROGRAMS:
        raise RecordingError(f"its model has more than {MOST_PROGRAMS} programs or SMs")
    for field in fields(model):
        value = getattr(model, field.name)
        if isinstance(value, float) and not 0 <= value < MAX_TIME_NS:
            raise RecordingError(f"{field.name} of its model is {value}")


def _fits(part: ErrorMap, result: RunResult) -> bool:
    resolved = result.resolved
    inside = part.name in TENSORS and 0 <= part.row_start <= part.row_start + part.rows <= resolved.m
    inside = inside and 0 <= part.column_start <= part.column_start + part.columns <= resolved.n
    return inside and part.values.ndim == 2 and part.values.shape[0] <= part.rows and part.values.shape[1] <= part.columns
