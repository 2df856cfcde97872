"""A recording of a timeline without its run."""

from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.residents import kernel_of
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import Recording, read_recording, seen_launches, write_recording
from tests.store.examples import M, small_result, small_timeline, traced_timeline


def test_a_timeline_alone_is_a_recording_and_nothing_at_all_is_none(tmp_path: Path) -> None:
    path = tmp_path / "locks.lnrec"
    write_recording(path, Recording(title="locks", result=None, timeline=small_timeline()))
    assert read_recording(path).result is None
    with pytest.raises(StoreError, match="neither a run nor a timeline"):
        write_recording(path, Recording(title="", result=None, timeline=None))


def test_a_timeline_alone_keeps_its_launch_and_where_it_was_made(tmp_path: Path) -> None:
    path, run = tmp_path / "locks.lnrec", small_result()
    alone = Recording(title="", result=None, timeline=traced_timeline(), alone=run.resolved, alone_in=run.provenance.environment)
    write_recording(path, alone)
    read = read_recording(path)
    assert (read.launch, read.environment) == (run.resolved, run.provenance.environment)
    path.unlink()
    for wrong, sentence in (
        (replace(alone, alone=replace(run.resolved, m=M + 1)), "its timeline is of 8 rows of 16 columns, and its run of 9 of 16"),
        (replace(alone, alone=replace(run.resolved, m=0)), "its run has 0 rows"),
        (replace(alone, alone_in=replace(run.provenance.environment, gpu="a\nb")), "gpu of its environment"),
    ):
        with pytest.raises(StoreError, match=sentence):
            write_recording(path, wrong)
    assert not path.exists()


def test_models_are_measured_by_a_timeline_whose_launch_is_known(tmp_path: Path) -> None:
    run = small_result()
    environment = run.provenance.environment
    alone = Recording(title="alone", result=None, timeline=small_timeline(), alone=run.resolved, alone_in=environment)
    write_recording(tmp_path / "known.lnrec", alone)
    write_recording(tmp_path / "unknown.lnrec", replace(alone, alone=None))
    assert [seen.title for seen in seen_launches(tmp_path, kernel_of(run.resolved, environment))] == ["alone"]
