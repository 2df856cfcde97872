"""The sentence of an experiment: what is seen in it, computed from its findings."""

from collections.abc import Callable
from dataclasses import dataclass

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import (
    Barriers,
    BarrierSide,
    ExperimentResult,
    GroupSizePoint,
    GroupSizes,
    Orders,
    Strategies,
    rate_bound,
)
from lnexplorer.domain.experiments.strategy_timeline import shares
from lnkernels.values.timeline import Clock, StrategyTimeline

_SAME = 1.01  # errors no further apart are called the same

TITLES = {
    "group_size": "GROUP_SIZE_M from 1 to 512",
    "barrier": "The barrier, left out and put back",
    "order": "The order of additions",
    "strategies": "What replaces locks",
}
QUESTIONS = {
    "group_size": "What do more buffers buy, and what do they cost?",
    "barrier": "What happens when a lock is given back before all threads have stored?",
    "order": "How far apart are runs of one input, from the order of additions alone?",
    "strategies": "What do strategies without locks do better?",
}

FASTEST = "With float32 buffers GROUP_SIZE_M = {best} is the fastest: {ms} ms, against {one_ms} ms with one buffer. "
WAITS = "A row waits {wait_one} µs for its lock with one buffer, {wait_best} µs with {best}. "
WAITS_SAME = "With buffers in {dtype} it waits {wait_one} µs and {wait_best} µs. "
SAME_ERRORS = "Buffers in {dtype} are off by up to {same} in dw (GROUP_SIZE_M = {at}), those in float32 by {float32} at most."
ROUNDED = " With float32 buffers the error is the same for every GROUP_SIZE_M: it is that of rounding dw itself to {dtype}."
NO_TIMES = "The interpreter runs programs one after another: no row waits, and times mean nothing. "
WRONG = "Without the barrier {wrong} of {runs} runs had wrong sums ({share}); columns with them: {columns} of {n}. "
NONE_WITHOUT = "Without the barrier no wrong sum was seen in {runs} runs: the rate is below {bound} at 95 % confidence. "
NONE_WITH = "With it none of {runs} had: the rate is below {bound} at 95 % confidence."
WRONG_WITH = "With it {wrong} of {runs} runs had wrong sums, too."
WRONG_ONCE = "Without the barrier the only run had wrong sums; columns with them: {columns} of {n}. "
NONE_WITHOUT_ONCE = "Without the barrier no wrong sum was seen in the only run: the rate is below {bound} at 95 % confidence. "
NONE_WITH_ONCE = "With it the only run had none: the rate is below {bound} at 95 % confidence."
WRONG_WITH_ONCE = "With it the only run had wrong sums, too."
CANNOT_FAIL = "On the interpreter the fault cannot show: a program ends before the next one begins. "
SPREADS = "Of {runs} runs of one input, dw differs by up to {same} with buffers in {dtype}, and by {float32} with float32. "
NO_SPREAD = "Strategy {strategy} gave the same bits every time."
SOME_SPREAD = "Strategy {strategy} gave {distinct} different results."
NO_ORDER = (
    "On the interpreter rows come in the order of their numbers, so all runs agree; a GPU chooses the order anew each time. "
)
QUICKEST = "{strategy} is the fastest: {ms} ms, against locked's {locked_ms} ms ({factor}). "
LOCKED_QUICKEST = "locked is the fastest here: {ms} ms. "
SAME_BITS = "{names} gave the same bits in all {runs} runs. "
OTHER_BITS = "{names} gave other bits in some of {runs} runs. "
WORKSPACES = "Workspaces: {sizes}. "
PROGRAM_TIME = "Of the time of their programs, computing, waiting and adding into memory take: {shares}. "
TRACING_COSTS = (
    "Recording these lanes changes the time of the pass by: {costs}. They show one pass with the L2 cache warm; the bars are of "
    "plain passes with it cold."
)
SEPARATE_RUNS = "Put together from recordings of one GROUP_SIZE_M each, which have float32 buffers only."
OTHER_RESULTS = "Its traced kernel gave other results than the plain one, so there are no lanes of it."
SENTENCES = (
    OTHER_RESULTS,
    SEPARATE_RUNS,
    FASTEST,
    WAITS,
    WAITS_SAME,
    SAME_ERRORS,
    ROUNDED,
    NO_TIMES,
    WRONG,
    NONE_WITHOUT,
    NONE_WITH,
    WRONG_WITH,
    WRONG_ONCE,
    NONE_WITHOUT_ONCE,
    NONE_WITH_ONCE,
    WRONG_WITH_ONCE,
    CANNOT_FAIL,
    SPREADS,
    NO_SPREAD,
    SOME_SPREAD,
    NO_ORDER,
    QUICKEST,
    LOCKED_QUICKEST,
    SAME_BITS,
    OTHER_BITS,
    WORKSPACES,
    PROGRAM_TIME,
    TRACING_COSTS,
)


# What a picture shows anyway, or what explains it: said in full, but not in a headline.
BESIDE = frozenset({WAITS, WAITS_SAME, ROUNDED, WORKSPACES, PROGRAM_TIME})
EXPLAINED = frozenset({ROUNDED})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with places for values, to be translated before they are filled in."""

    template: str
    values: dict[str, str]


def seen(result: ExperimentResult, translate: Callable[[str], str] = str) -> str:
    """What is seen, in one or a few short sentences.

    Args:
        result: any.
        translate: gives a template in another language.
    """
    return _joined(_all(result), translate)


def headline(result: ExperimentResult, translate: Callable[[str], str] = str) -> str:
    """What matters most of what is seen, to stand above a picture that shows the rest."""
    parts = [part for part in _all(result) if part.template not in BESIDE]
    if any(part.template == SAME_BITS for part in parts):
        parts = [part for part in parts if part.template != OTHER_BITS]
    return _joined(parts, translate)


def explained(result: ExperimentResult, translate: Callable[[str], str] = str) -> str:
    """What of it a picture shows without a reason; empty where there is nothing to explain."""
    return _joined([part for part in _all(result) if part.template in EXPLAINED], translate)


def listed(result: ExperimentResult, translate: Callable[[str], str] = str) -> str:
    """All that is seen, a line for each sentence."""
    return "\n".join(_joined([part], translate) for part in _all(result))


def _joined(parts: list[Sentence], translate: Callable[[str], str]) -> str:
    return "".join(translate(part.template).format(**part.values) for part in parts).strip()


def _all(result: ExperimentResult) -> list[Sentence]:
    measured = result.provenance.environment.gpu is not None
    dtype = result.resolved.dtype
    if result.group_size is not None:
        return _of_group_sizes(result.group_size, dtype)
    if result.barrier is not None:
        return _of_barriers(result.barrier, measured=measured)
    if result.order is not None:
        return _of_orders(result.order, dtype, measured=measured)
    return [] if result.strategies is None else _of_strategies(result.strategies)


def _of_group_sizes(found: GroupSizes, dtype: str) -> list[Sentence]:
    points, parts = found.points, []
    timed = [(point.ms_float32, point) for point in points if point.ms_float32 is not None]
    if timed:
        parts += _against_one_buffer(*timed[0], *min(timed, key=lambda pair: pair[0]), dtype)
    else:
        parts.append(Sentence(NO_TIMES, {}))
    same = [(point.error_same, point.group_size_m) for point in points if point.error_same is not None]
    wide = [point.error_float32 for point in points if point.error_float32 is not None]
    if same and wide:
        worst, at = max(same)
        values = {"same": wording.error(worst), "at": str(at), "float32": wording.error(max(wide)), "dtype": dtype}
        parts.append(Sentence(SAME_ERRORS, values))
        if dtype != "float32" and len(wide) > 1 and max(wide) <= _SAME * min(wide):
            parts.append(Sentence(ROUNDED, {"dtype": dtype}))
    return parts


def _against_one_buffer(one_ms: float, one: GroupSizePoint, best_ms: float, best: GroupSizePoint, dtype: str) -> list[Sentence]:
    """The fastest size beside the smallest; nothing where the smallest that has a time is not 1."""
    if one.group_size_m != 1:
        return []
    times = {"ms": wording.significant(best_ms, 3), "one_ms": wording.significant(one_ms, 3)}
    parts = [Sentence(FASTEST, times | {"best": str(best.group_size_m)})]
    for template, with_one, with_best in (
        (WAITS, one.wait_ns, best.wait_ns),
        (WAITS_SAME, one.wait_same_ns, best.wait_same_ns),
    ):
        if with_one is not None and with_best is not None:
            waits = {"wait_one": wording.significant(with_one / 1e3, 3), "wait_best": wording.significant(with_best / 1e3, 3)}
            parts.append(Sentence(template, waits | {"best": str(best.group_size_m), "dtype": dtype}))
    return parts


def _of_barriers(found: Barriers, *, measured: bool) -> list[Sentence]:
    parts = [] if measured else [Sentence(CANNOT_FAIL, {})]
    left_out, put_back = found.left_out, found.put_back
    if left_out.wrong_runs:
        columns = int(((left_out.wrong_dw > 0) | (left_out.wrong_db > 0)).sum())
        share = percent(left_out.wrong_runs / left_out.runs)
        values = {"share": share, "columns": str(columns), "n": str(left_out.wrong_dw.size)}
        template = WRONG_ONCE if left_out.runs == 1 else WRONG
        parts.append(Sentence(template, {"wrong": str(left_out.wrong_runs), "runs": str(left_out.runs)} | values))
    elif measured:
        parts.append(_none(NONE_WITHOUT_ONCE if left_out.runs == 1 else NONE_WITHOUT, left_out))
    if put_back.wrong_runs:
        template = WRONG_WITH_ONCE if put_back.runs == 1 else WRONG_WITH
        parts.append(Sentence(template, {"wrong": str(put_back.wrong_runs), "runs": str(put_back.runs)}))
    elif measured:
        parts.append(_none(NONE_WITH_ONCE if put_back.runs == 1 else NONE_WITH, put_back))
    return parts


def _none(template: str, side: BarrierSide) -> Sentence:
    bound = rate_bound(side.wrong_runs, side.runs)
    assert bound is not None, "none was seen"
    return Sentence(template, {"runs": str(side.runs), "bound": percent(min(bound, 1.0))})


def _of_orders(found: Orders, dtype: str, *, measured: bool) -> list[Sentence]:
    parts = [] if measured else [Sentence(NO_ORDER, {})]
    by_buffers = {side.partial_dtype: side for side in found.sides}
    same, wide, without = by_buffers.get("same"), by_buffers.get("float32"), by_buffers.get(None)
    if measured and same is not None and wide is not None:
        spreads = {"same": wording.error(float(same.spread.max())), "float32": wording.error(float(wide.spread.max()))}
        parts.append(Sentence(SPREADS, spreads | {"runs": str(same.runs), "dtype": dtype}))
    if measured and without is not None:
        template = NO_SPREAD if without.distinct == 1 else SOME_SPREAD
        parts.append(Sentence(template, {"strategy": without.strategy, "distinct": str(without.distinct)}))
    return parts


def _of_strategies(found: Strategies) -> list[Sentence]:
    rows, parts = found.rows, []
    locked = next((row for row in rows if row.strategy == "locked"), None)
    timed = [row for row in rows if row.ms is not None and row.strategy != "locked"]
    if locked is not None and locked.ms is not None and timed:
        best = min(timed, key=lambda row: row.ms or 0.0)
        assert best.ms is not None
        values = {"ms": wording.significant(best.ms, 3), "locked_ms": wording.significant(locked.ms, 3)}
        if locked.ms <= best.ms:
            parts.append(Sentence(LOCKED_QUICKEST, {"ms": values["locked_ms"]}))
        else:
            factor = wording.ratio(locked.ms / best.ms)
            parts.append(Sentence(QUICKEST, values | {"strategy": best.strategy, "factor": factor}))
    elif locked is not None and locked.ms is None:
        parts.append(Sentence(NO_TIMES, {}))
    repeated = [row for row in rows if row.distinct is not None]
    alike, unlike = ([row.strategy for row in repeated if (row.distinct == 1) is same] for same in (True, False))
    if alike:
        parts.append(Sentence(SAME_BITS, {"names": ", ".join(alike), "runs": str(repeated[0].runs)}))
    if unlike:
        parts.append(Sentence(OTHER_BITS, {"names": ", ".join(unlike), "runs": str(repeated[0].runs)}))
    sizes = ", ".join(f"{row.strategy} {bytes_text(row.workspace_bytes)}" for row in rows)
    parts.append(Sentence(WORKSPACES, {"sizes": sizes}))
    with_times = [timeline for timeline in found.timelines() if timeline.clock is not Clock.STEPS]
    if len(with_times) > 1:
        parts.append(Sentence(PROGRAM_TIME, {"shares": "; ".join(map(program_time, with_times))}))
    return parts


def program_time(timeline: StrategyTimeline) -> str:
    """What programs did with their time, in per cent."""
    told = shares(timeline)
    return f"{timeline.strategy} {', '.join(f'{100 * part:.0f} %' for part in (told.compute, told.wait, told.add))}"


def tracing_costs(found: Strategies) -> str:
    """By how much instrumented passes are longer than plain ones; empty where none was timed."""
    costs = [(timeline.strategy, timeline.cost) for timeline in found.timelines()]
    return ", ".join(f"{name} {100 * cost.share:+.1f} %".replace("-", "−") for name, cost in costs if cost is not None)


def bytes_text(size: int) -> str:
    """A size in memory, three digits."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= scale:
            return f"{wording.significant(size / scale, 3)} {unit}"
    return f"{size} B"


def percent(share: float) -> str:
    """A share in per cent, two digits."""
    return f"{wording.significant(100 * share, 2)} %"
