"""`lnexplorer bench`: the strategies and other LayerNorms at several N, as a table, CSV, JSON and a picture."""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lnexplorer.cli import status
from lnexplorer.cli.options import parse

if TYPE_CHECKING:
    from lnexplorer.cli.bench_options import BenchOptions
    from lnexplorer.cli.progress import Progress
    from lnexplorer.domain.benchmark import Benchmark, BenchmarkPoint
    from lnexplorer.domain.measuring import MeasureRequest
    from lnexplorer.protocol.messages import EngineEvent


def main(arguments: list[str]) -> int:
    """Measure, print, write, and return the exit status."""
    from lnexplorer.cli.bench_options import parser, read_options

    given = parse(parser(), arguments)
    options = read_options(given, arguments)
    # Below this line numpy is loaded, and a worker started.
    from lnexplorer.cli.outcome import refuse

    if isinstance(options, list):
        return refuse("bench", options, as_json=str(given.json) == "-")
    return _bench(options)


def _bench(options: "BenchOptions") -> int:
    from lnexplorer.cli.outcome import end_without_result
    from lnexplorer.cli.progress import Progress
    from lnexplorer.domain.benchmark import Benchmark
    from lnexplorer.engine.benchmark import BenchmarkError
    from lnexplorer.store.files import StoreError
    from lnkernels.values.environment import Kind

    first = options.requests[0]
    benchmark = Benchmark(
        problem=replace(first.subject, n=None),
        directions=first.directions,
        modes=first.modes,
        command=options.command,
        kind=Kind.MEASURED,
        points=(),
        finished=False,
    )
    writer = _Writer(options, benchmark, Progress())
    began = time.perf_counter()
    try:
        result = _measure(options, writer)
    except KeyboardInterrupt:
        writer.progress.clear()
        print("lnexplorer bench: interrupted; what is known is kept", file=sys.stderr)
        result = status.INTERRUPTED
    except BenchmarkError as error:
        writer.progress.clear()
        as_json = writer.json_on_stdout and not writer.benchmark.points
        result = end_without_result("bench", error.outcome, as_json=as_json, device=options.device)
        if not writer.benchmark.points:
            return result
    except StoreError as error:
        writer.progress.clear()
        print(f"lnexplorer bench: {error} Nothing more is measured.", file=sys.stderr)
        result = status.FAILED
    return writer.finish(result, time.perf_counter() - began)


def _measure(options: "BenchOptions", writer: "_Writer") -> int:
    from lnexplorer.engine.benchmark import benchmark_points

    requests = list(options.requests)  # read as the points come, so what is taken out of it later is not asked for

    def show(event: "EngineEvent") -> None:
        writer.show(event, requests)

    points = benchmark_points(requests, options.device, show)
    try:
        for position, point in enumerate(points):
            writer.add(point)
            if position == 0:
                # Those who were not asked for by name and are not here need not be asked again at every N.
                absent = {one.label for one in point.outcomes if one.setting is None and one.status == "invalid"} - options.named
                requests[1:] = [request.without(frozenset(absent)) for request in requests[1:]]
    finally:
        points.close()
    writer.benchmark = replace(writer.benchmark, finished=True)
    wrong = any(outcome.status == "incorrect" for point in writer.benchmark.points for outcome in point.outcomes)
    return status.NOT_WITHIN_TOLERANCE if wrong else status.OK


class _Writer:
    """The benchmark so far, on the terminal and in its files."""

    def __init__(self, options: "BenchOptions", benchmark: "Benchmark", progress: "Progress") -> None:
        self.benchmark = benchmark
        self.progress = progress
        self.json_on_stdout = str(options.json) == "-"
        self._options = options
        self._out = sys.stderr if self.json_on_stdout else sys.stdout
        self._told: frozenset[str] = frozenset()

    def show(self, event: "EngineEvent", requests: Sequence["MeasureRequest"]) -> None:
        """Tell how far it is. Whose turn it is changes a hundred times a second: that is nothing to read."""
        from lnexplorer.protocol.messages import JobProgress
        from lnkernels.sentence import verbatim

        if isinstance(event, JobProgress):
            done = min(len(self.benchmark.points), len(requests) - 1)
            event = replace(event, step=verbatim(f"N = {requests[done].subject.n}"), done=done, total=len(requests))
        self.progress.show(event)

    def add(self, point: "BenchmarkPoint") -> None:
        """Show and keep a point."""
        from lnexplorer.cli.bench_table import head_line, point_text

        if not self.benchmark.points:
            self._say(head_line())
        self.benchmark = replace(self.benchmark, points=(*self.benchmark.points, point))
        self._say(point_text(self.benchmark, point, quiet=self._told))
        self._told |= {one.label for one in point.outcomes if one.setting is None and one.status == "invalid"}
        self._write()

    def finish(self, result: int, seconds: float) -> int:
        """Write everything for the last time; the exit status, which is another where that fails."""
        from lnexplorer.cli.bench_table import end_text
        from lnexplorer.cli.outcome import print_json
        from lnexplorer.report.benchmark_file import benchmark_document
        from lnexplorer.store.files import StoreError

        self.progress.clear()
        try:
            self._write()
        except StoreError as error:
            print(f"lnexplorer bench: {error}", file=sys.stderr)
            result = status.FAILED
        if self.json_on_stdout:
            print_json(benchmark_document(self.benchmark))
        if not self.benchmark.points:
            return result
        self._say(end_text(self.benchmark, seconds))
        return self._draw(result)

    def _write(self) -> None:
        from lnexplorer.report.benchmark_file import benchmark_csv, benchmark_document, file_text, write_text

        if self._options.csv is not None:
            write_text(self._options.csv, benchmark_csv(self.benchmark))
        if self._options.json is not None and not self.json_on_stdout:
            write_text(self._options.json, file_text(benchmark_document(self.benchmark)))

    def _draw(self, result: int) -> int:
        if self._options.picture is None:
            return result
        from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
        from lnexplorer.report.tables import ExportError, write

        missing = missing_libraries(("offscreen",))
        try:
            if missing:
                raise ExportError(missing_sentence(missing))
            write(self._options.picture, _picture(self.benchmark, self._options.picture.suffix.lower().lstrip(".")))
        except ExportError as error:
            print(f"lnexplorer bench: {error}", file=sys.stderr)
            return status.FAILED if result == status.OK else result
        return result

    def _say(self, text: str) -> None:
        self.progress.clear()
        print(text, file=self._out, flush=True)


def _picture(benchmark: "Benchmark", kind: str) -> bytes:
    """GB/s against N of the first way of calling, with kind, device, versions, date and command below."""
    from lnexplorer.domain import wording
    from lnexplorer.domain.benchmark import rows
    from lnexplorer.report.pictures import BENCHMARK_TEXT, begin_drawing, benchmark_picture  # Qt from here on

    mode, environment = benchmark.modes[0], benchmark.environment
    where = ["device not known"]
    if environment is not None:
        clock = "" if environment.sm_clock_mhz is None else f" at {environment.sm_clock_mhz} MHz"
        where = [f"{environment.gpu}{clock}", f"driver {environment.driver}", f"torch {environment.torch}"]
        where += [f"triton {environment.triton}", environment.date]
    title = f"LayerNorm, M = {benchmark.problem.m}, {benchmark.problem.dtype}: {wording.WAYS[mode]}"
    found = [row for point in benchmark.points for row in rows(benchmark, point)]
    begin_drawing(BENCHMARK_TEXT)
    source = f"{' · '.join([benchmark.kind.value, *where])}\n{benchmark.command}"
    return benchmark_picture(found, mode, title, source, kind)
