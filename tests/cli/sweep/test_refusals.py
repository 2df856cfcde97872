"""What `lnexplorer sweep` cannot do, and what it says then."""

from pathlib import Path

import pytest

from lnexplorer.cli.sweep import parser, read_sweep
from lnexplorer.doctor.facts import Driver
from lnexplorer.domain.parameters import PARAMETERS, Parameter
from lnexplorer.store.files import StoreError
from lnexplorer.store.sweeps import Sweeps
from lnkernels.values.sentence import say
from tests.cli.conftest import Command


def test_a_cluster_that_does_not_answer_ends_with_status_3_and_says_who_and_why(
    lnexplorer: Command,
) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install '.[cluster]'")
    assert (
        "failed: The Dask scheduler at tcp://127.0.0.1:9 does not answer: Connection refused."
        in lnexplorer("sweep --m 8 --n 64 --cluster tcp://127.0.0.1:9", status=3).err
    )


def test_without_a_worker_it_ends_with_status_3_and_says_why(
    lnexplorer: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lnexplorer.cli.jobs.find_driver",
        lambda: Driver(cards=8, error="Driver/library version mismatch"),
    )
    found = lnexplorer("sweep --n 64 --device cuda:9 --json", status=3).document
    assert (found["ended"], found["because"], found["rows"]) == ("failed", "There is no GPU 9.", [])


@pytest.mark.parametrize("file", ["rows.csv", None])
def test_without_room_for_its_samples_a_sweep_goes_on_and_says_where_its_rows_are(
    file: str | None,
    cwd: Path,
    monkeypatch: pytest.MonkeyPatch,
    lnexplorer: Command,
) -> None:
    def full(_sweeps: Sweeps, _sweep: int, _result: object) -> None:
        raise StoreError(say("lnexplorer.sqlite3 cannot be used: the disk is full."))

    monkeypatch.setattr(Sweeps, "add", full)
    captured = lnexplorer(
        "sweep --n 64,128 --device cuda:0 --json", *(["--csv", file] if file else []), status=3
    )
    assert len(captured.document["rows"]) == 2
    assert (
        f"the disk is full. Its rows are {'in rows.csv.' if file else 'printed at its end'}"
        in captured.err
    )


@pytest.mark.parametrize(
    "parameter",
    [each for each in PARAMETERS if each.type is bool],
    ids=lambda parameter: parameter.name,
)
def test_a_switch_goes_off_by_the_word_that_a_run_has(parameter: Parameter) -> None:
    strategy = "locked" if parameter.name in {"barrier", "atomic_count"} else "persistent"
    off = parameter.option.replace("--", "--no-", 1)
    sweep = read_sweep(parser().read(["--m", "8", "--n", "64,128", "--strategy", strategy, off]))
    assert sweep.base.value(parameter.name) is False
