"""`lnexplorer export`: writes runs, sweeps and experiments of the history or of a file as tables,
reports, scripts and notebooks.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from lnexplorer.cli.commands import FAILED, OK, CommandEnd, refusal
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_file,
    add_option,
    count_of,
    recording_name,
)
from lnexplorer.cli.terminal import say, show
from lnexplorer.domain.history import KeptRun, parse
from lnexplorer.domain.wording import counted
from lnexplorer.report.benchmark_file import COLUMNS, BenchmarkRow, read_benchmark
from lnexplorer.report.files import SINGLE, SUFFIXES, kind_of, write_runs
from lnexplorer.report.page import Exported
from lnexplorer.report.tables import (
    SWEEP_SUFFIXES,
    csv_of,
    parquet_of,
    table_of,
    write,
    write_rows,
)
from lnexplorer.store.archive import EXPERIMENT, SESSION, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import (
    RecordedSweep,
    Recording,
    read_experiment,
    read_recorded_sweep,
    read_recording,
)
from lnexplorer.store.session import read_session
from lnkernels.values import frozen_by_name, verbatim

TABLE_SUFFIXES = (".csv", ".parquet")
DESCRIPTION = """\
Write runs as a table, a report, a script or a notebook. Without --from they are those of the
history, newest first.
"""
EPILOG = """\
The suffix of FILE says what is written: .csv, .parquet and .json hold a row or an object a run,
.figures.csv a row a figure in 22 columns, .html is a report of one page, with the kept sweeps, or
with the sweeps, experiments and timeline of a file, which it plays; .py and .ipynb run the newest
of the runs again with torch and triton alone. A .lnsweep becomes a table (.csv, .parquet, .json) of
its rows, a benchmark one as .csv or .parquet. Exit status: 0 written; 2 the options are not
possible, FILE is where nothing can be written, or the file of --from cannot be read; 3 there is no
run, no room for FILE, or a run of the history cannot be read: those that can be are written.
"""


def main(options: Options) -> int:
    path, kind = options.file, kind_of(options.file)
    _check(options, kind)
    assert kind is not None, "it was checked"
    source = _of_file(options.source) if options.source is not None else _of_history(options, kind)
    if source.benchmark:
        return _write_benchmark(path, source.benchmark)
    if not (source.suffices(kind) or source.is_table(path)):
        what = "that can be read" if source.unread else "to export"
        raise CommandEnd(
            FAILED, [f"{path} is not written: there is no run {what}.", *source.lost], {}
        )
    if source.is_table(path):
        (sweep,) = source.sweeps
        write_rows(path, sweep)
        written = [counted(len(sweep.results), "row")]
    else:
        write_runs(path, kind, source)
        counts = {"run": len(source.runs[:1] if kind in SINGLE else source.runs)}
        if kind == "report":
            counts |= {"sweep": len(source.sweeps), "experiment": len(source.experiments)}
            counts |= {"timeline": int(source.recording is not None)}
        written = [counted(count, name) for name, count in counts.items() if count]
    show(f"{', '.join(written)}: {path}")
    for lost in source.lost:
        say("export", lost)
    return FAILED if source.unread else OK


def _write_benchmark(path: Path, rows: Sequence[BenchmarkRow]) -> int:
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise refusal(
            "FILE",
            path,
            f"of a benchmark take a name that ends in {' or '.join(TABLE_SUFFIXES)}",
        )
    table = table_of([asdict(row) for row in rows], COLUMNS)
    write(path, parquet_of(table) if path.suffix.lower() == ".parquet" else csv_of(table))
    show(f"{counted(len(rows), 'row')}: {path}")
    return OK


def _check(options: Options, kind: str | None) -> None:
    options.check_file("FILE", options.file)
    if kind is None:
        options.refuse(
            "FILE", options.file, f"take a name that ends in {', '.join(SUFFIXES.values())}"
        )
    if options.source is not None and (options.filter or options.last is not None):
        options.refuse(
            "from",
            options.source,
            "--filter and --last are for the history: leave them out with --from",
        )
    if options.sweeps is not None and (options.source is not None or kind != "report"):
        options.refuse(
            "sweeps", options.sweeps, "it is for a report (.html) of the history: leave it out"
        )
    if refused := parse(options.filter).problems:
        options.refuse("filter", options.filter, "; ".join(map(str, refused)))
    options.end_if_refused()


def parser() -> CommandParser:
    command = CommandParser("export", DESCRIPTION, EPILOG, json=False)
    add_file(command, "file", "what to write; its suffix says in which form")
    text = "as in the window: words, and terms such as 'n>=4096 strategy=locked passed'"
    add_option(command, "--filter", text, "TEXT", default="")
    text = "the newest COUNT runs that match; all if not given"
    add_option(command, "--last", text, "COUNT", type=count_of)
    text = "of a report: the newest COUNT sweeps; if not given, as --last"
    add_option(
        command,
        "--sweeps",
        text,
        "COUNT",
        type=lambda value: 0 if value == "0" else count_of(value),
    )
    text = "a .lnsession, .lnrec, .lnsweep, .lnexperiment, or the .json of a benchmark"
    add_option(command, "--from", text, "FILE", dest="source", type=recording_name)
    return command


@frozen_by_name(eq=False)
class ExportSource(Exported):
    alone: bool = False  # a single sweep, whose rows are what a table has
    benchmark: tuple[BenchmarkRow, ...] = ()

    def is_table(self, path: Path) -> bool:
        return self.alone and path.suffix.lower() in SWEEP_SUFFIXES

    @property
    def lost(self) -> list[str]:
        missing = len(self.unread)
        total = counted(missing + len(self.runs), "run")
        return [f"{missing} of {total} could not be read"] if missing else []


def _of_history(options: Options, kind: str) -> ExportSource:
    """Read runs of the history, newest first, and for a report the kept sweeps.

    The history is never changed, even where it is damaged.
    """
    paths = find_paths(reading=True)
    query = replace(parse(options.filter), sorted_by="date", descending=True)
    try:
        if not paths.has_history:
            return ExportSource()
        with open_history(paths.history, _warn, reading=True) as history:
            numbers = history.runs.find(query)[: 1 if kind in SINGLE else options.last]
            found, unread = _runs(history, numbers)
            most = options.last if options.sweeps is None else options.sweeps
            sweeps = _sweeps(history, most) if kind == "report" else ()
            baseline = history.runs.baseline()
    except StoreError as error:
        why = f"{options.file} is not written: no run of the history could be read"
        raise CommandEnd(FAILED, [error, why], {}) from error
    for why in dict.fromkeys(unread.values()):
        same = [str(number) for number, other in unread.items() if other == why]
        _warn(
            f"of {paths.history}, which is left as it is, cannot be read (run {', '.join(same)}):"
            f" {why}."
        )
    return ExportSource(runs=found, baseline=baseline, sweeps=sweeps, unread=unread)


def _runs(history: History, numbers: list[int]) -> tuple[tuple[KeptRun, ...], dict[int, str]]:
    found, unread = [], {}
    notes = {row.id: row.note for row in history.runs.rows(numbers)}
    for number in numbers:
        try:
            if number not in notes:
                raise StoreError(verbatim("its line in the list is damaged"))
            found.append(KeptRun(number, notes[number], history.runs.load(number)))
        except StoreError as error:
            unread[number] = str(error.__cause__ or error)
    return tuple(found), unread


def _sweeps(history: History, count: int | None) -> tuple[RecordedSweep, ...]:
    found = []
    for row in [row for row in history.sweeps.rows() if row.done][:count]:
        try:
            found.append(history.sweeps.load(row.id))
        except StoreError as error:
            _warn(error)
    return tuple(found)


def _of_file(path: Path) -> ExportSource:
    """Read a session, a recording, a sweep, an experiment or a benchmark, by its suffix.

    Raises:
        StoreError: it cannot be read, or holds nothing that is exported; one sentence.
    """
    match path.suffix:
        case SESSION.suffix:
            session = read_session(path)
            kept = session.timeline
            for part in session.left_out:
                _warn(f"{path}: left out is {part}.")
            return ExportSource(
                runs=tuple(
                    KeptRun(number, run.note, run.result)
                    for number, run in enumerate(session.runs, 1)
                ),
                baseline=None if session.baseline is None else session.baseline + 1,
                sweeps=session.sweeps,
                experiments=session.experiments,
                recording=(
                    None
                    if kept is None or kept.timeline is None
                    else Recording(
                        title="",
                        result=None,
                        timeline=kept.timeline,
                        alone=kept.request,
                        alone_in=kept.environment,
                    )
                ),
            )
        case SWEEP.suffix:
            return ExportSource(sweeps=(read_recorded_sweep(path),), alone=True)
        case EXPERIMENT.suffix:
            return ExportSource(experiments=(read_experiment(path),))
        case ".json":
            return ExportSource(benchmark=read_benchmark(path).rows)
    recording = read_recording(path)
    result, title = recording.result, recording.title
    return ExportSource(
        runs=() if result is None else (KeptRun(1, title, result),),
        recording=None if recording.timeline is None else recording,
    )


def _warn(message: object) -> None:
    say("export", message)
