"""`lnexplorer bench`: a sweep over N of strategies and peers, timed together at each N."""

import shlex
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

from lnexplorer.cli.commands import (
    FAILED,
    NOT_WITHIN_TOLERANCE,
    OK,
    CommandEnd,
    impossible,
)
from lnexplorer.cli.options import (
    NONE,
    CommandParser,
    Options,
    add_device_option,
    add_file,
    add_option,
    add_parameter_option,
    add_residual_option,
    check_device,
    end_if,
    file_name,
    take_norm,
)
from lnexplorer.cli.providers import (
    add_setting_option,
    add_time_anyway_option,
    read_providers,
)
from lnexplorer.cli.run import SPEED_HEADS, SPEEDS_FROM, speed_cells
from lnexplorer.cli.sweep_session import Rows, SweepSession
from lnexplorer.cli.sweep_text import show_trouble
from lnexplorer.cli.terminal import Progress, aligned, print_json, say, show
from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
from lnexplorer.domain import wording
from lnexplorer.domain.measuring import Measured
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import TUNED_PEERS, USUAL_PEERS, known_providers
from lnexplorer.domain.ranges import HOW, read_whole_numbers
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.domain.sweep.cells import CellResult, missing_peers
from lnexplorer.domain.sweep.request import Axis, EffortLevel, SweepRequest
from lnexplorer.engine.sources import WholeProblems
from lnexplorer.engine.sweep_events import BatchMeasured, CellFinished, DeviceReady, SweepEvent
from lnexplorer.report.benchmark_file import (
    Benchmark,
    benchmark_csv,
    benchmark_document,
    file_text,
)
from lnexplorer.report.signals import signals_held
from lnexplorer.report.tables import write
from lnexplorer.store.files import StoreError
from lnkernels.launch import NORMS, STRATEGIES
from lnkernels.launch.source import KernelSource
from lnkernels.values import frozen, verbatim
from lnkernels.values.environment import Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS, MODES

DESCRIPTION = """\
Check and time the strategies and other LayerNorms at several N, those of one N interleaved in one
run.
"""
EPILOG = """\
GB/s count the tutorial's bytes; the share is of a copy (forward) or an a + b -> c (backward) of the
same bytes, measured in the same run. Files are written as points arrive. Exit status: 0 all of N
were tried; 1 the same, and some results were wrong, or a provider that is named is not here; 2 the
request is not possible; 3 the worker, or writing a file, failed; 130 interrupted, 143 by SIGTERM,
129 by a hang-up; the files have what is known then.
"""
M = 4096  # if not given
PROBLEM = tuple(BY_NAME[name] for name in ("m", "dtype", "norm", "eps", "data", "seed"))
PICTURES = (".png", ".svg")
MOST_SAMPLES, WITHIN = 1000, 0.005
LIMIT_SECONDS = 180.0  # torch.compile takes half a minute where its caches are cold
STDOUT = Path("-")


@frozen
class BenchmarkRequest:
    """A benchmark: its sweep, how its figures are timed, and the user kernels among its peers."""

    sweep: SweepRequest
    effort: EffortLevel
    kernels: tuple[KernelSource, ...] = ()


def main(options: Options) -> int:
    request = read_benchmark_request(options)
    session = SweepSession("bench")
    rows = BenchmarkRows(
        options, request.sweep, shlex.join(["lnexplorer", "bench", *options.arguments])
    )
    began = time.perf_counter()
    try:
        status = session.run(
            lambda: WholeProblems(request.sweep, request.effort, request.kernels),
            (options.device,),
            rows,
            step_seconds=LIMIT_SECONDS,
        )
    except StoreError as error:
        session.say(f"{error} Nothing more is measured.")
        status = FAILED
    if session.how == "failed" and not rows.points:  # the session has said why
        cause = {"kind": "failed", "phase": "start", "cause": session.because}
        raise CommandEnd(FAILED, (), cause)
    return rows.finish(status, time.perf_counter() - began)


def parser() -> CommandParser:
    made = CommandParser("bench", DESCRIPTION, EPILOG, json=False)
    problem = made.add_argument_group("Problem")
    for parameter in PROBLEM:
        add_parameter_option(problem, parameter, M if parameter.name == "m" else None)
    add_residual_option(problem)
    add_option(
        problem,
        "--n",
        f"Numbers of columns: {HOW}. Default: %(default)s.",
        "VALUES",
        default="1024:15872:512,16384",
    )
    who = made.add_argument_group("Who")
    strategies = ",".join(STRATEGIES)
    add_option(
        who, "--strategy", f"of {strategies}, by comma; none for none. Default: all.", "NAMES"
    )
    peers = (
        f"Default: {', '.join(USUAL_PEERS)}, and those of other packages, as far as they are here."
        f" {', '.join(TUNED_PEERS)} search for settings first, for a minute a shape."
    )
    who.add_argument(
        "--provider",
        "--kernel",
        metavar="NAMES",
        help=f"who is timed beside them, by comma; none for none. {peers}",
    )
    add_setting_option(who)
    add_time_anyway_option(who)
    what = made.add_argument_group("What")
    add_option(what, "--mode", "Passes. Default: both.", ",".join(DIRECTIONS))
    text = (
        "Kernels alone, with a cold L2 or a warm one, or the call through autograd, as the tutorial"
        " times it, and what that takes of the host. Default: all."
    )
    add_option(what, "--timing", text, ",".join(MODES))
    text = (
        "Longest time for each N after everybody's first turn; it ends sooner where medians settle."
        " Default: %(default)s."
    )
    what.add_argument("--seconds", default="3", help=text)
    where = made.add_argument_group("Where to")
    add_file(where, "--csv", "a row for each N, provider, pass and way of calling")
    text = "everything with its samples; without FILE on stdout, and all else on stderr"
    add_option(where, "--json", text, "FILE", type=file_name, nargs="?", const=Path("-"))
    add_file(where, "--picture", "GB/s against N, as .png or .svg")
    add_device_option(made)
    return made


def read_benchmark_request(options: Options) -> BenchmarkRequest:
    """Return the benchmark that the options ask for; a CommandEnd where it is not possible."""
    options.problems += check_device(options.device)
    on_gpu = not options.device.startswith("interpreter")
    widths = options.read_range("n", read_whole_numbers)
    strategies = options.read_choices("strategy", STRATEGIES, STRATEGIES, optional=True)
    usual = [name for name in known_providers() if name not in (*STRATEGIES, *TUNED_PEERS)]
    providers, kernels = read_providers(options, usual)
    take_norm(options, kernels)
    subject = RunRequest.of(**{"strategy": "auto", "m": M, **options.read_parameters(PROBLEM)})
    # Those of a strategy's name are the same kernels.
    providers = tuple(name for name in providers if name not in strategies)
    directions = options.read_choices("mode", DIRECTIONS, DIRECTIONS)
    modes = options.read_choices("timing", MODES, MODES)
    seconds = options.read_time("seconds")
    picture = options.picture
    drawn = picture is None or picture.suffix.lower() in PICTURES
    needs: list[tuple[object, str, object, str]] = [
        (on_gpu, "device", options.device, "choose a GPU: the interpreter's times mean nothing"),
        (
            strategies or providers,
            "strategy",
            NONE,
            "name a strategy or a provider: there is nobody to time",
        ),
        (drawn, "picture", picture, f"take a name that ends in {' or '.join(PICTURES)}"),
    ]
    options.problems += [
        impossible(field, value, allowed) for fine, field, value, allowed in needs if not fine
    ]
    json = None if options.json == STDOUT else options.json
    for field, path in (("csv", options.csv), ("picture", picture), ("json", json)):
        options.check_file(field, path)
    # Problems of the shape with any N; whether a strategy can take it is that strategy's matter.
    shapes = (check(replace(subject, n=n), "cuda") for n in widths)
    end_if(options.problems or next(filter(None, shapes), []))
    sweep = SweepRequest(
        base=subject,
        axes=(Axis(name="n", values=widths),),
        strategies=strategies,
        providers=providers,
        directions=directions,
        modes=modes,
        time_anyway=options.time_anyway,
    )
    effort = EffortLevel(within=WITHIN, most=MOST_SAMPLES, seconds=seconds, least_seconds=0.0)
    return BenchmarkRequest(sweep, effort, kernels)


class BenchmarkRows(Rows):
    """The benchmark so far, on the terminal and in its files, which grow N by N."""

    def __init__(self, options: Options, sweep: SweepRequest, command: str) -> None:
        self.points: dict[int, tuple[list[CellResult], list[Measured]]] = {}
        self._sweep = sweep
        self._command = command
        self._options = options
        self._json_on_stdout = options.json == STDOUT
        self._out = sys.stderr if self._json_on_stdout else sys.stdout
        self._expected = len(sweep.strategies) + len(sweep.providers)  # rows of an N
        self._results: list[CellResult] = []  # of the N under way
        self._measured: list[Measured] = []

    @property
    def benchmark(self) -> Benchmark:
        return Benchmark(
            sweep=self._sweep,
            command=self._command,
            points=self.points,
            finished=len(self.points) == self._sweep.settings,
        )

    def show(self, event: SweepEvent, lines: Progress) -> None:
        match event:
            case DeviceReady(facts=facts):
                lines.ready(facts)
            case BatchMeasured(measured=measured):
                self._measured.append(measured)
            case CellFinished(result, done, total, _):
                lines.changing(f"N = {result.cell.request.n} {done}/{total} …")
                self._results.append(result)
                if len(self._results) == self._expected:
                    lines.clear()
                    self._end_point()
            case _:
                show_trouble(event, lines)

    def _end_point(self) -> None:
        """Print the rows of one N, and write them to the files."""
        results = sorted(self._results, key=lambda result: result.cell.number)
        n = results[0].cell.request.n
        assert n is not None, "it is on the axis"
        if not self.points:  # peers that cannot be used here have no row at other values of N
            self._expected -= sum(each.cell.peer and each.status == "invalid" for each in results)
        self.points[n] = (results, self._measured)
        self._results = []
        self._measured = []
        show(point_text(self.benchmark, n), self._out)
        self._write()

    def finish(self, status: int, seconds: float) -> int:
        """Write everything for the last time. Return the exit status."""
        benchmark = self.benchmark
        wrong = any(each.status == "incorrect" for each in benchmark.results)
        missing = self._options.provider is not None and missing_peers(benchmark.results)
        if status == OK and (wrong or missing):
            status = NOT_WITHIN_TOLERANCE
        try:
            self._write()
        except StoreError as error:
            say("bench", error)
            status = FAILED
        if self._json_on_stdout:
            print_json(benchmark_document(benchmark))
        if self.points:
            show(end_text(benchmark, seconds), self._out)
            if self._options.picture is not None and not self._draw(self._options.picture):
                status = FAILED if status == OK else status
        return status

    def _write(self) -> None:
        if self._options.csv is not None:
            write(self._options.csv, benchmark_csv(self.benchmark))
        if self._options.json is not None and not self._json_on_stdout:
            write(self._options.json, file_text(benchmark_document(self.benchmark)))

    def _draw(self, path: Path) -> bool:
        """Write the picture. Return whether that could be done; it is said why not."""
        try:
            if missing := missing_libraries(("offscreen",)):
                raise StoreError(verbatim(missing_sentence(missing)))
            write(path, _picture(self.benchmark, path.suffix.lower().lstrip(".")))
        except StoreError as error:
            say("bench", error)
            return False
        return True


def _picture(benchmark: Benchmark, kind: str) -> bytes:
    """Draw GB/s against N of the first way of calling, with where the figures come from below."""
    # Qt from here on.
    with signals_held():
        from lnexplorer.report.pictures import BENCHMARK_TEXT, begin_drawing, curves_picture

    base, mode, environment = benchmark.sweep.base, benchmark.sweep.modes[0], benchmark.environment
    where = ["device not known"] if environment is None else environment.stamp
    title = f"{NORMS[base.norm]}, M = {base.m}, {base.dtype}: {wording.WAYS[mode]}"
    begin_drawing(BENCHMARK_TEXT)
    source = [" · ".join([Kind.MEASURED.value, *where]), benchmark.command]
    sweep, ceilings = benchmark.sweep, {n: benchmark.ceilings(n) for n in benchmark.points}
    return curves_picture(sweep, benchmark.results, sweep.directions, title, source, kind, ceilings)


def point_text(benchmark: Benchmark, n: int) -> str:
    """Return the lines of one N.

    Speeds come first, the fastest of each pass and mode above the others; then who has none and
    why; then what makes figures doubtful.
    """
    found = benchmark.rows(n)
    torch_ms = {(row.direction, row.mode): row.p50_ms for row in found if row.provider == "torch"}
    ranked = sorted(
        (row for row in found if row.gbps is not None), key=lambda row: -(row.gbps or 0.0)
    )
    lines = [
        (
            str(n),
            *speed_cells(
                f"({row.provider})"
                if ceiling
                else str(wording.with_verdict(row.provider, row.verdict)),
                direction,
                mode,
                asdict(row),
                torch_ms.get((direction, mode)),
            ),
        )
        for mode in benchmark.sweep.modes
        for direction in benchmark.sweep.directions
        for ceiling in (True, False)
        for row in ranked
        if (row.direction, row.mode) == (direction, mode)
        if (row.provider in CEILINGS.values()) == ceiling
    ]
    parts = [aligned([("N", *SPEED_HEADS), *lines], right_from=1 + SPEEDS_FROM)] if lines else []
    for result in benchmark.points[n][0]:
        if result.reason:
            status = "" if result.status == "ok" else f"{result.status.replace('_', ' ')}: "
            parts.append(f"{n}  {result.cell.provider}: {status}{result.reason}")
    return "\n".join([*parts, *(f"{n}  note: {each}" for each in benchmark.warnings(n)), ""])


def end_text(benchmark: Benchmark, seconds: float) -> str:
    timing = benchmark.timing_seconds
    share = wording.share(timing / seconds) if seconds > 0 else wording.ABSENT
    values = wording.counted(len(benchmark.points), "value")
    lines = [f"{values} of N in {seconds:.1f} s; the GPU was timing for {timing:.1f} s, {share}."]
    if benchmark.environment is not None:
        lines.append(", ".join(benchmark.environment.stamp))
    return "\n".join(lines)
