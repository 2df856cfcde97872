"""A sweep as a part of a report: what became of its settings, the best ones and how sure that is, pictures, and its source."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from lnexplorer.domain import wording
from lnexplorer.domain.measuring import STATUSES
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.sweep.best import Best, best, measures
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import crossings_between
from lnexplorer.domain.sweep.request import sweep_command
from lnexplorer.report.page import table, verdict
from lnexplorer.report.speed_text import BYTES_HELP, speed_text
from lnexplorer.report.sweep_pictures import largest_error, sweep_pictures
from lnexplorer.store.sweep_recording import default_title
from lnexplorer.store.sweep_values import RecordedSweep
from lnkernels.values.environment import KIND_HELP, Kind

WORDS = {
    "ok": "right",
    "incorrect": "wrong",
    "invalid": "not possible",
    "out_of_resources": "out of resources",
    "timed_out": "too slow",
    "failed": "failed",
}
MOST_ROWS = 60  # of the table of a sweep over one parameter
MOST_FASTEST = 20  # of that of any other sweep, whose map, if it has one, shows all
MOST_PROBLEMS = 8  # whose best settings are listed; of more, they are counted
MOST_REASONS = 12


def sweep_section(recorded: RecordedSweep, anchor: str, number: int) -> str:
    """The part of the page."""
    source = source_of(recorded)
    parts = [
        f'<h2 id="{anchor}">{escape(heading(recorded, number))}</h2>',
        f'<p class="muted">{escape(source)}</p>',
        f"<p>{_counts(recorded)}</p>",
        f"<section>{_bests(recorded)}</section>",
        *(f"<section>{picture}</section>" for picture in sweep_pictures(recorded, source)),
        f"<section>{_reasons(recorded)}</section>",
        f"<section>{_rows(recorded)}</section>",
        f'<p class="muted">{BYTES_HELP}</p>' if any(result.figures for result in recorded.results) else "",
        f"<pre>{escape(f'lnexplorer sweep {sweep_command(recorded.sweep)}')}</pre>",
        *(f'<p class="muted">{escape(note)}</p>' for note in _notes(recorded)),
    ]
    return "\n".join(part for part in parts if part not in ("", "<section></section>"))


def heading(recorded: RecordedSweep, number: int) -> str:
    """The number of a sweep and what varies in it."""
    return f"Sweep {number}: {recorded.title or default_title(recorded)}"


def source_of(recorded: RecordedSweep) -> str:
    """Kind, hardware, date and versions: what stands below every picture."""
    kinds = dict.fromkeys(result.kind for result in recorded.results)
    stamp = recorded.results[0].environment
    driver = f", driver {stamp.driver}" if stamp.driver else ""
    hardware = ", ".join(recorded.gpus)
    return f"{', '.join(kinds)} · {hardware} · {recorded.date} · torch {stamp.torch}, triton {stamp.triton}{driver}"


def place_words(recorded: RecordedSweep, result: CellResult) -> str:
    """Where a setting lies on the axes."""
    sweep = recorded.sweep
    if sweep.search:
        values = {axis.name: getattr(result.cell.request, axis.name) for axis in sweep.axes}
    else:
        values = {axis.name: axis.values[index] for axis, index in zip(sweep.axes, result.cell.point, strict=True)}
    return ", ".join(f"{BY_NAME[name].label} = {write_values((value,))}" for name, value in values.items())


def _counts(recorded: RecordedSweep) -> str:
    counted = Counter(result.status for result in recorded.results)
    words = [verdict(good=status == "ok", words=f"{counted[status]:,} {WORDS[status]}") for status in STATUSES if counted[status]]
    done = f"{len(recorded.results):,} of {recorded.total:,} {wording.noun(recorded.total, 'setting')}: " + ", ".join(words) + "."
    ended = {"finished": "", "": " It had not come to its end."}.get(recorded.ended, f" It was {escape(recorded.ended)}.")
    kinds = " ".join(KIND_HELP[kind] for kind in dict.fromkeys(r.kind for r in recorded.results) if kind is not Kind.MEASURED)
    return f"{done}{ended} {escape(kinds)}"


def _bests(recorded: RecordedSweep) -> str:
    """Of each pass, of a search of all together, the best correct setting of every problem, where several are tried on one."""
    sweep = recorded.sweep
    rows: list[list[str]] = []
    sentences = []
    for directions, mode in measures(sweep):
        found = [each for each in best(recorded.results, directions, mode) if each.next is not None]
        what = f"{' and '.join(directions)}, {mode}"
        if len(found) <= MOST_PROBLEMS:
            rows += [_best(recorded, each, directions, mode, what) for each in found]
        else:
            sentences.append(_count_bests(found, what))
    titles = ["best", "device", "setting", "time", "GB/s", "share", "how sure"]
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in [*sentences, *_crossings(recorded)])
    return (table(titles, rows, numbers_from=7) if rows else "") + words


def _count_bests(found: list[Best], what: str) -> str:
    """How often which strategy is surely the fastest, of many problems."""
    sure = Counter(each.result.cell.provider for each in found if each.sure)
    parts = [f"{provider} is surely the fastest at {count}" for provider, count in sure.most_common()]
    open_ = len(found) - sure.total()
    parts += [f"at {open_} the first two are within noise"] if open_ else []
    return f"{what}: of {wording.counted(len(found), 'problem')}, {', '.join(parts)}."


def _best(recorded: RecordedSweep, found: Best, directions: Sequence[str], mode: str, what: str) -> list[str]:
    figures = [figure for direction in directions if (figure := found.result.figure(direction, mode)) is not None]
    interval = f"{wording.milliseconds(found.time_ms.low)} to {wording.milliseconds(found.time_ms.high)}"
    if found.next is None or found.advantage is None:
        sure = "nothing to compare with"
    else:
        low, high = (f"{100 * (part - 1):+.1f} %" for part in (found.advantage.low, found.advantage.high))
        other = f"{found.next.cell.provider}, {place_words(recorded, found.next)}"
        words = f"{'surely' if found.sure else 'not surely'}: the next takes {low} to {high} longer"
        sure = f'{verdict(good=found.sure, words=words)} <span class="muted">({escape(other)})</span>'
    return [
        escape(what),
        escape(found.result.hardware),
        escape(f"{found.result.cell.provider}, {place_words(recorded, found.result)}"),
        f"{wording.milliseconds(found.time_ms.value)} <span class='muted'>({interval})</span>",
        " · ".join(map(speed_text, figures)),
        " · ".join(wording.share(figure.share_of_ceiling) for figure in figures),
        sure,
    ]


def _crossings(recorded: RecordedSweep) -> list[str]:
    sweep = recorded.sweep
    if len(sweep.axes) != 1:
        return []
    name = BY_NAME[sweep.axes[0].name].label
    return [
        f"{direction}: {crossing.ahead_after} overtakes {crossing.ahead_before} at {name} ≈ {crossing.x:.0f}."
        for direction in sweep.directions
        for crossing in crossings_between(sweep, recorded.results, direction, sweep.modes[0])
    ]


def _reasons(recorded: RecordedSweep) -> str:
    """Why settings have no time, each reason once."""
    counted = Counter((result.status, result.reason) for result in recorded.results if result.status != "ok")
    first = {
        (result.status, result.reason): f"{result.cell.provider}, {place_words(recorded, result)}"
        for result in reversed(recorded.results)
    }
    rows = [
        [verdict(good=False, words=WORDS[key[0]]), f"{count:,}", escape(key[1]), escape(first[key])]
        for key, count in counted.most_common(MOST_REASONS)
    ]
    return table(["without a time", "settings", "reason", "such as"], rows, numbers_from=4) if rows else ""


def _rows(recorded: RecordedSweep) -> str:
    if len(recorded.sweep.axes) == 1 and not recorded.sweep.search:
        return _by_value(recorded)
    return _fastest(recorded)


def _by_value(recorded: RecordedSweep) -> str:
    """A line for each value of the one parameter, a column for each strategy, peer and pass."""
    axis, mode = recorded.sweep.axes[0], recorded.sweep.modes[0]
    timed = any(result.figures for result in recorded.results)
    keys = dict.fromkeys((r.cell.provider, r.hardware) for r in recorded.results)
    several = len(recorded.gpus) > 1
    rows_of = {(r.cell.provider, r.hardware, r.cell.point[0]): r for r in recorded.results}
    directions = recorded.sweep.directions
    unit = "GB/s" if timed else "error"
    titles = [BY_NAME[axis.name].label]
    for name, gpu in keys:
        for direction in directions:
            words = f"{name}, {gpu}, {direction}" if several else f"{name}, {direction}"
            titles += [f"{words}, {unit}", "share"] if timed else [f"{words}, {unit}"]
    lines = []
    for place, value in enumerate(axis.values[:MOST_ROWS]):
        cells = []
        for key in keys:
            for direction in directions:
                found = rows_of.get((*key, place))
                cells.append(_cell(found, direction, mode, timed=timed))
                cells += [_share(found, direction, mode)] if timed else []
        lines.append([escape(write_values((value,))), *cells])
    return _note("first", len(lines), len(axis.values)) + table(titles, lines, numbers_from=0)


def _cell(result: CellResult | None, direction: str, mode: str, *, timed: bool) -> str:
    if result is None:
        return wording.ABSENT
    if result.status != "ok":
        return verdict(good=False, words=WORDS[result.status])
    return _speed(result, direction, mode) if timed else wording.error(largest_error(result, direction))


def _fastest(recorded: RecordedSweep) -> str:
    """The settings that are fastest, or that come first where there are no times."""
    sweep = recorded.sweep
    direction, mode = sweep.directions[-1], sweep.modes[0]
    timed = [(figure.p50_ms, result) for result in recorded.results if (figure := result.figure(direction, mode)) is not None]
    results = [result for _, result in sorted(timed, key=lambda entry: entry[0])] or list(recorded.results)
    titles = ["setting", "", *(f"{each}, GB/s" for each in sweep.directions), "share", "error", "registers"]
    rows = [
        [
            escape(f"{result.cell.provider}, {place_words(recorded, result)}"),
            verdict(good=result.status == "ok", words=WORDS[result.status]),
            *(_speed(result, each, mode) for each in sweep.directions),
            _share(result, direction, mode),
            wording.error(largest_error(result, direction)),
            str(max((facts.registers or 0 for facts in result.compiled), default=0) or wording.ABSENT),
        ]
        for result in results[:MOST_FASTEST]
    ]
    return _note("fastest" if timed else "first", len(rows), len(recorded.results)) + table(titles, rows, numbers_from=2)


def _note(which: str, shown: int, total: int) -> str:
    """That a table does not hold everything."""
    if shown == total:
        return ""
    return f'<p class="muted">The {which} {shown:,} of {total:,}; the sweep exported as CSV has all of them.</p>'


def _speed(result: CellResult, direction: str, mode: str) -> str:
    return speed_text(result.figure(direction, mode))


def _share(result: CellResult | None, direction: str, mode: str) -> str:
    figure = None if result is None else result.figure(direction, mode)
    return wording.share(None if figure is None else figure.share_of_ceiling)


def _notes(recorded: RecordedSweep) -> list[str]:
    """What makes figures doubtful, each sentence once."""
    counted = Counter(note for result in recorded.results for note in result.notes)
    every = f"{len(recorded.results):,} {wording.noun(len(recorded.results), 'setting')}"
    return [f"{note} ({count:,} of {every})" for note, count in counted.most_common(MOST_REASONS)]
