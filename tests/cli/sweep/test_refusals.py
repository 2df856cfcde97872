"""What `lnexplorer sweep` cannot do, and what it says then."""

import json
from pathlib import Path

import pytest

from lnexplorer.cli.sweep import parser, read_sweep
from lnexplorer.doctor.facts import Driver
from lnexplorer.domain.parameters import PARAMETERS, Parameter
from lnexplorer.store.files import StoreError
from lnexplorer.store.sweeps import Sweeps
from lnkernels.values.sentence import say
from tests.cli.sweep.commands import document, run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--m 1,2 --n 1,2 --seed 1,2", "several values of m, n, seed"),
        ("--n 10:1", "1:10 counts upwards"),
        ("--mode sideways", "mode = sideways"),
        ("--device cuda:0,interpreter", "device = cuda:0,interpreter"),
        ("--timeout soon", "timeout = soon"),
        ("--search many", "search = many"),
        ("--n 1,2 --search 9", "n = 1,2 (--n) is not possible: take one value"),
        (
            "--strategy locked,split --search 9",
            "strategy = locked, split (--strategy) is not possible: take one",
        ),
        ("--m 1,2 --tutorial-output out", "give N several values"),
        (
            "--csv no/where/a.csv",
            (
                "csv = no/where/a.csv is not possible: name a file in a folder that is there;"
                " no/where is not"
            ),
        ),
        ("--csv a.csv --resume b.csv", "leave --csv a.csv out"),
        (
            "--cluster scheduler:8786",
            "cluster = scheduler:8786 is not possible: take tcp://HOST:PORT",
        ),
        (
            "--cluster local:2 --device cuda:0,cuda:1",
            "with --cluster name what each Dask worker takes",
        ),
    ],
)
def test_a_sweep_that_is_not_possible_ends_with_status_2_and_says_why(
    arguments: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(f"sweep {arguments}") == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == [], "nothing was begun"


def test_a_cluster_that_does_not_answer_ends_with_status_3_and_says_who_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install '.[cluster]'")
    assert run("sweep --m 8 --n 64 --cluster tcp://127.0.0.1:9") == 3
    assert (
        "failed: The Dask scheduler at tcp://127.0.0.1:9 does not answer: Connection refused."
        in capsys.readouterr().err
    )


def test_without_a_worker_it_ends_with_status_3_and_says_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lnexplorer.cli.jobs.find_driver",
        lambda: Driver(cards=8, error="Driver/library version mismatch"),
    )
    assert run("sweep --n 64 --device cuda:9 --json") == 3
    found = document(capsys)
    assert (found["ended"], found["because"], found["rows"]) == ("failed", "There is no GPU 9.", [])


@pytest.mark.parametrize("file", ["rows.csv", None])
def test_without_room_for_its_samples_a_sweep_goes_on_and_says_where_its_rows_are(
    file: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(_sweeps: Sweeps, _sweep: int, _result: object) -> None:
        raise StoreError(say("lnexplorer.sqlite3 cannot be used: the disk is full."))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Sweeps, "add", full)
    assert run("sweep --n 64,128 --device cuda:0 --json", *(["--csv", file] if file else [])) == 3
    captured = capsys.readouterr()
    assert len(json.loads(captured.out)["rows"]) == 2
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
