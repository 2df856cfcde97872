"""`lnexplorer history`: runs of the history, listed, shown, annotated and deleted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lnexplorer.cli.commands import OK, failed, impossible, refusal, unusable
from lnexplorer.cli.options import CommandParser, Options, add_option, count_of, end_if, unicode
from lnexplorer.cli.run import run_text
from lnexplorer.cli.terminal import aligned, give, print_json, say, show_text
from lnexplorer.domain import wording
from lnexplorer.domain.history import HistoryRow, local_time, parse
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.report.documents import finite, run_document
from lnexplorer.store.files import StoreError, reason
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths, try_to_write
from lnkernels.launch.source import whole_path
from lnkernels.values import join_sentences
from lnkernels.values.figures import DIRECTIONS

DESCRIPTION = (
    "List the runs of the history, newest first; show one; write a note on one; delete some."
)
EPILOG = """\
lnexplorer history; lnexplorer history show 12; lnexplorer history note 12 slow clocks; lnexplorer
history delete 12,13; lnexplorer history versions my_norm.py; lnexplorer history text my_norm.py 3 >
my_norm.py. Exit status: 0 done; 2 the options are not possible, or there is no such run; 3 the
history cannot be used.
"""
HEADS = (
    "run",
    "time",
    "kind",
    "shape",
    "strategy",
    "setting",
    "verdict",
    "device",
    "note",
    "forward GB/s",
    "backward GB/s",
    "of ceiling",
)
VERSION_HEADS = (
    "kernel",
    "version",
    "time",
    "shape",
    "device",
    "forward GB/s",
    "backward GB/s",
    "file",
    "verdict",
)
SPEEDS_FROM = HEADS.index("forward GB/s")
LONGEST_NOTE = 40  # characters in the table; `show` and JSON have all of it


def main(options: Options) -> int:
    if refused := parse(options.filter).problems:
        raise refusal("filter", options.filter, "; ".join(map(str, refused)))
    if options.what != "list":
        options.refuse_given(("filter", "last"), f"leave it out: {options.what} does not take it")
        options.end_if_refused()
    with history_of("history", reading=options.what not in ("note", "delete")) as history:
        ACTIONS[options.what](history, options)
    return OK


def _check_that_one_can_begin(folder: Path, command: str) -> None:
    """End the command where a folder, which need not be there, could not be written."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        try_to_write(there)
    except OSError as error:
        cause = f"there is no history, and {there} cannot be written ({reason(error)})"
        raise failed(command, cause) from error


@contextmanager
def history_of(command: str, *, reading: bool = True) -> Iterator[History]:
    """Open the history for a command; end the command without one, or where it cannot be used."""
    paths = find_paths(reading=True)
    try:
        if not paths.has_history:
            _check_that_one_can_begin(paths.data, command)
            raise unusable("there is no history yet: `lnexplorer run` begins it")
        with open_history(
            paths.history, lambda said: say(command, said), reading=reading
        ) as history:
            yield history
    except StoreError as error:
        raise failed(command, error) from error


def parser() -> CommandParser:
    command = CommandParser("history", DESCRIPTION, EPILOG)
    command.add_argument("what", nargs="?", default="list", choices=tuple(ACTIONS))
    text = "number of a run; then the words of `note`; a kernel's file for `versions` and `text`"
    add_option(command, "rest", text, "RUN", nargs="*")
    add_option(
        command,
        "--filter",
        "of `list`: as in the window, such as 'n>=4096 passed'",
        "TEXT",
        default="",
    )
    add_option(
        command,
        "--last",
        "of `list`: the newest COUNT. Default: %(default)s.",
        "COUNT",
        type=count_of,
        default=20,
    )
    return command


def _list(history: History, options: Options) -> None:
    if options.rest:
        allowed = "name runs with show, note or delete; --filter chooses what is listed"
        raise refusal("run", " ".join(options.rest), allowed)
    query = replace(parse(options.filter), sorted_by="date", descending=True)
    rows = history.runs.rows(history.runs.find(query)[: options.last])
    document = {"runs": [finite(asdict(row)) for row in rows]}
    table = aligned([HEADS, *map(_line, rows)], right_from=SPEEDS_FROM)
    give(document, table, as_json=options.json)


def _line(row: HistoryRow) -> tuple[str, ...]:
    return (
        str(row.id),
        local_time(row.date),
        row.kind.value,
        wording.shape(row.m, row.n, row.dtype, row.norm),
        row.strategy,
        row.setting,
        "passed" if str(row.verdict) == "✓" else str(row.verdict).replace("✗", "FAILED"),
        row.device,
        row.note if len(row.note) <= LONGEST_NOTE else f"{row.note[: LONGEST_NOTE - 1]}…",
        wording.figure(row.forward_gbps),
        wording.figure(row.backward_gbps),
        wording.share(row.backward_share),
    )


def _show(history: History, options: Options) -> None:
    if options.rest[1:]:
        raise refusal("run", " ".join(options.rest), "take one")
    (row,) = rows_of(history, options.rest)
    result = history.runs.load(row.id)
    parts = (f"Run {row.id}, {local_time(row.date)}", run_text(result), row.note)
    text = "\n\n".join(filter(None, parts))
    give(run_document(result), text, as_json=options.json)


def _note(history: History, options: Options) -> None:
    (row,) = rows_of(history, options.rest[:1])
    note = unicode(" ".join(options.rest[1:]))
    history.runs.annotate(row.id, note)
    if options.json:
        print_json({"run": row.id, "note": note})


def _delete(history: History, options: Options) -> None:
    listed = [text for part in options.rest for text in part.split(",")]
    numbers = [row.id for row in rows_of(history, listed)]
    history.runs.set_deleted(numbers, deleted=True)
    if options.json:
        print_json({"deleted": numbers})


def _versions(history: History, options: Options) -> None:
    """List the versions of a user's kernels: of the files that are named, or of all."""
    places = [str(whole_path(given)) for given in options.rest] or history.kernels.places()
    versions = [version for place in places for version in history.kernels.versions(place)]
    known = {version.place for version in versions}
    allowed = "name a file that was run: lnexplorer run --kernel FILE keeps its version"
    end_if([impossible("kernel", place, allowed) for place in places if place not in known])
    document = {"versions": list(map(_version_document, versions))}
    table = aligned([VERSION_HEADS, *map(_version_line, versions)])
    give(document, table, as_json=options.json)


def _version_line(version: KernelVersion) -> tuple[str, ...]:
    hard = version.hard.sentence() if version.hard else ""
    speeds = [
        str(wording.with_verdict(wording.figure(figure.gbps), figure.verdict))
        if (figure := version.figure(direction)) is not None
        else ""
        for direction in DIRECTIONS
    ]
    return (
        version.name,
        str(version.version),
        local_time(version.date),
        wording.shape(version.m, version.n, version.dtype, version.norm),
        version.device or "interpreter",
        *speeds,
        version.place,
        str(join_sentences([version.refused or version.remark or "passed", hard])),
    )


def _version_document(version: KernelVersion) -> dict[str, Any]:
    speeds = [
        {"direction": figure.direction, "mode": figure.mode, **finite(figure.flat())}
        for figure in version.figures
    ]
    hard = version.hard and {
        **dict(zip(("m", "n", "dtype", "norm"), version.hard.problem, strict=True)),
        "verdicts": {str(name): why and str(why) for name, why in version.hard.found},
        "inexact": list(map(str, version.hard.inexact)),
        "left": version.hard.left,
    }
    return asdict(replace(version, figures=(), hard=None)) | {
        "hard": hard,
        "refused": version.refused and str(version.refused),
        "remark": version.remark and str(version.remark),
        "launched": version.launched and str(version.launched.sentence),
        "figures": speeds,
    }


def _text(history: History, options: Options) -> None:
    """Print the text of a version, as it was run."""
    place, version = (*options.rest, "", "")[:2]
    number = _number(version)
    known = [str(each.version) for each in history.kernels.versions(str(whole_path(place)))]
    if str(number) not in known:
        allowed = f"take one of {', '.join(known) or 'a file that has versions'}"
        raise refusal("version", version or "nothing", allowed)
    text = history.kernels.text(str(whole_path(place)), number)
    if options.json:
        print_json({"version": number, "text": text})
    else:
        show_text(text)


def rows_of(history: History, texts: list[str]) -> list[HistoryRow]:
    """Return the runs of these numbers; end the command without a number, or a run of it."""
    rows = history.runs.rows(list(map(_number, texts)))
    known = {row.id for row in rows}
    allowed = "take the number of a run; `lnexplorer history` lists them"
    unknown = [text for text in texts or [""] if _number(text) not in known]
    end_if([impossible("run", text or "nothing", allowed) for text in unknown])
    return rows


def _number(text: str) -> int:
    """Parse the number of a run or a version; 0 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


ACTIONS: dict[str, Callable[[History, Options], None]] = {
    "list": _list,
    "show": _show,
    "note": _note,
    "delete": _delete,
    "versions": _versions,
    "text": _text,
}
