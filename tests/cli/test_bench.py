import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lnexplorer.cli import interrupts, sweep_session
from lnexplorer.cli.bench import parser, read_benchmark_request
from lnexplorer.engine.sources import Source
from lnexplorer.engine.sweep_events import (
    BatchMeasured,
    CellFinished,
    SweepEnded,
    SweepEvent,
    SweepStarted,
)
from lnexplorer.report.benchmark_file import read_benchmark
from lnkernels.values.sentence import verbatim
from tests.cli.conftest import Command
from tests.sample_benchmark import measured, results, sweep

ONE_FIGURE = "--strategy locked --provider torch --mode forward --timing kernel_cold"


class InventedRun:
    """Gives invented rows, as the engine's runner does, of the first `widths` values of N."""

    widths = 9
    how = "finished"
    why = None

    def __init__(
        self,
        make_source: Callable[[], Source],
        on_event: Callable[[SweepEvent], None],
        **_options: object,
    ) -> None:
        self._axis = make_source().sweep.axes[0]
        self._tell = on_event

    def start(self) -> None:
        values = [n for n in self._axis.values[: self.widths] if isinstance(n, int)]
        self._tell(SweepStarted(2 * len(self._axis.values), 0))
        for n in values:
            self._tell(BatchMeasured(measured(n)))
            for row in results(sweep(n)):
                self._tell(CellFinished(row, 1, 4, None))
        if self.how == "cancelled":
            handler = interrupts.signal.getsignal(interrupts.signal.SIGINT)
            assert callable(handler)
            handler(2, None)
        self._tell(SweepEnded(self.how, self.why, 1.0, 0.5))  # type: ignore[arg-type]

    def cancel(self) -> None: ...

    def join(self, seconds: float) -> None: ...


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> type[InventedRun]:
    class Run(InventedRun):
        pass

    monkeypatch.setattr(sweep_session, "SweepRunner", Run)
    return Run


def test_a_file_is_timed_with_every_combination_of_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("SETTINGS = {'a': [1, 2], 'b': [True]}")
    options = parser().read(["--n", "256", "--provider", f"torch,{path}"])
    request = read_benchmark_request(options)
    assert request.sweep.providers == ("torch", "mine.a=1", "mine.a=2")
    assert [kernel.settings for kernel in request.kernels] == [
        (("a", value), ("b", True)) for value in (1, 2)
    ]


@pytest.mark.usefixtures("run")
def test_points_are_printed_and_kept_in_both_files(tmp_path: Path, lnexplorer: Command) -> None:
    csv, document = tmp_path / "b.csv", tmp_path / "b.json"
    line = f"bench --n 256,512 {ONE_FIGURE} --csv {csv} --json {document}"
    out = lnexplorer(line, status=1).out  # one result is wrong
    assert "torch: incorrect: dw is wrong in 3 elements" in out
    assert "note: The GPU's clock fell." in out
    assert "GB/s  requested" in out
    assert len(csv.read_text().splitlines()) == 7
    assert len(read_benchmark(document).rows) == 6
    assert json.loads(document.read_text())["finished"] is True


@pytest.mark.usefixtures("run")
def test_with_json_alone_stdout_is_one_document(lnexplorer: Command) -> None:
    captured = lnexplorer(f"bench --n 256 {ONE_FIGURE} --json", status=1)
    assert captured.document["kind"] == "lnexplorer benchmark"
    assert "GB/s" in captured.err


@pytest.mark.parametrize(
    ("how", "why", "status", "said"),
    [("cancelled", None, 130, "interrupted"), ("failed", "No GPU any more.", 3, "No GPU any more")],
)
def test_an_end_before_the_last_n_leaves_what_is_known_in_files_and_picture(
    how: str,
    why: str | None,
    status: int,
    said: str,
    run: type[InventedRun],
    tmp_path: Path,
    lnexplorer: Command,
) -> None:
    run.widths, run.how, run.why = 1, how, None if why is None else verbatim(why)
    document, picture = tmp_path / "b.json", tmp_path / "b.svg"
    line = f"bench --n 256,512 {ONE_FIGURE} --json {document} --picture {picture}"
    assert said in lnexplorer(line, status=status).err
    kept = json.loads(document.read_text())
    assert kept["finished"] is False
    assert [each["n"] for each in kept["points"]] == [256]
    text = picture.read_text()
    assert (
        "measured · a GPU · driver 1 · torch 2.11 · triton 3.6 · 2026-01-01T00:00:00+00:00" in text
    )
    assert "LayerNorm, M = 4096, float16: kernels alone, cold L2" in text
