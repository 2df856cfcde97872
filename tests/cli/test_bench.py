import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli import bench
from lnexplorer.cli.bench import parser, read_requests
from lnexplorer.engine.benchmark import BenchmarkError
from lnexplorer.protocol.messages import Broken
from lnexplorer.report.benchmark_file import read_benchmark
from lnkernels.values.sentence import verbatim
from tests.sample_benchmark import point

ONE_FIGURE = ("--mode", "forward", "--l2", "cold", "--no-autograd")


def read(*arguments: str) -> Any:
    return read_requests(parser().read(arguments))


def points(*widths: int, then: BaseException | None = None) -> Any:
    def measured(*_: object) -> Iterator[Any]:
        for n in widths:
            yield point(n)
        if then is not None:
            raise then

    return measured


def test_there_is_one_request_for_each_n_and_its_settings_differ_in_their_strategy() -> None:
    requests = read(
        "--m",
        "64",
        "--n",
        "256:1024:256",
        "--strategy",
        "locked,split",
        "--provider",
        "torch",
        "--autograd",
    )
    assert [request.subject.n for request in requests] == [256, 512, 768, 1024]
    first = requests[0]
    assert [setting.strategy for setting in first.settings] == ["locked", "split"]
    assert (first.providers, first.modes) == (
        ("torch",),
        ("kernel_cold", "kernel_warm", "autograd"),
    )


def test_a_file_is_timed_with_every_combination_of_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("SETTINGS = {'a': [1, 2], 'b': [True]}")
    (request,) = read("--n", "256", "--provider", f"torch,{path}")
    assert request.providers == ("torch", "mine.a=1", "mine.a=2")
    assert [kernel.settings for kernel in request.kernels] == [
        (("a", value), ("b", True)) for value in (1, 2)
    ]


def test_without_options_it_is_everybody_on_the_tutorials_widths() -> None:
    requests = read()
    assert requests[0].labels[:5] == ("locked", "persistent", "split", "atomic", "auto")
    assert {"torch", "torch.compile", "liger", "quack", "apex"} <= set(requests[0].providers)
    assert [request.subject.n for request in requests][-2:] == [15872, 16384]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["--n", "5:1:1"], "n"),
        (["--n", "0"], "n"),
        (["--m", "many"], "m"),
        (["--dtype", "float8"], "dtype"),
        (["--strategy", "best"], "strategy"),
        (["--strategy", "none", "--provider", "none"], "strategy"),
        (["--mode", "sideways"], "mode"),
        (["--l2", "tepid"], "l2"),
        (["--seconds", "-1"], "seconds"),
        (["--csv", "/nowhere/at/all.csv"], "csv"),
        (["--picture", "chart.gif"], "picture"),
        (["--device", "tpu"], "device"),
    ],
)
def test_a_bad_value_is_refused_by_its_name_before_a_worker_starts(
    arguments: list[str], field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *arguments]) == 2
    assert f"{field} = " in capsys.readouterr().err


def test_points_are_printed_and_kept_in_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "benchmark_points", points(256, 512))
    csv, document = tmp_path / "b.csv", tmp_path / "b.json"
    files = ("--csv", str(csv), "--json", str(document))
    assert main(["bench", "--n", "256,512", *ONE_FIGURE, *files]) == 1, "a result was wrong"
    out = capsys.readouterr().out
    assert "torch: incorrect: dw is wrong in 3 elements" in out
    assert "note: The GPU's clock fell." in out
    assert "GB/s  requested" in out
    assert len(csv.read_text().splitlines()) == 7
    assert len(read_benchmark(document).rows) == 6
    assert json.loads(document.read_text())["finished"] is True


def test_with_json_alone_stdout_is_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "benchmark_points", points(256))
    main(["bench", "--n", "256", "--json"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["kind"] == "lnexplorer benchmark"
    assert "GB/s" in captured.err


def test_interrupted_it_keeps_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "benchmark_points", points(256, then=KeyboardInterrupt()))
    document = tmp_path / "b.json"
    assert main(["bench", "--n", "256,512", "--json", str(document)]) == 130
    assert "interrupted" in capsys.readouterr().err
    kept = json.loads(document.read_text())
    assert kept["finished"] is False
    assert [each["n"] for each in kept["points"]] == [256]


def test_a_worker_that_does_not_come_back_leaves_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        bench,
        "benchmark_points",
        points(256, then=BenchmarkError(Broken("start", verbatim("No GPU any more."), ""))),
    )
    csv = tmp_path / "b.csv"
    assert main(["bench", "--n", "256,512", *ONE_FIGURE, "--csv", str(csv)]) == 3
    assert "No GPU any more." in capsys.readouterr().err
    assert len(csv.read_text().splitlines()) == 4


def test_a_picture_is_drawn_of_what_is_known_and_says_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "benchmark_points", points(256, then=KeyboardInterrupt()))
    picture = tmp_path / "b.svg"
    assert main(["bench", "--n", "256,512", "--picture", str(picture)]) == 130
    text = picture.read_text()
    assert (
        "measured · a GPU · driver 1 · torch 2.11 · triton 3.6 · 2026-01-01T00:00:00+00:00" in text
    )
    assert "LayerNorm, M = 4096, float16: kernels alone, cold L2" in text
