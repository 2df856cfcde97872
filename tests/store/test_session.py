"""A session comes back with everything that was open; a part that cannot be shown takes no other
with it.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.views import ExperimentsView, TouchView
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.store import archive, session
from lnexplorer.store.archive import SESSION, Manifest, write_archive
from lnexplorer.store.files import StoreError
from lnexplorer.store.session import (
    Session,
    SessionRun,
    SessionTimeline,
    read_session,
    view_of,
    write_session,
)
from lnkernels.values.environment import Kind
from tests.store.examples import files_of_at_most, small_result
from tests.store.session_examples import full_session

WHOLE = full_session()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "one.lnsession"
    write_session(path, WHOLE)
    return path


def test_everything_comes_back_and_what_was_measured_is_recorded(path: Path) -> None:
    found = read_session(path)
    assert found.left_out == ()
    assert (found.request, found.sweep_form) == (WHOLE.request, WHOLE.sweep_form)
    views = {name: view_of(values, type(WHOLE.views[name])) for name, values in found.views.items()}
    assert views == WHOLE.views
    assert (found.baseline, found.shown, found.charted, found.layout, found.sweep) == (
        0,
        1,
        (0, 1),
        "AAAA",
        0,
    )
    assert [run.note for run in found.runs] == ["fast 快", ""]
    assert [run.result.provenance.kind for run in found.runs] == [Kind.RECORDED, Kind.INTERPRETED]
    assert [each.provenance.kind for each in found.experiments] == [Kind.RECORDED, Kind.INTERPRETED]
    assert {row.kind for row in found.sweeps[0].results} == {Kind.RECORDED}
    assert found.beside[0].curves == WHOLE.beside[0].curves
    one = found.timeline
    assert one is not None
    assert one.timeline is not None
    measured = replace(one, timeline=replace(one.timeline, kind=Kind.MEASURED))
    assert encode(measured) == encode(decode(encode(WHOLE.timeline), SessionTimeline))
    run = found.runs[0].result
    assert encode(replace(run, provenance=small_result().provenance)) == encode(small_result())


def _changed(**changes: Any) -> Session:
    return replace(WHOLE, **changes)


FIRST, SECOND = WHOLE.experiments


def _timeline(**changes: Any) -> Session:
    assert WHOLE.timeline is not None
    return _changed(timeline=replace(WHOLE.timeline, **changes))


CURVES = WHOLE.beside[0]
IMPOSSIBLE = replace(small_result(), resolved=replace(small_result().resolved, m=0))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (_changed(runs=(SessionRun(result=IMPOSSIBLE), WHOLE.runs[1])), "run 1: .*resolved.m"),
        (_timeline(timeline=None), "the timeline: it holds neither times nor a model"),
        (
            _changed(sweep_form=replace(WHOLE.sweep_form, effort="none")),
            "the form of the sweep: its sweep is not possible",
        ),
        (
            _changed(experiments=(replace(FIRST, findings=SECOND.findings), SECOND)),
            "experiment 1: it does not hold the findings",
        ),
        (
            _changed(beside=(replace(CURVES, curves=(replace(CURVES.curves[0], y=(1.0,)),)),)),
            "curves beside the sweep 1: a curve of it is impossible",
        ),
    ],
)
def test_a_part_that_cannot_be_shown_is_named_and_takes_no_other_with_it(
    path: Path, changed: Session, why: str
) -> None:
    write_archive(path, SESSION, Manifest(kind="session"), session._values(changed))
    found = read_session(path)
    (left_out,) = map(str, found.left_out)
    assert re.match(why, left_out), left_out
    left = {"runs": 2, "sweeps": 1, "experiments": 2, "beside": 1}
    lost = sum(count - len(getattr(found, name)) for name, count in left.items())
    lost += [found.timeline, found.sweep_form].count(None) + (not found.views)
    assert lost == 1


def test_places_follow_their_runs_when_another_is_left_out(path: Path) -> None:
    write_session(
        path,
        replace(WHOLE, sweeps=(), sweep=None, runs=(SessionRun(result=IMPOSSIBLE), WHOLE.runs[1])),
    )
    found = read_session(path)
    assert (found.baseline, found.shown, found.charted) == (None, 0, (0,))
    assert found.runs[0].result.provenance.kind is Kind.INTERPRETED


def test_a_part_of_another_type_is_left_out(path: Path) -> None:
    damaged = {"runs/0": {"result": []}, "views": {"memory_access": {"row": "first"}}}
    values = dict(session._values(WHOLE)) | damaged | {"weather": "fine"}
    write_archive(path, SESSION, Manifest(kind="session"), values.items())
    found = read_session(path)
    *named, unknown = map(str, found.left_out)
    (why,) = named
    assert "it is damaged, of another version, or impossible" in why
    assert unknown == "weather is not known"
    with pytest.raises(StoreError, match="it is damaged, of another version, or impossible"):
        view_of(found.views["memory_access"], TouchView)


def test_the_experiment_that_a_file_of_before_names_is_the_view_of_its_pane(path: Path) -> None:
    views = {"experiment": "order", "correctness": None, "memory_access": {"row": 2}}
    write_archive(path, SESSION, Manifest(kind="session"), [("views", views)])
    found = read_session(path).views
    assert view_of(found["experiments"], ExperimentsView) == ExperimentsView(name="order")
    assert view_of(found["memory_access"], TouchView) == TouchView(row=2)
    assert set(found) == {"experiments", "memory_access"}


def test_a_session_of_which_nothing_is_left_is_refused(path: Path) -> None:
    write_archive(
        path, SESSION, Manifest(kind="session"), [("runs/0", SessionRun(result=IMPOSSIBLE))]
    )
    with pytest.raises(StoreError, match=f"{path} cannot be opened: run 1: .*resolved.m"):
        read_session(path)
    write_archive(path, SESSION, Manifest(kind="session"), [])
    with pytest.raises(StoreError, match="it holds no session"):
        read_session(path)


def test_a_full_disk_or_too_much_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    with files_of_at_most(100), pytest.raises(StoreError, match="The session cannot be saved as"):
        write_session(path, WHOLE)
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 1 << 10)
    with pytest.raises(StoreError, match="choose fewer runs or sweeps"):
        write_session(path, WHOLE)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
