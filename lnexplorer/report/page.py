"""A report: one page of HTML on runs, sweeps and experiments that holds everything it shows, and
plays the timeline of a recording.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from importlib import import_module
from typing import Any, TypeAlias

from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
from lnexplorer.domain import wording
from lnexplorer.domain.comparison import WITHIN_NOISE
from lnexplorer.domain.doubts import DIRECTIONS as DIRECTION_NAMES
from lnexplorer.domain.doubts import state_lines
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.history import (
    HEADLINE_MODE,
    HistoryRow,
    KeptRun,
    compare,
    history_row,
    local_time,
    unlike,
)
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import STATUS_WORDS, cell_words, findings
from lnexplorer.domain.sweep.request import sweep_command
from lnexplorer.report.configs import triton_config
from lnexplorer.report.documents import run_document
from lnexplorer.report.html import render
from lnexplorer.report.script import command
from lnexplorer.report.signals import signals_held
from lnexplorer.store.archive import now
from lnexplorer.store.recordings import RecordedSweep, Recording, title_of
from lnkernels.values import Sentence, Words, frozen, frozen_by_name, join_sentences, say, verbatim
from lnkernels.values.environment import KIND_HELP, KIND_NAMES, Kind
from lnkernels.values.figures import DIRECTIONS, Figure, Throughput

BYTES_HELP = say(
    "GB/s are of the bytes that Triton's tutorial counts; in brackets of all bytes that the kernels"
    " move; the percentage is the share of the measured ceiling."
)
ERRORS_TITLE = say("Elements by the size of their error, of the kernels and of PyTorch")
SPEEDS_TITLE = say("GB/s of the runs: kernels alone, cold L2; the dashes above are the ceilings")
Row: TypeAlias = dict[Words, Words]  # texts of a table by the titles of its columns
REPLAY = "replay"  # anchor of the part that plays
REPLAY_HEADING = say("The reduction, replayed")
STILL_TITLE = say("The reduction at one moment: rows of each lock over time")
ENDS = {
    "finished": None,
    "": say("It had not come to its end."),
    "cancelled": say("It was cancelled."),
    "failed": say("It failed."),
}
MOST_ROWS = 100  # of the table of a sweep over one parameter
MOST_FASTEST = 20  # of that of any other sweep, whose map, if it has one, shows all
MOST_REASONS = 12
FIRST_ROWS = say("The first {shown:,} of {total:,}; the sweep exported as CSV has all of them.")
FASTEST_ROWS = say("The fastest {shown:,} of {total:,}; the sweep exported as CSV has all of them.")


@frozen
class PageTable:
    """Rows of texts; columns from `numbers_from` on hold numbers.

    A text that begins with ✓ or ✗ is a verdict.
    """

    titles: Sequence[Words]
    rows: Sequence[Sequence[Words]]
    numbers_from: int
    note: Words = ""

    @classmethod
    def of(
        cls, rows: Sequence[Mapping[Words, Words]], numbers_from: int, note: Words = ""
    ) -> "PageTable":
        """Make a table of texts by title; a cell is empty where a row has none."""
        titles = list(dict.fromkeys(title for row in rows for title in row))
        return cls(
            titles,
            [[row.get(title, wording.ABSENT) for title in titles] for row in rows],
            numbers_from,
            note,
        )


@frozen
class PagePicture:
    """A PNG inside the page, in base64 by its language; one where all read the same."""

    title: Words
    base64: Mapping[str, str]


@frozen_by_name
class PagePart:
    anchor: str
    heading: Words
    texts: Sequence[Words]
    shown: Sequence[PageTable | PagePicture] = ()
    code: str = ""
    notes: Sequence[Words] = ()
    facts: Sequence[PageTable] = ()
    # Numbered lines that rows run through; given, perhaps empty, where a script plays all moments
    # in the place of the picture of one.
    source: Sequence[tuple[int, str]] | None = None


@frozen_by_name(eq=False)
class Exported:
    """Runs that leave the program, and what a report has beside them."""

    runs: Sequence[KeptRun] = ()  # shown first
    baseline: int | None = None  # number of the run among them that others are compared with
    sweeps: Sequence[RecordedSweep] = ()
    experiments: Sequence[ExperimentResult] = ()
    recording: Recording | None = None  # its timeline, if it has one, is played before the runs
    unread: Mapping[int, str] = field(default_factory=dict)  # why others cannot be, by number

    def suffices(self, kind: str) -> bool:
        """Return whether there is something for a file of a kind."""
        beside = self.sweeps or self.experiments or self.recording
        return bool(self.runs or (kind == "report" and beside))


def report(content: Exported) -> str:
    """Make the page. Charts are drawn, so this is for a process whose application draws offscreen,
    or has none.
    """
    runs, recording = content.runs, content.recording
    with signals_held():
        missing = missing_libraries(("offscreen",))
        drawing = replay = None
        if not missing:
            drawing = import_module("lnexplorer.report.pictures")  # Qt from here
            replay = import_module("lnexplorer.report.replay")
            drawing.begin_drawing()
    lines = {
        run.id: history_row(run.id, run.result.provenance.environment.date, run.result)
        for run in runs
    }
    results = [(one.id, one.result) for one in runs]
    speeds = _pictures(drawing, SPEEDS_TITLE, "speeds_picture", results)
    parts, played = [], {}
    if drawing is not None and replay is not None and recording and recording.timeline:
        timeline, launch = recording.timeline, recording.launch
        still = b64encode(drawing.reduction_picture(timeline, launch)).decode()
        part = PagePart(
            anchor=REPLAY,
            heading=REPLAY_HEADING,
            texts=[_replayed(recording), *filter(None, replay.replay_facts(timeline, launch))],
            shown=[PagePicture(STILL_TITLE, {"en": still})],  # where no script changes a language
            source=replay.replay_source(timeline),
        )
        parts.append(part)
        played[REPLAY] = replay.replay_data(timeline, launch)
    parts += [
        _run_part(run, _pictures(drawing, ERRORS_TITLE, "errors_picture", run.result))
        for run in runs
    ]
    for number, sweep in enumerate(content.sweeps, 1):
        pictures = []
        source = _sweep_source(sweep)
        if drawing is not None:
            for title, draw in drawing.sweep_pictures(sweep).items():
                named = join_sentences([title, source], " · ")
                pictures.append(PagePicture(named, drawing.in_languages(draw)))
        parts.append(_sweep_part(sweep, number, pictures))
    for number, result in enumerate(content.experiments, 1):
        pictures = _pictures(drawing, _experiment_source(result), "experiment_picture", result)
        parts.append(_experiment_part(result, number, pictures))
    return render(
        "report.html",
        str if replay is None else replay.chinese(),
        {} if replay is None else replay.page_data(played),
        title=_title(content),
        live=replay is not None,
        written=local_time(now()),
        no_pictures=f"The pictures are missing. {missing_sentence(missing)}." if missing else "",
        overview=[
            _overview(runs, lines, lines.get(content.baseline or 0)),
            *speeds,
        ],
        parts=parts,
    )


def _pictures(drawing: Any, title: Words, name: str, *shown: Any) -> list[PagePicture]:
    """Return the picture that the function `name` of the module `drawing` draws.

    The list is empty where it draws none, or where the module could not be imported.
    """
    drawn = {} if drawing is None else drawing.in_languages(lambda: getattr(drawing, name)(*shown))
    return [PagePicture(title, drawn)] if drawn.get("en") else []


def _replayed(recording: Recording) -> Sentence:
    """Say where a timeline comes from, as the window does below its pictures."""
    environment = recording.environment
    where = () if environment is None else environment.stamp
    title = () if recording.result is not None else (recording.title,)
    kind = KIND_NAMES[recording.kind]
    return join_sentences([*title, kind, *where], " · ")


def _title(content: Exported) -> str:
    runs, sweeps, experiments = map(len, (content.runs, content.sweeps, content.experiments))
    if (runs, sweeps, experiments) == (1, 0, 0):
        return content.runs[0].result.resolved.title
    counted = (("run", runs), ("sweep", sweeps), ("experiment", experiments))
    return "LayerNorm: " + ", ".join(
        wording.counted(count, name) for name, count in counted if count
    )


def _overview(
    runs: Sequence[KeptRun], lines: dict[int, HistoryRow], baseline: HistoryRow | None
) -> PageTable:
    rows = []
    for run in runs:
        line = lines[run.id]
        row: Row = {
            say("run"): str(line.id),
            say("device"): line.device,
            say("kind"): KIND_NAMES[line.kind],
            say("problem"): wording.shape(line.m, line.n, line.dtype, line.norm),
            say("strategy"): line.strategy,
            say("verdict"): line.verdict,
        }
        for direction in DIRECTIONS:
            names = (f"{direction}_{name}" for name in ("gbps", "requested", "share"))
            title = say("{direction}, GB/s", direction=DIRECTION_NAMES[direction])
            row[title] = _speed(*(getattr(line, name) for name in names))
        if baseline is not None:
            row |= {
                say("{direction} to A", direction=DIRECTION_NAMES[direction]): _difference(
                    line, baseline, direction
                )
                for direction in DIRECTIONS
            }
        rows.append(row)
    timed = any(line.forward_gbps or line.backward_gbps for line in lines.values())
    notes = [BYTES_HELP] if timed else []
    if baseline is not None:
        compared = say(
            "A: run {number}. Differences are ratios of median speeds with their 95 % interval, a"
            " drift of the machine taken out, where runs are of one problem on one device.",
            number=baseline.id,
        )
        notes.append(compared)
    return PageTable.of(rows, 6, join_sentences(notes, " "))


def _difference(line: HistoryRow, baseline: HistoryRow, direction: str) -> Words:
    if line.id == baseline.id:
        return "A"
    interval = compare(line, baseline, direction)
    if interval is None:
        known = line.speed(direction) and baseline.speed(direction)
        return (unlike(line, baseline) if known else None) or wording.ABSENT
    low, value, high = (
        f"{100 * (part - 1):+.1f}" for part in (interval.low, interval.value, interval.high)
    )
    if interval.holds_nothing:
        return say("{verdict} ({low} to {high} %)", verdict=WITHIN_NOISE, low=low, high=high)
    return say("{value} % ({low} to {high})", value=value, low=low, high=high)


def _run_part(run: KeptRun, pictures: Sequence[PagePicture]) -> PagePart:
    result = run.result
    checks: list[Row] = [
        {
            "": check.name,
            say("largest error"): wording.error(check.kernel_vs_truth.largest),
            say("PyTorch’s"): wording.error(check.torch_vs_truth.largest),
            say("tolerance"): wording.error(check.tolerance),
            say("verdict"): say("✓ within") if check.passed else say("✗ beyond"),
        }
        for check in result.correctness.checks
    ]
    notes: list[Sentence] = [*result.notes]
    if result.throughput is None:
        notes.insert(0, say("No speeds: {why}", why=KIND_HELP[result.provenance.kind]))
    return PagePart(
        anchor=f"run-{run.id}",
        heading=say(
            "Run {number}: {shape}, {strategy}",
            number=run.id,
            shape=result.resolved.shape_text,
            strategy=result.resolved.launch.strategy,
        ),
        texts=[run.note] if run.note else [],
        shown=[PageTable.of(checks, 1), _speeds(result), *pictures],
        code=f"{command(result)}\n\n{triton_config(result.resolved.launch)}",
        notes=notes,
        facts=_facts(result),
    )


def _speeds(result: RunResult) -> PageTable:
    """Make a table of the speeds, fastest first; without the run's own kernels where their results
    are wrong.
    """
    figures, rows = (result.throughput or Throughput()).figures, []
    for figure in sorted(figures, key=lambda each: (DIRECTIONS.index(each.direction), -each.gbps)):
        own = figure.provider == result.resolved.launch.strategy
        if figure.mode == HEADLINE_MODE and (
            result.correctness.passed or not own or figure.verdict == "wrong"
        ):
            flat = figure.flat()
            row: Row = {
                "": wording.with_verdict(figure.provider, figure.verdict),
                say("pass"): DIRECTION_NAMES[figure.direction],
                "GB/s": _speed_of(figure),
                "p20–p80": "–".join(
                    wording.figure(flat[name]) for name in ("p20_gbps", "p80_gbps")
                ),
                say("median"): wording.milliseconds(figure.p50_ms),
            }
            rows.append(row)
    return PageTable.of(rows, 2)


def _speed(gbps: float | None, requested: float | None, share: float | None) -> Words:
    """Return a speed as a text; empty where there is none, as with results beyond tolerance."""
    if gbps is None:
        return wording.ABSENT
    text = f"{wording.figure(gbps)} ({wording.figure(requested)})"
    return text if share is None else join_sentences((text, wording.share(share)), ", ")


def _speed_of(figure: Figure | None) -> Words:
    if figure is None:
        return wording.ABSENT
    return _speed(figure.gbps, figure.requested_gbps, figure.share_of_ceiling)


def _facts(result: RunResult) -> list[PageTable]:
    resolved = run_document(result)["resolved"]
    launch = {key: value for key, value in resolved["launch"].items() if value is not None}
    values: dict[Words, object] = {
        key: value for key, value in resolved.items() if key != "launch"
    } | launch
    stamp: dict[Words, object] = {
        key: value
        for key, value in asdict(result.provenance.environment).items()
        if value not in (None, (), "")
    }
    times = result.throughput
    if times is not None:
        values[say("timed beside")] = result.providers
        stamp |= {
            say("{name}, before → after timing", name=name): value
            for name, value in state_lines(times.before, times.after)
        }
    return [
        PageTable((), [[key, _plain(value)] for key, value in half.items()], 2)
        for half in (values, stamp)
    ]


def _plain(value: object) -> Words:
    if isinstance(value, list | tuple):
        return join_sentences(list(map(str, value)), ", ")
    return value if isinstance(value, Sentence) else str(value)


def _sweep_part(recorded: RecordedSweep, number: int, pictures: Sequence[PagePicture]) -> PagePart:
    sweep, results = recorded.sweep, recorded.results
    done = say("{done:,} of {total:,} settings tried.", done=len(results), total=recorded.total)
    ended = ENDS.get(recorded.ended, verbatim(recorded.ended))
    kinds = [
        KIND_HELP[kind]
        for kind in dict.fromkeys(result.kind for result in results)
        if kind is not Kind.MEASURED
    ]
    sentences = [finding.sentence for finding in findings(sweep, results)]
    return PagePart(
        anchor=f"sweep-{number}",
        heading=say(
            "Sweep {number}: {title}",
            number=number,
            title=title_of(recorded),
        ),
        texts=[*filter(None, (done, ended)), *kinds, *sentences],
        shown=[*pictures, _reasons(recorded), _settings(recorded)],
        code=f"lnexplorer sweep {sweep_command(sweep)}",
        notes=[
            _sweep_source(recorded),
            *([BYTES_HELP] if any(result.figures for result in results) else []),
        ],
    )


def _sweep_source(recorded: RecordedSweep) -> Sentence:
    kinds = dict.fromkeys(KIND_NAMES[result.kind] for result in recorded.results)
    several = [join_sentences(recorded.gpus, ", ")] if len(recorded.gpus) > 1 else []
    stamp = recorded.results[0].environment.stamp
    return join_sentences([join_sentences(list(kinds), ", "), *several, *stamp], " · ")


def _reasons(recorded: RecordedSweep) -> PageTable:
    """Make a table of the reasons why settings have no time, each once."""
    without = [result for result in recorded.results if result.status != "ok"]
    counted = Counter((result.status, result.reason) for result in without)
    first = {
        (result.status, result.reason): cell_words(recorded.sweep, result.cell)
        for result in reversed(without)
    }
    rows: list[Row] = [
        {
            say("without a time"): say("✗ {status}", status=STATUS_WORDS[key[0]]),
            say("settings"): f"{count:,}",
            say("reason"): key[1] or "",
            say("such as"): first[key],
        }
        for key, count in counted.most_common(MOST_REASONS)
    ]
    return PageTable.of(rows, 4)


def _passes(recorded: RecordedSweep, result: CellResult) -> Row:
    """Return the outcome of a setting by pass: speeds, or errors where there are none."""
    outcomes: Row = {}
    for direction in recorded.sweep.directions:
        name = DIRECTION_NAMES[direction]
        if any(each.figures for each in recorded.results):
            title = say("{direction}, GB/s", direction=name)
            text = _speed_of(result.figure(direction, recorded.sweep.modes[0]))
        else:
            title = say("{direction}, error", direction=name)
            text = wording.error(result.largest_error(direction))
        said = wording.with_verdict(text, result.verdict)
        if result.status != "ok":
            said = say("✗ {status}", status=said if result.figures else STATUS_WORDS[result.status])
        outcomes[title] = said
    return outcomes


def _settings(recorded: RecordedSweep) -> PageTable:
    """Make a table of the settings: in their order along one axis, else the fastest, or the first
    where there are no times.
    """
    sweep, results, most, which = recorded.sweep, list(recorded.results), MOST_ROWS, FIRST_ROWS
    direction, mode = sweep.directions[-1], sweep.modes[0]
    timed = [
        (figure.p50_ms, result)
        for result in results
        if (figure := result.figure(direction, mode)) is not None
    ]
    if timed and (len(sweep.axes) != 1 or sweep.search):
        results = [result for _, result in sorted(timed, key=lambda entry: entry[0])]
        most, which = MOST_FASTEST, FASTEST_ROWS
    rows: list[Row] = [
        {
            say("setting"): join_sentences(
                [
                    cell_words(sweep, result.cell),
                    *([result.hardware] if len(recorded.gpus) > 1 else []),
                ],
                ", ",
            ),
            **_passes(recorded, result),
            say("error"): wording.error(result.largest_error(direction)),
            say("registers"): str(
                max((facts.registers or 0 for facts in result.compiled), default=0)
                or wording.ABSENT
            ),
        }
        for result in results[:most]
    ]
    shown, total = len(rows), len(recorded.results)
    note = "" if shown == total else replace(which, values=(("shown", shown), ("total", total)))
    return PageTable.of(rows, 1, note)


def _experiment_part(
    result: ExperimentResult, number: int, pictures: Sequence[PagePicture]
) -> PagePart:
    experiment = EXPERIMENTS[result.request.name]
    titles, *rows = result.table()
    seen = join_sentences(result.sentences(), " ")
    notes: list[Words] = [*result.facts(), _experiment_source(result)]
    if result.provenance.kind is not Kind.MEASURED:
        notes.append(KIND_HELP[result.provenance.kind])
    return PagePart(
        anchor=f"experiment-{number}",
        heading=experiment.title,
        texts=[experiment.question, seen],
        shown=[*pictures, PageTable(titles, rows, 1)],
        notes=notes,
    )


def _experiment_source(result: ExperimentResult) -> Sentence:
    provenance, shape = result.provenance, result.resolved.shape_text
    kind = KIND_NAMES[provenance.kind]
    return join_sentences([shape, kind, *provenance.environment.stamp], " · ")
