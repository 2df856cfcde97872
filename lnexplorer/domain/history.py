"""Rows of the history, and its filter line: words that must occur, and comparisons: N>=4096."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import MAXYEAR, MINYEAR, date, datetime

from lnexplorer.domain import wording
from lnexplorer.domain.compared import OWN, drift_between, source_of_run, unchanged
from lnexplorer.domain.comparison import Interval, median_interval, ratio
from lnexplorer.domain.result import RunResult
from lnkernels.launch import DTYPES, NORMS, SETTING, STRATEGIES, own_settings
from lnkernels.values import (
    NOTHING,
    Sentence,
    Words,
    frozen,
    frozen_by_name,
    join_sentences,
    say,
)
from lnkernels.values.accuracy import TENSORS
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS

# the mode whose speeds stand in the table: the kernels alone, L2 flushed before each repetition
HEADLINE_MODE = "kernel_cold"
MOST_VALUES = 4  # of a setting in which runs differ, that are named


@frozen_by_name
class HistoryRow:
    """A run in the history. None is "not known", as the speeds on the interpreter are."""

    id: int  # number of the run in the history
    date: str  # ISO 8601, UTC
    kind: Kind
    device: str
    m: int
    n: int
    dtype: str
    norm: str = "layer_norm"
    strategy: str
    group_size_m: int
    passed: bool
    failed: tuple[str, ...]  # the results beyond their tolerance, and wrong providers
    # Of providers that took part and are neither right nor wrong: inexact, or no kernel.
    verdicts: Mapping[str, str] = field(default_factory=dict)
    y_error: float | None = None  # largest absolute error of kernel − truth
    dx_error: float | None = None
    dw_error: float | None = None
    db_error: float | None = None
    forward_gbps: float | None = None
    backward_gbps: float | None = None
    forward_share: float | None = None  # of the measured ceiling, as a fraction
    backward_share: float | None = None
    # The 95 % interval of the median speed; None where there are too few samples for one, or they
    # did not settle.
    forward_low: float | None = None
    forward_high: float | None = None
    backward_low: float | None = None
    backward_high: float | None = None
    # GB/s of all bytes that the kernels move; None where the run was kept before these were listed.
    forward_requested: float | None = None
    backward_requested: float | None = None
    # Median times of the kernels alone, cold L2; None as the speeds.
    forward_us: float | None = None
    backward_us: float | None = None
    # Median ms of other libraries' kernels by library, pass and versions: they tell a drift.
    peers: Mapping[str, float] = field(default_factory=dict)
    # Every setting of the launch by name; empty where the run was kept before these were listed.
    launch: Mapping[str, bool | int | str] = field(default_factory=dict)
    setting: str = ""  # the main one, and those that somebody chose
    note: str = ""  # what its user wrote about the run

    @property
    def verdict(self) -> Words:
        """On all that was run: a tick only where all of it is right."""
        marked = {
            name: wording.with_verdict(name, self.verdicts.get(name))
            for name in (*self.failed, *self.verdicts)
        }
        failed = [marked.pop(name) for name in dict.fromkeys(self.failed)]
        wrong = [say("✗ {names}", names=failed)] if failed else []
        return join_sentences([*wrong, *marked.values()], ", ") if wrong or marked else "✓"

    def speed(self, direction: str) -> Interval | None:
        """GB/s of "forward" or "backward" with its interval; None where one is not known."""
        low, value, high = (
            getattr(self, f"{direction}_{part}") for part in ("low", "gbps", "high")
        )
        return Interval(low, value, high) if low and value and high else None


@frozen_by_name
class SweepRow:
    id: int
    date: str  # ISO 8601, UTC
    command: str  # its options
    total: int  # cells
    done: int  # cells with a row
    ended: str  # finished, cancelled or failed; empty while it runs, and after a crash
    note: str = ""  # what its user wrote about it
    running: bool = False  # somebody is at it now: this window, another one, or a command

    @property
    def complete(self) -> bool:
        """True where nothing can be resumed; a search may end before it has tried all."""
        return self.done >= self.total or self.ended == "finished"


@frozen(eq=False)
class KeptRun:
    """A run of the history as it leaves the program, or goes into a session."""

    id: int
    note: str
    result: RunResult


@frozen_by_name
class ExperimentRow:
    id: int
    date: str  # ISO 8601, UTC
    name: str  # of the experiment
    kind: Kind
    device: str
    m: int
    n: int
    dtype: str
    ended: str  # finished, stopped or failed
    reason: Sentence | None  # why it failed
    done: int  # steps of `total` that were behind it when it ended early
    total: int


def local_time(iso: str) -> str:
    """A date of the history, ISO 8601, in local time, as it is shown."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return iso


def unlike(row: HistoryRow, baseline: HistoryRow) -> Sentence | None:
    """Say why the speeds of two runs do not compare; None where they do."""
    problems = [(each.m, each.n, each.dtype, each.norm) for each in (row, baseline)]
    if problems[0] != problems[1]:
        return say("another problem")
    return say("another device") if row.device != baseline.device else None


def compare(row: HistoryRow, baseline: HistoryRow, direction: str) -> Interval | None:
    """Return the speed of `row` over that of `baseline`, the drift taken out; None where one of
    them is not known, or `unlike` says why not.
    """
    one, other = row.speed(direction), baseline.speed(direction)
    if one is None or other is None or unlike(row, baseline):
        return None
    return ratio(one, other, drift_between(baseline.peers, row.peers))


def history_row(id: int, date_: str, result: RunResult) -> HistoryRow:  # noqa: A002
    """Make the row of a run. `date_` is ISO 8601, UTC. A wrong result has no speeds."""
    resolved, checks = result.resolved, result.correctness.checks
    found: dict[str, float | None] = {
        f"{check.name}_error": check.kernel_vs_truth.largest for check in checks
    }
    for direction in DIRECTIONS:
        if result.throughput is None or not result.correctness.passed:
            continue
        figure = result.throughput.find(resolved.launch.strategy, direction, HEADLINE_MODE)
        if figure is None:
            continue
        found |= {
            f"{direction}_gbps": figure.gbps,
            f"{direction}_us": 1e3 * figure.p50_ms,
            f"{direction}_requested": figure.requested_gbps,
            f"{direction}_share": figure.share_of_ceiling,
        }
        interval = median_interval(figure.samples_ms) if figure.settled else None
        if interval is not None and interval.is_known:
            # GB/s is bytes over time: the slow end of the times is the low end of the speeds.
            moved = figure.gbps * figure.p50_ms
            found |= {
                f"{direction}_low": moved / interval.high,
                f"{direction}_high": moved / interval.low,
            }
    source = source_of_run("", result, OWN)
    return HistoryRow(
        id=id,
        date=date_,
        kind=result.provenance.kind,
        device=result.provenance.environment.where,
        m=resolved.m,
        n=resolved.n,
        dtype=resolved.dtype,
        norm=resolved.norm,
        strategy=resolved.launch.strategy,
        group_size_m=resolved.launch.group_size_m,
        launch=own_settings(resolved.launch),
        setting=str(wording.setting_text(resolved.launch, result.request.launch.given())),
        passed=not result.failed,
        failed=result.failed,
        verdicts={
            name: verdict
            for name in result.providers
            if (verdict := result.candidate(name).verdict) in ("inexact", "no kernel")
        },
        peers={
            " ".join(map(str, (case.provider, case.way, *source.software))): ms
            for case, ms in unchanged(source).items()
        },
        **found,  # type: ignore[arg-type]  # numbers alone
    )


def differences(rows: Sequence[HistoryRow]) -> Sentence:
    """Say in what the settings of some runs differ, of which all have."""
    found = []
    common = [name for name in SETTING if all(name in row.launch for row in rows)]
    for name in ("m", "n", "dtype", "strategy", *common):
        own = [row.launch[name] if name in SETTING else getattr(row, name) for row in rows]
        values = [wording.setting_value(value) for value in dict.fromkeys(own)]
        if len(values) > 1:
            listed = join_sentences(values[:MOST_VALUES], " | ")
            found.append(join_sentences((wording.setting_label(name), listed), " "))
    if not found:
        return say("The chosen runs have the same settings.")
    return say("They differ in {settings}", settings=join_sentences(found, " · "))


# Fields of a HistoryRow that can be compared and sorted by.
_SPEEDS = tuple(
    f"{direction}_{part}"
    for part in ("gbps", "us", "requested", "share")
    for direction in DIRECTIONS
)
_ERRORS = tuple(f"{tensor}_error" for tensor in TENSORS)
# Settings are those of `launch`, but for group_size_m, which older runs have, too.
NUMBERS = (
    *("id", "m", "n", *_SPEEDS, *_ERRORS),
    *(name for name, each in SETTING.items() if each.type is not str),
)
WORDS = ("date", "device", "kind", "dtype", "norm", "strategy", "note", "setting", "partial_dtype")
SIGNS = ("<", "<=", "=", "!=", ">=", ">")


@frozen
class RunComparison:
    """A field's value against a number or a word. A date is compared by its day, YYYY-MM-DD in
    local time.
    """

    key: str  # one of NUMBERS or WORDS
    sign: str  # one of SIGNS; of words other than the date, = and != alone
    value: float | str


@frozen
class HistoryQuery:
    """Everything must hold."""

    words: tuple[str, ...] = ()  # in lower case; each occurs somewhere in the run's text
    comparisons: tuple[RunComparison, ...] = ()
    passed: bool | None = None
    sorted_by: str = "date"  # one of NUMBERS or WORDS, or "passed"; runs without a value come last
    descending: bool = True
    # Comparisons that are none, with what is allowed.
    problems: tuple[Sentence, ...] = field(default=(), compare=False)


_TERM = re.compile(r'[^\s"]*"[^"]*"|\S+')
_COMPARISON = re.compile(r"^([a-zA-Z_]+)(<=|>=|!=|=|<|>)(.*)$")  # or the begin of one
# What a filter line calls the fields of a run.
FIELDS = {
    "run": "id",
    "m": "m",
    "n": "n",
    "g": "group_size_m",
    **{name: name for name in SETTING},
    "forward": "forward_gbps",
    "fwd": "forward_gbps",
    "backward": "backward_gbps",
    "bwd": "backward_gbps",
    "share": "backward_share",
    "forward_us": "forward_us",
    "backward_us": "backward_us",
    "y": "y_error",
    "dx": "dx_error",
    "dw": "dw_error",
    "db": "db_error",
    "date": "date",
    "device": "device",
    "kind": "kind",
    "dtype": "dtype",
    "norm": "norm",
    "strategy": "strategy",
    "note": "note",
}
_VERDICTS = {"passed": True, "failed": False}
_CHOICES = {
    "kind": tuple(map(str, Kind)),
    "dtype": DTYPES,
    "norm": tuple(NORMS),
    "strategy": STRATEGIES,
    "partial_dtype": SETTING["partial_dtype"].choices,
}
_SWITCH = {"on": 1.0, "true": 1.0, "off": 0.0, "false": 0.0}


def parse(text: str) -> HistoryQuery:
    """Read a filter line: comparisons of known columns, and words; a value with blanks stands in
    double quotes.

    A comparison that is none is a word, and a problem. A whole term in double quotes is a word,
    whatever it says.
    """
    words, comparisons, problems, passed = [], [], [], None
    for given in _TERM.findall(text):
        term = given.lower()
        found = _read(term)
        if term in _VERDICTS:
            passed = _VERDICTS[term]
        elif isinstance(found, RunComparison):
            comparisons.append(found)
        elif term.strip('"'):
            words.append(term.strip('"'))
        if isinstance(found, Sentence):
            name, sign, value = _COMPARISON.match(given).groups()  # type: ignore[union-attr]  # `_read` has looked
            written = {"field": name.lower(), "sign": sign, "value": value.strip('"') or NOTHING}
            problems.append(
                say("{field} {sign} {value} is not possible: {allowed}", **written, allowed=found)
            )
    return HistoryQuery(tuple(words), tuple(comparisons), passed, problems=tuple(problems))


def _read(term: str) -> RunComparison | Sentence | None:
    """Parse a term: a comparison, or what to write instead; None for a word."""
    match = _COMPARISON.match(term)
    if match is None:
        return None
    if match[1] not in {*FIELDS, *_VERDICTS}:
        return say("the history has no such column; take one of {names}", names=FIELDS)
    name, sign, value = match[1], match[2], match[3].strip('"')
    if name in _VERDICTS:
        return say("write {verdicts} alone", verdicts=" or ".join(_VERDICTS))
    key = FIELDS[name]
    if key == "date":
        return (
            RunComparison(key, sign, value) if _is_day(value) else say("take a day as YYYY-MM-DD")
        )
    return _read_number(key, sign, value) if key in NUMBERS else _read_word(key, sign, value)


def _read_number(key: str, sign: str, value: str) -> RunComparison | Sentence:
    if key in SETTING and SETTING[key].type is bool:
        if sign in {"=", "!="} and value in _SWITCH:
            return RunComparison(key, sign, _SWITCH[value])
        return say("take on or off, with = or !=")
    is_share = key.endswith("_share")
    try:
        number = (
            float(value.removesuffix("%")) / 100
            if is_share and value.endswith("%")
            else float(value)
        )
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return RunComparison(key, sign, number)
    return say("take a number, or per cent as 40%") if is_share else say("take a number")


def _read_word(key: str, sign: str, value: str) -> RunComparison | Sentence:
    choices = _CHOICES.get(key)
    if sign not in {"=", "!="}:
        return say("compare it with = or !=")
    if choices is not None and value not in choices:
        return say("take one of {choices}", choices=choices)
    return (
        RunComparison(key, sign, value)
        if value
        else say("take a word, one with blanks in double quotes")
    )


def _is_day(text: str) -> bool:
    """Return whether it is a day, and not of the first or last year that Python knows, whose days
    may lie beyond them in UTC.
    """
    try:
        return (
            re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None
            and MINYEAR < date.fromisoformat(text).year < MAXYEAR
        )
    except ValueError:
        return False
