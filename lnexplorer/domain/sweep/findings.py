"""Findings of a sweep, as sentences that terminal, window and report show alike."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import concerns
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.parameters import BY_NAME, label_of
from lnexplorer.domain.ranges import Value, write_values
from lnexplorer.domain.sweep.best import Best, BestRun, best, best_runs, measures, strategy_of
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.curves import (
    Crossing,
    SettingChange,
    crossings_between,
    setting_changes,
)
from lnexplorer.domain.sweep.request import SweepRequest
from lnkernels.values import Sentence, Words, frozen, join_sentences, say
from lnkernels.values.figures import LEAST_SAMPLES

MOST_BESTS = 8  # of one measure that are told in full
MOST_DOUBTS = 3

STATUS_WORDS = {  # by `standing`
    "right": say("right"),
    "inexact": say("inexact"),
    "no kernel": say("no kernel"),
    "incorrect": say("wrong"),
    "invalid": say("refused"),
    "out_of_resources": say("no room"),
    "timed_out": say("too long"),
    "failed": say("failed"),
}
PASSES = {
    ("forward",): say("forward"),
    ("backward",): say("backward"),
    ("forward", "backward"): say("forward and backward"),
}


@frozen(eq=False)
class SweepFinding:
    """A sentence about a sweep, with its data."""

    kind: Literal["count", "best", "doubt", "change", "crossing"]
    sentence: Sentence
    data: Best | tuple[BestRun, ...] | tuple[SettingChange, ...] | Crossing | None = None


def findings(sweep: SweepRequest, results: Iterable[CellResult]) -> list[SweepFinding]:
    """Return all findings of a sweep."""
    known = sorted(results, key=lambda result: result.cell.number)
    notes = Counter(note for result in known if result.figures for note in result.notes)
    found = [SweepFinding("count", count_sentence(result.standing for result in known))]
    if has_rivals(sweep):
        for directions, mode in measures(sweep):
            found += best_findings(
                sweep, best(known, directions, mode), timed(sweep, directions, mode)
            )
    doubts = doubt_sentences(
        notes.items(), sum(bool(result.figures) for result in known), sweep.directions, None
    )
    found += [SweepFinding("doubt", sentence) for sentence in doubts[:MOST_DOUBTS]]
    if len(doubts) > MOST_DOUBTS:
        found.append(SweepFinding("doubt", say("The notes of the rows have other doubts, too.")))
    return found + change_findings(sweep) + crossing_findings(sweep, known)


def count_sentence(standings: Iterable[str]) -> Sentence:
    """Say how many settings there are, and how many of them have each standing."""
    counted = Counter(standings)
    parts = [
        say("{count} {status}", count=counted[each], status=word)
        for each, word in STATUS_WORDS.items()
        if counted[each]
    ]
    settings = (
        say("1 setting") if counted.total() == 1 else say("{count} settings", count=counted.total())
    )
    return say("{settings}: {counts}.", settings=settings, counts=parts)


def has_rivals(sweep: SweepRequest) -> bool:
    """Return whether several settings are tried on one problem, so that one of them is best."""
    varies = any(axis.name not in PROBLEM_NAMES for axis in sweep.axes)
    return bool(sweep.search) or varies or len(sweep.strategies) > 1


def timed(sweep: SweepRequest, directions: tuple[str, ...], mode: str) -> Sentence:
    """Return the passes that are timed, with the way of calling where there are several."""
    passes = PASSES[directions]
    return (
        passes
        if len(sweep.modes) == 1
        else say("{passes} ({way})", passes=passes, way=wording.WAYS[mode])
    )


def place_words(sweep: SweepRequest, cell: Cell) -> Words:
    """Return where a cell lies on the axes; of a search its number, and what is not automatic. The
    empty text for one that lies on none.
    """
    if sweep.search:
        chosen = cell.request.launch.given()
        words = [
            _assigned(wording.setting_label(name), value)
            for name, value in chosen.items()
            if value is not None
        ]
        return join_sentences([f"#{cell.number + 1}", *words], ", ")
    words = [
        _assigned(label_of(axis.name), axis.values[index])
        for axis, index in zip(sweep.axes, cell.point, strict=False)
        if cell.is_placed_by(axis.name)
    ]
    return join_sentences(words, ", ") if words else ""


def _assigned(label: Words, value: Value) -> Sentence:
    return join_sentences((label, write_values((value,))), " = ")


def cell_words(sweep: SweepRequest, cell: Cell) -> Sentence:
    return join_sentences((wording.provider_label(cell.provider), place_words(sweep, cell)), ", ")


def best_findings(
    sweep: SweepRequest,
    bests: Sequence[Best],
    what: Sentence | None = None,
    most: int = MOST_BESTS,
    most_runs: int | None = None,
) -> list[SweepFinding]:
    """Say what is best: in full for few problems, else by stretches of the axis.

    Args:
        sweep: what was asked.
        bests: the best of every problem, by one measure.
        what: is timed, where that has to be said together with the problem and the hardware.
        most: bests that are told in full.
        most_runs: along an axis that are told; all if None.
    """
    if len(bests) <= most:
        return [SweepFinding("best", best_sentence(sweep, found, what), found) for found in bests]
    runs = best_runs(sweep, bests)
    if not runs:
        return [SweepFinding("best", _counted_bests(bests, what))]
    axis = next(axis for axis in sweep.axes if axis.name in PROBLEM_NAMES)
    label, found = label_of(axis.name), []
    for hardware in dict.fromkeys(run.hardware for run in runs):
        own = tuple(run for run in runs if run.hardware == hardware)
        parts = [_run_sentence(sweep, run) for run in own[:most_runs]]
        told = join_sentences([*parts, "…"] if len(own) > len(parts) else parts)
        if what is not None:
            sentence = say(
                "Best {what}, {hardware}, along {axis}: {runs}.",
                what=what,
                hardware=hardware,
                axis=label,
                runs=told,
            )
        else:
            sentence = say("Best along {axis}: {runs}.", axis=label, runs=told)
            if len({run.hardware for run in runs}) > 1:
                sentence = say("{hardware}: {finding}", hardware=hardware, finding=sentence)
        found.append(SweepFinding("best", sentence, own))
    return found


def best_sentence(sweep: SweepRequest, found: Best, what: Sentence | None = None) -> Sentence:
    """Say which setting is best, and how sure that is."""
    setting, time = cell_words(sweep, found.result.cell), wording.milliseconds(found.time_ms.value)
    ahead = advantage_sentence(sweep, found)
    if what is None:
        return say(
            "Best: {setting}, {time}; {advantage}.", setting=setting, time=time, advantage=ahead
        )
    resolved = found.result.resolved
    assert resolved is not None, "it has a time"
    return say(
        "Best {what}, {problem}: {setting}, {time}; {advantage}.",
        what=what,
        problem=(f"M = {resolved.m}", f"N = {resolved.n}", resolved.dtype, found.result.hardware),
        setting=setting,
        time=time,
        advantage=ahead,
    )


def advantage_sentence(sweep: SweepRequest, found: Best) -> Sentence:
    """Say how far the best is from the next, as a part of a sentence."""
    if found.next is None or found.advantage is None:
        return say("nothing else was right there")
    # Of a search the trial says enough: all that it chose would be a line of its own.
    cell = found.next.cell
    other = (
        join_sentences((wording.provider_label(cell.provider), f"#{cell.number + 1}"), ", ")
        if sweep.search
        else cell_words(sweep, cell)
    )
    if not found.advantage.is_known:
        return say(
            "fewer than {least} times say nothing about how far {other} is",
            least=LEAST_SAMPLES,
            other=other,
        )
    if not found.sure:
        return say("tied within noise with {other}", other=other)
    low, high = (
        f"{100 * (ratio - 1):.1f}" for ratio in (found.advantage.low, found.advantage.high)
    )
    return say("surely faster than {other}, by {low} to {high} %", other=other, low=low, high=high)


def doubt_sentences(
    notes: Iterable[tuple[Sentence, int]], total: int, directions: Sequence[str], mode: str | None
) -> list[Sentence]:
    """Say what makes figures doubtful, and of how many rows, the most frequent first.

    Where rows say the same with other numbers, the most frequent sentence stands for them all.

    Args:
        notes: what was noted, with the number of rows that have it.
        total: rows with figures.
        directions: passes that are looked at.
        mode: how they were called; every way if None.
    """
    alike: dict[str, Counter[Sentence]] = {}
    for note, count in notes:
        if count > 0 and (mode is None or concerns(note, directions, mode)):
            alike.setdefault(note.template, Counter())[note] += count
    sentences = []
    for each in sorted(alike.values(), key=Counter.total, reverse=True):
        first = each.most_common(1)[0][0]
        sentences.append(
            say(
                "{sentence} (rows like this: {count} of {total})",
                sentence=first,
                count=each.total(),
                total=total,
            )
        )
    return sentences


def changes(sweep: SweepRequest) -> list[SettingChange]:
    """Return where along N the heuristics of `locked` choose otherwise; else nothing."""
    if [axis.name for axis in sweep.axes] != ["n"] or "locked" not in sweep.strategies:
        return []
    widths = [value for value in sweep.axes[0].values if type(value) is int]
    return setting_changes(sweep.base, widths)


def change_findings(sweep: SweepRequest) -> list[SweepFinding]:
    found = changes(sweep)
    if not found:
        return []
    parts = [
        say(
            "{change} from N = {n}",
            change=join_sentences(
                (BY_NAME[change.name].label, f"{change.before} → {change.after}"), " "
            ),
            n=change.at,
        )
        for change in found
    ]
    return [
        SweepFinding(
            "change",
            say("The heuristics of locked change: {changes}.", changes=join_sentences(parts)),
            tuple(found),
        )
    ]


def crossing_findings(sweep: SweepRequest, results: Sequence[CellResult]) -> list[SweepFinding]:
    """Say what overtakes what, and where, for every pass and way of timing."""
    return [
        SweepFinding(
            "crossing",
            say(
                "{what}: {finding}.",
                what=timed(sweep, (direction,), mode),
                finding=crossing_sentence(sweep, crossing),
            ),
            crossing,
        )
        for direction in sweep.directions
        for mode in sweep.modes
        for crossing in crossings_between(sweep, results, direction, mode)
    ]


def crossing_sentence(sweep: SweepRequest, crossing: Crossing) -> Sentence:
    """Say where one curve overtakes another, as a part of a sentence."""
    after, before = map(wording.provider_label, (crossing.ahead_after, crossing.ahead_before))
    (low, high), axis = (f"{end:g}" for end in crossing.between), label_of(sweep.axes[0].name)
    return say(
        "{after} overtakes {before} between {axis} = {low} and {high}",
        after=after,
        before=before,
        axis=axis,
        low=low,
        high=high,
    )


def _run_sentence(sweep: SweepRequest, run: BestRun) -> Sentence:
    others = [
        _assigned(label_of(axis.name), axis.values[index])
        for axis, index in zip(sweep.axes, run.result.cell.point, strict=True)
        if axis.name not in PROBLEM_NAMES and run.result.cell.is_placed_by(axis.name)
    ]
    place = str(run.first) if run.first == run.last else f"{run.first}–{run.last}"
    if not run.sure:
        return say("within noise {place}", place=place)
    setting: list[Words] = [wording.provider_label(strategy_of(run.result)), *others]
    return say("{setting} {place}", setting=setting, place=place)


def _counted_bests(bests: Sequence[Best], what: Sentence | None) -> Sentence:
    surely = Counter(strategy_of(found.result) for found in bests if found.settled)
    parts = [
        say("{name} is surely the fastest at {count}", name=name, count=count)
        for name, count in surely.most_common()
    ]
    if len(bests) > surely.total():
        parts.append(
            say("at {count} the first two are within noise", count=len(bests) - surely.total())
        )
    told = say("Of {count} problems, {parts}.", count=len(bests), parts=parts)
    return told if what is None else say("{what}: {finding}", what=what, finding=told)
