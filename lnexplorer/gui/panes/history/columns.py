"""Columns of the history's tables: the text, tooltip and colour of each row."""

import math
from collections.abc import Callable, Iterator
from functools import partial

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import difference_text
from lnexplorer.domain.doubts import DIRECTIONS
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS as KNOWN
from lnexplorer.domain.history import (
    ExperimentRow,
    HistoryRow,
    SweepRow,
    compare,
    local_time,
    unlike,
)
from lnexplorer.gui.kit import TONES
from lnexplorer.gui.kit.table import Cell, Column
from lnkernels.launch import NORMS, SETTING
from lnkernels.values import Sentence, join_sentences, say
from lnkernels.values.environment import KIND_HELP, KIND_NAMES


def _known(key: str, write: Callable[[float | None], str]) -> Callable[[HistoryRow], str]:
    """Write a figure, with the sign of what is not known for None and NaN."""

    def text(row: HistoryRow) -> str:
        value = getattr(row, key)
        return write(None if value is None or math.isnan(value) else value)

    return text


def _date(row: HistoryRow | SweepRow | ExperimentRow) -> str:
    return local_time(row.date)


def _kind(row: HistoryRow | ExperimentRow) -> Sentence:
    return KIND_NAMES[row.kind]


def _speed(direction: str, row: HistoryRow) -> str:
    speed, requested = getattr(row, f"{direction}_gbps"), getattr(row, f"{direction}_requested")
    return (
        wording.figure(speed)
        if requested is None
        else f"{wording.figure(speed)} ({wording.figure(requested)})"
    )


def _error_tone(name: str, row: HistoryRow) -> str:
    return "bad" if name in row.failed else ""


def has_setting(name: str, row: HistoryRow) -> bool:
    """Return True where the run's strategy has a setting, as far as that is known."""
    return name in row.launch or (name == "group_size_m" and row.group_size_m > 0)


def _setting(name: str, row: HistoryRow) -> Sentence:
    # Runs of older versions have this one alone.
    usual = (row.group_size_m or None) if name == "group_size_m" else None
    return wording.setting_value(row.launch.get(name, usual))


# The words of settings by what is kept of them, which is English.
_WORDS = {
    str(word): word
    for word in (*map(wording.setting_label, SETTING), *map(wording.setting_value, (True, False)))
}


def _chosen(row: HistoryRow) -> Sentence:
    """Return the settings that are kept as a text, with their words as sentences."""
    pairs = (part.split(" = ", 1) for part in row.setting.split(", "))
    settings = [join_sentences([_WORDS.get(each, each) for each in pair], " = ") for pair in pairs]
    return join_sentences(settings, ", ")


def _sweep_state(row: SweepRow) -> Sentence:
    done = say("{done} of {total}", done=f"{row.done:,}", total=f"{row.total:,}")
    if row.done >= row.total and not row.running:
        return done
    words = {"cancelled": say("cancelled"), "failed": say("failed"), "finished": say("finished")}
    state = say("running") if row.running else words.get(row.ended, say("not finished"))
    return say("{done} · {state}", done=done, state=state)


def _experiment_state(row: ExperimentRow) -> Sentence:
    """Say that an experiment finished, or how far it came and why."""
    if row.ended == "finished":
        return say("finished")
    state = say("stopped") if row.ended == "stopped" else say("failed")
    if row.total > 1:
        state = say(
            "{state} after {done} of {total} steps", state=state, done=row.done, total=row.total
        )
    return say("{state} · {reason}", state=state, reason=row.reason) if row.reason else state


def difference(direction: str, row: HistoryRow, baseline: HistoryRow) -> Cell:
    """Compare the speed of a run with that of the baseline."""
    if row.id == baseline.id:
        return "A", "", "muted"
    interval = compare(row, baseline, direction)
    if interval is not None:
        tip = say(
            "{difference} % (95 %: {low} to {high} %)",
            difference=f"{100 * (interval.value - 1):+.1f}",
            low=f"{100 * (interval.low - 1):+.1f}",
            high=f"{100 * (interval.high - 1):+.1f}",
        )
        tone = "good" if interval.value > 1 else "bad"
        return difference_text(interval), tip, "muted" if interval.holds_nothing else tone
    if not all(getattr(each, f"{direction}_gbps") for each in (row, baseline)):
        return wording.ABSENT, "", "muted"
    if unequal := unlike(row, baseline):
        return unequal, "", "muted"
    tip = say("Too few times, or restless ones, were measured to say how far the speeds are apart.")
    return wording.ABSENT, tip, "muted"


_COMPARED = say(
    "Speed over that of A, the pinned run, with the 95 % interval of the ratio of the two medians;"
    " a drift of the machine, told by other libraries' kernels in both runs, is taken out. Runs of"
    " unlike problems, or on unlike devices, are not compared."
)
_MEDIAN = say("Median time of the kernels alone, cold L2, in µs")
_ERROR = say("Largest absolute error of kernel − truth")
_TIME, _DEVICE, _KIND = say("time"), say("device"), say("kind")
_NOTE = say("note")


def _speeds(direction: str, title: Sentence, help_: Sentence) -> tuple[Column, ...]:
    """Return columns for the GB/s of a pass, and its difference from the baseline's."""
    speed = f"{direction}_gbps"
    return (
        Column(speed, title, help_, partial(_speed, direction), number=True),
        Column(
            f"{direction}_difference",
            say("to A"),
            _COMPARED,
            number=True,
            sorted_by=speed,
            compare=partial(difference, direction),
        ),
    )


def _times(direction: str, name: Sentence) -> Iterator[Column]:
    """Yield columns for the share of the ceiling of a pass, and its time."""
    for key, unit, help_, write in (
        ("share", say("share"), say("Share of the measured ceiling"), wording.share),
        ("us", "µs", _MEDIAN, wording.figure),
    ):
        field = f"{direction}_{key}"
        title = join_sentences((name, unit), " ")
        yield Column(field, title, help_, _known(field, write), number=True)


RUNS = (
    Column(
        "date", _TIME, say("When the run ended, in local time"), _date, tone="muted", falls=True
    ),
    Column(
        "kind",
        _KIND,
        say("Where the figures come from"),
        _kind,
        tip=lambda row: KIND_HELP[row.kind],
        tone=lambda row: TONES[row.kind],
    ),
    Column(
        "passed",
        say("verdict"),
        say(
            "A tick where every result was within its tolerance; else which were beyond it, and"
            " which provider is inexact or launches no kernel of its own"
        ),
        lambda row: row.verdict,
        tone=lambda row: "" if row.passed and row.verdicts else "good" if row.passed else "bad",
    ),
    Column("m", "M", say("Rows of x"), number=True),
    Column("n", "N", say("Columns of x"), number=True),
    Column("dtype", "dtype", say("Element type of x")),
    Column("norm", say("norm"), text=lambda row: NORMS[row.norm]),
    Column(
        "strategy", say("strategy"), say("How the rows' contributions to dw and db were summed")
    ),
    *_speeds(
        "forward",
        say("forward GB/s"),
        say("Kernels alone, cold L2, by 2·M·N elements; in brackets all bytes requested"),
    ),
    *_speeds(
        "backward",
        say("backward GB/s"),
        say("Kernels alone, cold L2, by 3·M·N elements; in brackets all bytes requested"),
    ),
    # Behind the speeds, which a projector shows, too, beside a norm and a verdict of many words.
    Column("setting", say("setting"), say("The main setting, and those that were chosen"), _chosen),
    *(column for each in DIRECTIONS.items() for column in _times(*each)),
    *(
        Column(
            name,
            wording.setting_label(name),
            setting.help or "",
            partial(_setting, name),
            number=setting.type is int,
        )
        for name, setting in SETTING.items()
    ),
    Column("note", _NOTE, say("Your own words about the run; F2 or a double click writes them")),
    Column("device", _DEVICE, say("What the kernels ran on"), tone="muted"),
    *(
        Column(
            f"{name}_error",
            say("error {name}", name=name),
            _ERROR,
            _known(f"{name}_error", wording.error),
            tone=partial(_error_tone, name),
            number=True,
        )
        for name in ("y", "dx", "dw", "db")
    ),
)
SWEEPS = (
    Column("date", _TIME, text=_date, tone="muted", falls=True),
    Column("state", say("rows"), text=_sweep_state, sorted_by="done", falls=True),
    Column("note", _NOTE),
    Column("command", say("asked"), tip=lambda row: row.command.replace(" --", "\n--")),
)
EXPERIMENTS = (
    Column("date", _TIME, text=_date, tone="muted", falls=True),
    Column("kind", _KIND, text=_kind, tone=lambda row: TONES[row.kind]),
    Column(
        "name",
        say("experiment"),
        text=lambda row: KNOWN[row.name].title if row.name in KNOWN else row.name,
        tip=lambda row: KNOWN[row.name].question if row.name in KNOWN else "",
    ),
    Column("shape", say("shape"), text=lambda row: wording.shape(row.m, row.n, row.dtype)),
    Column("device", _DEVICE, tone="muted"),
    Column(
        "state",
        say("state"),
        text=_experiment_state,
        tone=lambda row: "bad" if row.ended == "failed" else "muted",
    ),
)
