"""What is said of an experiment: its question, what is seen in it, facts beside that, and its
figures as a table.

Terminal, window and report show the same sentences; the table is that of terminal and report.
"""

from dataclasses import dataclass

from lnexplorer.domain import wording
from lnexplorer.domain.experiments import gpus
from lnexplorer.domain.experiments.findings import (
    PUBLISHED,
    SIGHTINGS,
    Barriers,
    BarrierSide,
    DropoutRow,
    Dropouts,
    ExperimentResult,
    GroupSizePoint,
    GroupSizes,
    Orders,
    Strategies,
    rate_bound,
)
from lnexplorer.domain.timeline import shares
from lnkernels.values.sentence import Sentence, Value, join_sentences, say
from lnkernels.values.timeline import Clock, StrategyTimeline

_SAME = 1.01  # errors no further apart are called the same
MOST_NAMED = 4  # wrong elements

TITLES = {
    "group_size": say("GROUP_SIZE_M from 1 to 512"),
    "barrier": say("The barrier, left out and put back"),
    "order": say("The order of additions"),
    "strategies": say("What replaces locks"),
    "dropout": say("A seed instead of a mask"),
    "gpus": say("The sum over GPUs"),
}
QUESTIONS = {
    "group_size": say("What do more buffers buy, and what do they cost?"),
    "barrier": say("What happens when a lock is given back before all threads have stored?"),
    "order": say("How far apart are runs of one input, from the order of additions alone?"),
    "strategies": say("What do strategies without locks do better?"),
    "dropout": say("What does it save to compute dropout's mask again instead of storing it?"),
    "gpus": say("What does it cost to add dw and db over GPUs, and what would do it faster?"),
}
WAYS = {
    "seed": say("dropout, seed"),
    "stored": say("dropout, mask"),
    "fused": say("fused, seed"),
    "sequence": say("in steps, mask"),
}
NO_TIMES = say(
    "The interpreter runs programs one after another: no row waits, and times mean nothing."
)
OTHER_RESULTS = say(
    "Its traced kernel gave other results than the plain one, so there are no lanes of it."
)
TWO_LAUNCHES = say(
    "A plain pass of so few rows is one launch; the lanes show the same work in two, which take"
    " longer."
)


@dataclass(frozen=True, slots=True)
class Finding:
    sentence: Sentence
    beside: bool = False  # a picture shows it anyway: said in full, but not in a headline


def findings(result: ExperimentResult) -> list[Finding]:
    """All that is seen, what matters most first."""
    measured = result.provenance.environment.gpu is not None
    dtype = result.resolved.dtype
    if result.group_size is not None:
        return _of_group_sizes(result.group_size, dtype)
    if result.barrier is not None:
        return _of_barriers(result.barrier, measured=measured)
    if result.order is not None:
        return _of_orders(result.order, dtype, measured=measured)
    if result.dropout is not None:
        return _of_dropouts(result.dropout)
    if result.gpus is not None:
        *seen_there, simulated = gpus.sentences(result.gpus)
        return [*map(Finding, seen_there), Finding(simulated, beside=True)]
    return [] if result.strategies is None else _of_strategies(result.strategies)


def headline(result: ExperimentResult) -> list[Sentence]:
    """What matters most of what is seen, to stand above a picture that shows the rest."""
    return [finding.sentence for finding in findings(result) if not finding.beside]


def seen(result: ExperimentResult) -> str:
    """All of it, in English."""
    return " ".join(str(finding.sentence) for finding in findings(result))


def _of_group_sizes(found: GroupSizes, dtype: str) -> list[Finding]:
    points, parts = found.points, []
    timed = [(point.ms_float32, point) for point in points if point.ms_float32 is not None]
    if timed:
        parts += _against_one_buffer(*timed[0], *min(timed, key=lambda pair: pair[0]), dtype)
    else:
        parts.append(Finding(NO_TIMES))
    same = [
        (point.error_same, point.group_size_m) for point in points if point.error_same is not None
    ]
    wide = [point.error_float32 for point in points if point.error_float32 is not None]
    if same and wide:
        worst, at = max(same)
        errors = say(
            "Buffers in {dtype} are off by up to {same} in dw (GROUP_SIZE_M = {at}), those in"
            " float32 by {float32} at most.",
            dtype=dtype,
            same=wording.error(worst),
            at=at,
            float32=wording.error(max(wide)),
        )
        parts.append(Finding(errors))
    return parts


def _against_one_buffer(
    one_ms: float, one: GroupSizePoint, best_ms: float, best: GroupSizePoint, dtype: str
) -> list[Finding]:
    """The fastest size beside the smallest; nothing where the smallest that has a time is not 1."""
    if one.group_size_m != 1:
        return []
    fastest = say(
        "With float32 buffers GROUP_SIZE_M = {best} is the fastest: {time}, against {one_time} with"
        " one buffer.",
        best=best.group_size_m,
        time=wording.milliseconds(best_ms),
        one_time=wording.milliseconds(one_ms),
    )
    parts = [Finding(fastest)]
    float32 = say(
        "With one buffer a row queues for {queued_one} µs and tries its free lock for {trying_one}"
        " µs; with {best} buffers {queued_best} µs and {trying_best} µs."
    )
    same = say(
        "With buffers in {dtype} it queues for {queued_one} and tries for {trying_one} µs with one,"
        " for {queued_best} and {trying_best} µs with {best}."
    )
    for sentence, first, last in (
        (float32, one.wait, best.wait),
        (same, one.wait_same, best.wait_same),
    ):
        if first is not None and last is not None:
            times = {"queued_one": first.queued_ns, "trying_one": first.trying_ns}
            times |= {"queued_best": last.queued_ns, "trying_best": last.trying_ns}
            values: dict[str, Value] = {
                name: wording.figure(ns / 1e3) for name, ns in times.items()
            }
            values |= {"best": best.group_size_m, "dtype": dtype}
            parts.append(Finding(Sentence(sentence.template, tuple(values.items())), beside=True))
    return parts


def _of_barriers(found: Barriers, *, measured: bool) -> list[Finding]:
    parts: list[Sentence] = []
    if not measured:
        parts.append(
            say(
                "On the interpreter the fault cannot show: a program ends before the next one"
                " begins."
            )
        )
    left_out, put_back = found.left_out, found.put_back
    columns, n = (
        int(((left_out.wrong_dw > 0) | (left_out.wrong_db > 0)).sum()),
        int(left_out.wrong_dw.size),
    )
    if left_out.wrong_runs:
        wrong = say(
            "Without the barrier {wrong} of {runs} runs had wrong sums ({share}); columns with"
            " them: {columns} of {n}.",
            wrong=left_out.wrong_runs,
            runs=left_out.runs,
            share=wording.percent(left_out.wrong_runs / left_out.runs),
            columns=columns,
            n=n,
        )
        parts.append(wrong)
    elif measured:
        none = say(
            "Without the barrier no wrong sum was seen in {runs} runs: the rate is below {bound} at"
            " 95 % confidence.",
            **_none(left_out),
        )
        parts.append(none)
    if put_back.wrong_runs:
        parts.append(
            say(
                "With it {wrong} of {runs} runs had wrong sums, too.",
                wrong=put_back.wrong_runs,
                runs=put_back.runs,
            )
        )
    elif measured:
        parts.append(
            say(
                "With it none of {runs} had: the rate is below {bound} at 95 % confidence.",
                **_none(put_back),
            )
        )
    return list(map(Finding, parts))


def _none(side: BarrierSide) -> dict[str, int | str]:
    bound = rate_bound(side.wrong_runs, side.runs)
    assert bound is not None, "none was seen"
    return {"runs": side.runs, "bound": wording.percent(min(bound, 1.0))}


def _of_orders(found: Orders, dtype: str, *, measured: bool) -> list[Finding]:
    if not measured:
        one_order = say(
            "On the interpreter rows come in the order of their numbers, so all runs agree; "
            "a GPU chooses the order anew each time."
        )
        return [Finding(one_order)]
    parts = []
    by_buffers = {side.partial_dtype: side for side in found.sides}
    same, wide, without = by_buffers.get("same"), by_buffers.get("float32"), by_buffers.get(None)
    if same is not None and wide is not None:
        spreads = say(
            "Of {runs} runs of one input, dw differs by up to {same} with buffers in {dtype}, and"
            " by {float32} with float32.",
            runs=same.runs,
            same=wording.error(float(same.spread.max())),
            dtype=dtype,
            float32=wording.error(float(wide.spread.max())),
        )
        parts.append(Finding(spreads))
    if without is not None and without.distinct == 1:
        parts.append(
            Finding(
                say("Strategy {strategy} gave the same bits every time.", strategy=without.strategy)
            )
        )
    elif without is not None:
        several = say(
            "Strategy {strategy} gave {distinct} different results.",
            strategy=without.strategy,
            distinct=without.distinct,
        )
        parts.append(Finding(several))
    return parts


def _of_strategies(found: Strategies) -> list[Finding]:
    rows, parts = found.rows, []
    locked = next((row for row in rows if row.strategy == "locked"), None)
    timed = [(row.ms, row) for row in rows if row.ms is not None and row.strategy != "locked"]
    if locked is not None and locked.ms is not None and timed:
        ms, best = min(timed, key=lambda pair: pair[0])
        locked_time = wording.milliseconds(locked.ms)
        if locked.ms <= ms:
            parts.append(Finding(say("locked is the fastest here: {time}.", time=locked_time)))
        else:
            quickest = say(
                "{strategy} is the fastest: {time}, against locked's {locked_time} ({factor}).",
                strategy=best.strategy,
                time=wording.milliseconds(ms),
                locked_time=locked_time,
                factor=wording.ratio(locked.ms / ms),
            )
            parts.append(Finding(quickest))
    elif locked is not None and locked.ms is None:
        parts.append(Finding(NO_TIMES))
    repeated = [row for row in rows if row.distinct is not None]
    alike, unlike = (
        [row.strategy for row in repeated if (row.distinct == 1) is same] for same in (True, False)
    )
    if alike:
        parts.append(
            Finding(
                say(
                    "{names} gave the same bits in all {runs} runs.",
                    names=", ".join(alike),
                    runs=repeated[0].runs,
                )
            )
        )
    if unlike:
        other = say(
            "{names} gave other bits in some of {runs} runs.",
            names=", ".join(unlike),
            runs=repeated[0].runs,
        )
        parts.append(Finding(other, beside=bool(alike)))
    sizes = ", ".join(f"{row.strategy} {wording.bytes_text(row.workspace_bytes)}" for row in rows)
    parts.append(Finding(say("Workspaces: {sizes}.", sizes=sizes), beside=True))
    with_times = [timeline for timeline in found.timelines() if timeline.clock is not Clock.STEPS]
    if len(with_times) > 1:
        told = "; ".join(
            f"{timeline.strategy} {', '.join(_program_time(timeline))}" for timeline in with_times
        )
        times = say(
            "Of the time of their programs, computing, queueing or waiting for others, trying a"
            " free lock, and adding into memory take: {shares}.",
            shares=told,
        )
        parts.append(Finding(times, beside=True))
    return parts


def _of_dropouts(found: Dropouts) -> list[Finding]:
    rows = {row.way: row for row in found.rows}
    parts: list[Sentence] = []
    alone = _speeds(rows["seed"], rows["stored"])
    if alone:
        parts.append(
            say(
                "Dropout with its mask from a seed: {forward} PyTorch's speed forward, {backward}"
                " backward.",
                **alone,
            )
        )
    fused = _speeds(rows["fused"], rows["sequence"])
    if fused:
        steps = say(
            "Fused with addition and norm: {forward} the speed of PyTorch's three steps forward,"
            " {backward} backward.",
            **fused,
        )
        parts.append(steps)
    parts = [
        *(parts or [NO_TIMES]),
        say("No mask is kept: that saves {bytes}.", bytes=wording.bytes_text(found.elements)),
    ]
    sizes = {"small": found.blocks[0], "large": found.blocks[1]}
    if found.alike and found.alike_fused:
        parts.append(
            say(
                "Programs of {small} and of {large} elements and the fused kernel made the same"
                " mask, bit for bit.",
                **sizes,
            )
        )
    else:
        parts.append(
            say(
                "Programs of {small} and of {large} elements, or the fused kernel, made other"
                " masks.",
                **sizes,
            )
        )
    zeros = say(
        "{zeros:,} of {elements:,} elements are 0, {share} with p = {p}; by chance it would be"
        " {fewest:,} to {most:,} (99.9 %).",
        zeros=found.zeros,
        elements=found.elements,
        share=wording.percent(found.zeros / max(found.elements, 1)),
        p=f"{found.p:g}",
        fewest=found.fewest,
        most=found.most,
    )
    largest = max(map(abs, found.correlations), default=0.0)
    neighbours = say(
        "The masks of the next {count} seeds correlate with it by {largest} at most, by chance"
        " below {bound} (99.9 %).",
        count=len(found.correlations),
        largest=wording.error(largest),
        bound=wording.error(found.uncorrelated),
    )
    return list(map(Finding, (*parts, zeros, neighbours)))


def _speeds(one: DropoutRow, other: DropoutRow) -> dict[str, str]:
    """How many times the speed of another way, of both passes; nothing where times are not known."""
    if not (one.forward_ms and one.backward_ms and other.forward_ms and other.backward_ms):
        return {}
    factors = {
        "forward": other.forward_ms / one.forward_ms,
        "backward": other.backward_ms / one.backward_ms,
    }
    return {name: wording.ratio(factor) for name, factor in factors.items()}


def facts(result: ExperimentResult) -> list[Sentence]:
    """What stands beside the picture: why figures are missing, the first wrong elements, where the
    fault was seen before.
    """
    if result.group_size is not None:
        return _facts_of_group_sizes(result.group_size, result.resolved.dtype)
    if result.strategies is not None:
        return _facts_of_strategies(result.strategies)
    if result.gpus is not None:
        return gpus.facts(result.gpus)
    return [] if result.barrier is None else [*_first_wrong(result.barrier), _sightings(result)]


def _facts_of_group_sizes(found: GroupSizes, dtype: str) -> list[Sentence]:
    reasons = [reason for reason in dict.fromkeys(point.reason for point in found.points) if reason]
    errors = [point.error_float32 for point in found.points if point.error_float32 is not None]
    if dtype == "float32" or len(errors) < 2 or max(errors) > _SAME * min(errors):
        return reasons
    why = say(
        "With float32 buffers the error is the same for every GROUP_SIZE_M: it is that of rounding"
        " dw itself to {dtype}.",
        dtype=dtype,
    )
    return [why, *reasons]


def _facts_of_strategies(found: Strategies) -> list[Sentence]:
    timed = [
        (timeline.strategy, timeline.cost)
        for timeline in found.timelines()
        if timeline.cost is not None
    ]
    costs = ", ".join(f"{name} {wording.signed_percent(cost.share)}" for name, cost in timed)
    text = say(
        "Recording these lanes changes the time of the pass by: {costs}. "
        "They show one pass with the L2 cache warm; the bars are of plain passes with it cold.",
        costs=costs,
    )
    reasons = [
        say("{name}: {reason}", name=row.strategy, reason=row.reason)
        for row in found.rows
        if row.reason
    ]
    return [text, *reasons] if costs else reasons


def _first_wrong(found: Barriers) -> list[Sentence]:
    first = found.left_out.first[:MOST_NAMED]
    if not first:
        return []
    named = ", ".join(
        f"{wrong.result}[{wrong.column}] {f'{wrong.error:+g}'.replace('-', '−')}" for wrong in first
    )
    told = say(
        "The first wrong elements, in run {run} and later: {named}. Each row adds 1 or −1, so ±1 is"
        " one row.",
        run=first[0].run,
        named=named,
    )
    return [told]


def _sightings(result: ExperimentResult) -> Sentence:
    """Other devices and shapes than the result's on which rows were seen to be lost without the
    barrier.
    """
    resolved = result.resolved
    own = (result.provenance.environment.gpu, resolved.m, resolved.n, resolved.launch.group_size_m)
    others = []
    for seen_at, (wrong, runs) in SIGHTINGS.items():
        device, m, n, group_size_m = seen_at
        group = "" if group_size_m is None else f", GROUP_SIZE_M {group_size_m}"
        shape = f"{device}, {m}×{n}{group}, float16"
        if device in PUBLISHED:
            told = say(
                "{shape}: about {wrong} of {runs} runs (published: {source})",
                shape=shape,
                wrong=wrong,
                runs=runs,
                source=PUBLISHED[device],
            )
            others.append(told)
        elif seen_at != own:
            others.append(
                say("{shape}: {wrong} of {runs} runs", shape=shape, wrong=wrong, runs=runs)
            )
    return say("Seen elsewhere: {list}", list=join_sentences(others))


def table(result: ExperimentResult) -> list[list[str]]:
    """The figures, a line of titles first."""
    if result.group_size is not None:
        return _table_of_group_sizes(result.group_size)
    if result.barrier is not None:
        return _table_of_barriers(
            result.barrier, measured=result.provenance.environment.gpu is not None
        )
    if result.order is not None:
        return _table_of_orders(result.order)
    if result.dropout is not None:
        return _table_of_dropouts(result.dropout)
    if result.gpus is not None:
        return gpus.table(result.gpus)
    return [] if result.strategies is None else _table_of_strategies(result.strategies)


def _table_of_dropouts(found: Dropouts) -> list[list[str]]:
    """Times, and GB/s of the bytes that the way without a stored mask moves, so that they compare
    as times do.
    """
    least = {row.way: row for row in found.rows}
    lines = [
        [
            "way",
            "forward ms",
            "GB/s",
            "backward ms",
            "GB/s",
            "forward bytes",
            "backward bytes",
            "mask",
        ]
    ]
    for row in found.rows:
        useful = least["seed" if row.way in ("seed", "stored") else "fused"]
        line = [str(WAYS[row.way])]
        for ms, moved in (
            (row.forward_ms, useful.forward_bytes),
            (row.backward_ms, useful.backward_bytes),
        ):
            line += [wording.figure(ms), wording.figure(None if not ms else moved / ms * 1e-6)]
        lines.append(
            [
                *line,
                *map(wording.bytes_text, (row.forward_bytes, row.backward_bytes, row.mask_bytes)),
            ]
        )
    return lines


def _table_of_group_sizes(found: GroupSizes) -> list[list[str]]:
    titles = ["GROUP_SIZE_M", "ms float32", "ms same", "queued µs float32", "queued µs same"]
    titles += ["trying µs float32", "trying µs same"]
    titles += ["dw error float32", "dw error same", "buffers float32", "buffers same", ""]
    return [titles] + [
        [
            str(point.group_size_m),
            wording.figure(point.ms_float32),
            wording.figure(point.ms_same),
            *(
                wording.figure(None if wait is None else wait.queued_ns / 1e3)
                for wait in (point.wait, point.wait_same)
            ),
            *(
                wording.figure(None if wait is None else wait.trying_ns / 1e3)
                for wait in (point.wait, point.wait_same)
            ),
            wording.error(point.error_float32),
            wording.error(point.error_same),
            wording.bytes_text(point.bytes_float32),
            wording.bytes_text(point.bytes_same),
            str(point.reason or ""),
        ]
        for point in found.points
    ]


def _table_of_barriers(found: Barriers, *, measured: bool) -> list[list[str]]:
    lines = [["barrier", "runs", "wrong", "rate", "wrong columns of dw, db"]]
    for side in (found.left_out, found.put_back):
        bound = rate_bound(side.wrong_runs, side.runs)
        if bound is not None and not measured:
            rate = "cannot show"
        elif bound is None:
            rate = wording.percent(side.wrong_runs / side.runs)
        else:
            rate = f"below {wording.percent(bound)} (95 %)" if bound < 1 else wording.ABSENT
        columns = ", ".join(
            str(int((counts > 0).sum())) for counts in (side.wrong_dw, side.wrong_db)
        )
        lines.append(
            [
                "put back" if side.barrier else "left out",
                str(side.runs),
                str(side.wrong_runs),
                rate,
                columns,
            ]
        )
    return lines


def _table_of_orders(found: Orders) -> list[list[str]]:
    lines = [
        [
            "strategy",
            "buffers",
            "runs",
            "different results",
            "largest spread",
            "median spread",
            "largest error",
        ]
    ]
    for side in found.sides:
        ordered = sorted(side.spread.tolist()) or [0.0]
        spreads = [wording.error(ordered[-1]), wording.error(ordered[len(ordered) // 2])]
        buffers = side.partial_dtype or wording.ABSENT
        lines.append(
            [
                side.strategy,
                buffers,
                str(side.runs),
                str(side.distinct),
                *spreads,
                wording.error(side.error),
            ]
        )
    return lines


def _table_of_strategies(found: Strategies) -> list[list[str]]:
    titles = ["strategy", "ms", "GB/s", "of ceiling", "workspace", "different results", "dw error"]
    lines = [[*titles, "computing", "waiting", "trying", "adding", "tracing", ""]]
    programs = {
        timeline.strategy: timeline
        for timeline in found.timelines()
        if timeline.clock is not Clock.STEPS
    }
    for row in found.rows:
        timeline = programs.get(row.strategy)
        cost = None if timeline is None else timeline.cost
        line = [
            row.strategy,
            wording.figure(row.ms),
            wording.figure(row.gbps),
            wording.share(row.share),
            wording.bytes_text(row.workspace_bytes),
        ]
        line += [
            wording.ABSENT if row.distinct is None else f"{row.distinct} of {row.runs}",
            wording.error(row.error),
        ]
        line += [wording.ABSENT] * 4 if timeline is None else _program_time(timeline)
        lines.append(
            [
                *line,
                wording.ABSENT if cost is None else wording.signed_percent(cost.share),
                str(row.reason or ""),
            ]
        )
    return lines


def _program_time(timeline: StrategyTimeline) -> list[str]:
    """What programs did with their time, in per cent: computing, waiting for others, trying,
    adding.
    """
    told = shares(timeline)
    return [wording.share(part) for part in (told.compute, told.waiting, told.trying, told.add)]
