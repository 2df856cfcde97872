"""`lnexplorer bench`: the strategies and other LayerNorms at several N, as a table, CSV, JSON and a
picture.
"""

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from lnexplorer.cli.commands import FAILED, INTERRUPTED, NOT_WITHIN_TOLERANCE, OK
from lnexplorer.cli.options import (
    NONE,
    CommandParser,
    add_device_option,
    check_device,
    end_if,
    file_name,
    read_choices,
    read_parameters,
    read_range,
    read_seconds,
)
from lnexplorer.cli.outcome import check_file, impossible, without_result
from lnexplorer.cli.own_kernels import add_setting_option, read_providers
from lnexplorer.cli.run import SPEED_HEADS, SPEEDS_FROM, speed_cells
from lnexplorer.cli.terminal import Progress, aligned, print_json, say, show
from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
from lnexplorer.domain import wording
from lnexplorer.domain.benchmark import Benchmark, rows
from lnexplorer.domain.measuring import WAITING, Measured, MeasureRequest
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import KNOWN_PEERS, known_providers
from lnexplorer.domain.ranges import HOW, read_whole_numbers
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.engine.benchmark import BenchmarkError, benchmark_points
from lnexplorer.protocol.messages import EngineEvent, JobProgress
from lnexplorer.report.benchmark_file import benchmark_csv, benchmark_document, file_text
from lnexplorer.report.tables import write
from lnexplorer.store.files import StoreError
from lnkernels.launch import STRATEGIES
from lnkernels.values.environment import Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS
from lnkernels.values.sentence import verbatim

DESCRIPTION = (
    "Check and time the strategies and other LayerNorms at several N, those of one N interleaved in"
    " one run."
)
EPILOG = (
    "GB/s count the tutorial's bytes; the share is of a copy (forward) or an a + b -> c (backward)"
    " of the same bytes, measured in the same run. Files are written as points arrive. Exit status:"
    " 0 all of N were tried; 1 the same, and some results were wrong; 2 the request is not"
    " possible; 3 the worker, or writing a file, failed; 130 interrupted, 143 by SIGTERM, 129 by a"
    " hang-up; the files have what is known then."
)
L2_STATES = ("cold", "warm")
PROBLEM = tuple(BY_NAME[name] for name in ("m", "dtype", "eps", "data", "seed"))
PICTURES = (".png", ".svg")
# A figure for a table is worth more samples than one that follows a slider.
MOST_SAMPLES, WITHIN = 1000, 0.005
LIMIT_SECONDS = 180.0  # torch.compile takes half a minute where its caches are cold
STDOUT = Path("-")


def main(arguments: list[str]) -> int:
    options = parser().read(arguments)
    requests = read_requests(options)
    first = requests[0]
    benchmark = Benchmark(
        problem=replace(first.subject, n=None),
        directions=first.directions,
        modes=first.modes,
        command=shlex.join(["lnexplorer", "bench", *arguments]),
        kind=Kind.MEASURED,
        points=(),
        finished=False,
    )
    writer = _Writer(options, benchmark, Progress())
    began = time.perf_counter()
    try:
        result = _measure(options, requests, writer)
    except KeyboardInterrupt:
        writer.progress.clear()
        say("bench", "interrupted; what is known is kept")
        result = INTERRUPTED
    except BenchmarkError as error:
        writer.progress.clear()
        end = without_result(error.outcome, options.device)
        if not writer.benchmark.points:
            raise end from error
        result = end.tell("bench", as_json=False)
    except StoreError as error:
        writer.progress.clear()
        say("bench", f"{error} Nothing more is measured.")
        result = FAILED
    return writer.finish(result, time.perf_counter() - began)


def _measure(options: argparse.Namespace, requests: list[MeasureRequest], writer: "_Writer") -> int:
    # Read as the points come, so what is taken out of it later is not asked for.
    points = benchmark_points(requests, options.device, lambda event: writer.show(event, requests))
    try:
        for position, point in enumerate(points):
            writer.add(point)
            if position == 0:
                # Those who are not here need not be asked again at every N.
                absent = frozenset(
                    one.label
                    for one in point.outcomes
                    if one.setting is None and one.status == "invalid"
                )
                requests[1:] = [request.without(absent) for request in requests[1:]]
    finally:
        points.close()
    writer.benchmark = replace(writer.benchmark, finished=True)
    wrong = any(
        outcome.status == "incorrect"
        for point in writer.benchmark.points
        for outcome in point.outcomes
    )
    return NOT_WITHIN_TOLERANCE if wrong else OK


def parser() -> CommandParser:
    made = CommandParser("bench", DESCRIPTION, EPILOG, json=False)
    problem = made.add_argument_group("Problem")
    for parameter in PROBLEM:
        default = 4096 if parameter.name == "m" else RunRequest().value(parameter.name)
        metavar = "|".join(parameter.choices) or parameter.type.__name__.upper()
        problem.add_argument(
            parameter.option,
            metavar=metavar,
            default=str(default),
            help=f"{parameter.help} Default: {default}.",
        )
    problem.add_argument(
        "--n",
        metavar="VALUES",
        default="1024:15872:512,16384",
        help=f"Numbers of columns: {HOW}. Default: %(default)s.",
    )
    who = made.add_argument_group("Who")
    strategies = ",".join(STRATEGIES)
    who.add_argument(
        "--strategy",
        metavar="NAMES",
        help=f"of {strategies}, by comma; none for none. Default: all.",
    )
    peers = (
        f"Default: {', '.join(KNOWN_PEERS)}, and those of other packages, as far as they are here."
    )
    who.add_argument(
        "--provider",
        metavar="NAMES",
        help=f"who is timed beside them, by comma; none for none. {peers}",
    )
    add_setting_option(who)
    what = made.add_argument_group("What")
    what.add_argument("--mode", metavar=",".join(DIRECTIONS), help="Passes. Default: both.")
    text = "State of the cache before a kernel. Default: both."
    what.add_argument("--l2", metavar=",".join(L2_STATES), default=",".join(L2_STATES), help=text)
    text = (
        "Time the call through autograd, too, as the tutorial does, and what it takes of the host."
        " Default: yes."
    )
    what.add_argument("--autograd", action=argparse.BooleanOptionalAction, default=True, help=text)
    text = (
        "Longest time for each N after everybody's first turn; it ends sooner where medians settle."
        " Default: %(default)s."
    )
    what.add_argument("--seconds", default="3", help=text)
    where = made.add_argument_group("Where to")
    where.add_argument(
        "--csv",
        metavar="FILE",
        type=file_name,
        help="a row for each N, provider, pass and way of calling",
    )
    text = "everything with its samples; without FILE on stdout, and all else on stderr"
    where.add_argument(
        "--json", metavar="FILE", type=file_name, nargs="?", const=Path("-"), help=text
    )
    where.add_argument(
        "--picture", metavar="FILE", type=file_name, help="GB/s against N, as .png or .svg"
    )
    add_device_option(made)
    return made


def read_requests(options: argparse.Namespace) -> list[MeasureRequest]:
    """What the options ask for: a request for each N; a CommandEnd where it is not possible."""
    problems = check_device(options.device)
    if not problems and options.device.startswith("interpreter"):
        problems = [
            impossible(
                "device", options.device, "choose a GPU: the interpreter's times mean nothing"
            )
        ]
    subject = RunRequest.of(
        **{"strategy": "auto", "m": 4096, **read_parameters(options, PROBLEM, problems)}
    )
    widths = read_range("n", options.n, read_whole_numbers, problems)
    strategies = read_choices("strategy", options.strategy, list(STRATEGIES), problems, STRATEGIES)
    usual = [name for name in known_providers() if name not in STRATEGIES]
    providers, kernels = read_providers(options.provider, usual, problems, options.setting)
    providers = tuple(
        name for name in providers if name not in strategies
    )  # those of that name are the same kernels
    directions = read_choices("mode", options.mode, DIRECTIONS, problems, DIRECTIONS)
    states = read_choices("l2", options.l2, L2_STATES, problems, L2_STATES)
    seconds = read_seconds("seconds", options.seconds, problems)
    if not strategies and not providers:
        problems.append(
            impossible("strategy", NONE, "name a strategy or a provider: there is nobody to time")
        )
    modes = tuple(f"kernel_{state}" for state in states) + (
        ("autograd",) if options.autograd else ()
    )
    if not directions or not modes:
        problems.append(
            impossible(
                "mode",
                NONE,
                "name a pass, and a state of the cache or --autograd: there is nothing to time",
            )
        )
    problems += check_file("csv", options.csv)
    problems += check_file("picture", options.picture)
    if options.json is not None and options.json != STDOUT:
        problems += check_file("json", options.json)
    if options.picture is not None and options.picture.suffix.lower() not in PICTURES:
        problems.append(
            impossible(
                "picture", options.picture, f"take a name that ends in {' or '.join(PICTURES)}"
            )
        )
    # What is wrong with the problem at any N; whether a strategy can take it is that strategy's
    # matter.
    end_if(
        problems or next(filter(None, (check(replace(subject, n=n), "cuda") for n in widths)), [])
    )
    return [
        MeasureRequest(
            settings=tuple(subject.changed(n=n, strategy=strategy) for strategy in strategies),
            providers=providers,
            kernels=kernels,
            problem=replace(subject, n=n),
            directions=directions,
            modes=modes,
            seconds=seconds,
            within=WITHIN,
            most=MOST_SAMPLES,
            limit_seconds=LIMIT_SECONDS,
        )
        for n in widths
    ]


class _Writer:
    """The benchmark so far, on the terminal and in its files."""

    def __init__(
        self, options: argparse.Namespace, benchmark: Benchmark, progress: Progress
    ) -> None:
        self.benchmark = benchmark
        self.progress = progress
        self.json_on_stdout = options.json == STDOUT
        self._options = options
        self._out = sys.stderr if self.json_on_stdout else sys.stdout

    def show(self, event: EngineEvent, requests: Sequence[MeasureRequest]) -> None:
        """Tell how far it is. Whose turn it is changes a hundred times a second: that is nothing to
        read.
        """
        if isinstance(event, JobProgress) and (
            event.step is None or event.step.template != WAITING.template
        ):
            done = min(len(self.benchmark.points), len(requests) - 1)
            event = replace(
                event,
                step=verbatim(f"N = {requests[done].subject.n}"),
                done=done,
                total=len(requests),
            )
        self.progress.show(event)

    def add(self, point: Measured) -> None:
        self.benchmark = replace(self.benchmark, points=(*self.benchmark.points, point))
        self._say(point_text(self.benchmark, point))
        self._write()

    def finish(self, result: int, seconds: float) -> int:
        """Write everything for the last time; the exit status, which is another where that fails."""
        self.progress.clear()
        try:
            self._write()
        except StoreError as error:
            say("bench", error)
            result = FAILED
        if self.json_on_stdout:
            print_json(benchmark_document(self.benchmark))
        if not self.benchmark.points:
            return result
        self._say(end_text(self.benchmark, seconds))
        return self._draw(result)

    def _write(self) -> None:
        if self._options.csv is not None:
            write(self._options.csv, benchmark_csv(self.benchmark))
        if self._options.json is not None and not self.json_on_stdout:
            write(self._options.json, file_text(benchmark_document(self.benchmark)))

    def _draw(self, result: int) -> int:
        if self._options.picture is None:
            return result
        missing = missing_libraries(("offscreen",))
        try:
            if missing:
                raise StoreError(verbatim(missing_sentence(missing)))
            write(
                self._options.picture,
                _picture(self.benchmark, self._options.picture.suffix.lower().lstrip(".")),
            )
        except StoreError as error:
            say("bench", error)
            return FAILED if result == OK else result
        return result

    def _say(self, text: str) -> None:
        self.progress.clear()
        show(text, self._out)


def _picture(benchmark: Benchmark, kind: str) -> bytes:
    """GB/s against N of the first way of calling, with kind, device, versions, date and command
    below.
    """
    from lnexplorer.report.pictures import (
        BENCHMARK_TEXT,
        begin_drawing,
        benchmark_picture,
    )  # Qt from here on

    mode, environment = benchmark.modes[0], benchmark.environment
    where = ["device not known"] if environment is None else environment.stamp
    title = f"LayerNorm, M = {benchmark.problem.m}, {benchmark.problem.dtype}: {wording.WAYS[mode]}"
    found = [row for point in benchmark.points for row in rows(benchmark, point)]
    begin_drawing(BENCHMARK_TEXT)
    source = [" · ".join([benchmark.kind.value, *where]), benchmark.command]
    return benchmark_picture(found, mode, title, source, kind)


def point_text(benchmark: Benchmark, point: Measured) -> str:
    """The lines of one N: speeds, the fastest of each pass and mode first, then who has none and
    why, then what makes one doubt.
    """
    n = str(point.problem.n)
    found = rows(benchmark, point)
    torch_ms = {(row.direction, row.mode): row.p50_ms for row in found if row.provider == "torch"}
    lines = [
        (
            n,
            *speed_cells(
                f"({row.provider})" if ceiling else row.provider,
                direction,
                mode,
                asdict(row),
                torch_ms.get((direction, mode)),
            ),
        )
        for mode in benchmark.modes
        for direction in benchmark.directions
        for ceiling in (True, False)
        for row in sorted(found, key=lambda row: -(row.gbps or 0.0))
        if (row.direction, row.mode) == (direction, mode) and row.gbps is not None
        if (row.provider in CEILINGS.values()) == ceiling
    ]
    parts = [aligned([("N", *SPEED_HEADS), *lines], right_from=1 + SPEEDS_FROM)] if lines else []
    for outcome in point.outcomes:
        if outcome.reason:
            status = "" if outcome.status == "ok" else f"{outcome.status.replace('_', ' ')}: "
            parts.append(f"{n}  {outcome.label}: {status}{outcome.reason}")
    return "\n".join([*parts, *(f"{n}  note: {warning}" for warning in point.warnings), ""])


def end_text(benchmark: Benchmark, seconds: float) -> str:
    timing = sum(point.timing_seconds for point in benchmark.points)
    share = wording.share(timing / seconds) if seconds > 0 else wording.ABSENT
    values = wording.counted(len(benchmark.points), "value")
    lines = [f"{values} of N in {seconds:.1f} s; the GPU was timing for {timing:.1f} s, {share}."]
    if benchmark.environment is not None:
        lines.append(", ".join(benchmark.environment.stamp))
    return "\n".join(lines)
