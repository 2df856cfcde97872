"""Every value in a step's words is worked out by a test."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files

import numpy as np
import pytest

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import LectureMaterial, work_out
from lnexplorer.domain.lecture.program_order import loads, product_accesses, program_order
from lnexplorer.domain.lecture.scenes import LectureStep, QuestionScene, SceneEvent
from lnexplorer.domain.timeline import shares
from lnexplorer.domain.wording import (
    error,
    milliseconds,
    nanoseconds,
    percent,
    share,
    signed_percent,
    significant,
)
from lnkernels.values.sentence import Sentence
from tests.domain import test_lecture_of_buffers, test_lecture_on_a_gpu, test_storyboard
from tests.domain.test_lecture_on_a_gpu import figure, most_operations_a_byte
from tests.sample_lecture import Steps, as_written, recorded_material, shows

FIELDS = ("title", "caption", "note", "aside")


def words_of(step: LectureStep) -> Iterator[Sentence]:
    """The title and texts of a step, and the answer to its question."""
    yield from filter(None, (getattr(step, field) for field in FIELDS))
    if isinstance(step.scene, QuestionScene) and step.scene.revealed:
        yield from step.scene.question.answer


def placed(sentence: Sentence) -> list[str]:
    """The names of the values that stand in a sentence."""
    return [name for name, _ in sentence.values if re.search(rf"{{{name}\b", sentence.template)]


def listed(values: np.ndarray) -> str:
    return ",\u00a0\u00a0".join(f"{value + 0.0:g}".replace("-", "−") for value in values)


def of_the_example(recorded: LectureMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    """Beginnings of sentences of the first two chapters, with their values."""
    example = work_out()
    timeline, dw = example.timeline, example.partial_rows.dw
    one, two, both = dw[0], dw[2], dw[0] + dw[2]
    yield "M = {m}", {"m": 4, "n": 4}
    yield "Rows {first} and", {"first": 0, "second": 2}
    yield "A program is warps", {"threads": 32}
    yield "It should hold", {"right": listed(both), "wrong": listed(two), "first": 0, "second": 2}
    yield "Program {second} loads", {"first": 0, "second": 2, "right": listed(both)}
    yield "The price: program", {"second": 2}
    yield "{m} programs start", {"m": 4, "g": 2}
    yield (
        "From {time} to",
        {
            "time": nanoseconds(int(timeline.wanted_ns[[2, 3]].min())),
            "waiting": "2, 3",
            "holding": "0, 1",
        },
    )
    yield (
        "To {released} programs",
        {
            "released": nanoseconds(int(timeline.released_ns.max())),
            "rows": "2, 3",
            "tiles": 2,
            "columns": 2,
        },
    )
    yield "{then}: dw =", {"dw": listed(dw.sum(axis=0))}
    code = (files("lnkernels") / "passes/locked.py").read_text("utf-8").split("\n")
    spin, gives = (
        next(place for place, line in enumerate(code, start=1) if call in line)
        for call in ("tl.atomic_cas(lock_ptr", "tl.atomic_xchg(lock_ptr")
    )
    yield "Row {second} waits", {"first": 0, "second": 2, "spin": spin, "gives": gives}
    column = int(np.abs(dw.sum(axis=0)).argmax())
    right = float(dw[:, column].sum())
    yield (
        "{number} numbers, {bytes}",
        {
            "number": 4,
            "bytes": 16,
            "column": column,
            "wrong": listed(np.array([2 * right])),
            "right": listed(np.array([right])),
        },
    )
    small = recorded.small.timeline
    yield "On a GPU:", {"m": 4, "buffers": 2}
    yield (
        "Row {row} held",
        {
            "late": nanoseconds(int(small.held_ns[0])),
            "asked": nanoseconds(int(small.wanted_ns[[0, 2]].max())),
        },
    )
    yield "Measured, with rows", {"n": small.n}
    yield "A program is many warps", {"first": 0}
    yield "{p} programs instead", {"p": 2, "m": 4}
    yield "Each program stores", {"dw": listed(dw.sum(axis=0))}
    assert listed(one) != listed(two)


def of_the_guards(recorded: LectureMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    resolved = recorded.barrier.resolved
    problem = {
        "m": f"{resolved.m:,}",
        "n": f"{resolved.n:,}",
        "buffers": resolved.launch.group_size_m,
    }
    yield "In how many of", {"runs": recorded.barrier.findings_of(Barriers).worst.runs}
    yield "{side}: {m} × {n}, {buffers} buffers", problem
    timeline = recorded.rounded.timeline
    sums = timeline.sums
    assert sums is not None
    apart = 0.0
    for lock in range(timeline.group_size_m):
        rows = np.flatnonzero(timeline.lock == lock)
        ends = []
        for order in (rows[np.argsort(timeline.order[rows])], rows):
            total = np.zeros(timeline.n, np.float16)
            for row in order:
                total = (total.astype(np.float32) + sums.row_dw[row]).astype(np.float16)
            ends.append(total.astype(np.float32))
        apart = max(apart, float(np.abs(ends[0] - ends[1]).max()))
    yield "The same rows. Every", {"dtype": "float16", "apart": error(apart)}


def of_the_buffers(recorded: LectureMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    cases, wide = recorded.cases, recorded.wide
    span = {
        size: int(case.timeline.released_ns.max() - case.timeline.start_ns.min())
        for size, case in cases.items()
    }
    costs = {
        size: case.timeline.cost.traced_ns / case.timeline.cost.plain_ns - 1
        for size, case in cases.items()
        if case.timeline.cost is not None
    }
    least, most = sorted((costs[256], costs[128]))
    yield (
        "With {half} buffers",
        {
            "second": nanoseconds(span[128]),
            "factor": significant(span[128] / span[256], 3),
        },
    )
    yield (
        "Tracing overhead of",
        {"least": signed_percent(least), "most": signed_percent(most)},
    )
    yield "{m} / G rows", {"m": "4,096"}
    yield "{share} of the hand-overs", {"whole": f"{span[1] / 1e3:,.0f}"}
    yield "Overtaking", {"sizes": "16, 128, 256, 512"}
    yield "It has one program", {"columns": 1024 // 8, "wide": "8,192"}
    whole = {
        point.group_size_m: 1e6 * (point.ms_float32 or 0.0)
        for point in recorded.group_size.findings_of(GroupSizes).points
    }
    apart = max(abs(whole[size] / case.cost.plain_ns - 1) for size, case in cases.items())
    yield "The whole pass is", {"apart": percent(apart)}
    gbps = figure(wide.result, "add", "backward").gbps
    yield "That is {gbps}", {"ceiling": significant(gbps, 3)}
    queued = {
        row.cell.request.launch.group_size_m: (row.wait.queued_ns, row.figures[0].p50_ms)
        for row in recorded.sweep
        if row.cell.provider == "locked" and row.wait is not None
    }
    best = min((size for size in queued if size >= 16), key=lambda size: queued[size][1])
    yield "N = {n}: with", {"n": "8,192", "best": best, "queued": nanoseconds(queued[best][0])}
    few = min(size for size, (ns, _) in queued.items() if size >= 16 and ns < 100)
    yield "{registers} registers", {"free": significant(132 / few, 2)}
    second = {
        size: int(case.timeline.tile_end_ns.max() - case.timeline.tile_start_ns.min())
        for size, case in cases.items()
    }
    spread, stage2 = nanoseconds(second[32] + second[16]), nanoseconds(second[512])
    told = {"narrow": "1,024", "most": 512, "spread": spread, "few_sms": stage2, "parts": 16}
    yield "Both widths lie", told
    yield "Queues: mean of", {"narrow": "1,024"}


def of_the_gpu(recorded: LectureMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    case, wide = recorded.cases[256], recorded.wide.result
    environment, resolved = case.result.provenance.environment, case.result.resolved
    kernel = next(each for each in case.result.compiled if each.name == "backward_stage1")
    assert kernel.occupancy is not None
    programs = kernel.occupancy.programs_per_sm
    yield (
        "{sms} · {programs}",
        {"m": "4,096", "sms": 132, "programs": programs},
    )
    yield "Stage 1 with {n}", {"n": "1,024", "sm": int(case.timeline.sm.min())}
    sizes = {"m": "4,096", "n": "1,024", "dtype": resolved.dtype, "gpu": environment.gpu}
    yield "{m} × {n} {dtype};", sizes
    backward = figure(case.result, "locked", "backward")
    factor = significant(backward.requested_gbps / backward.gbps, 2)
    yield "Backward asks for", {"factor": factor}
    yield "Have to move", {"wide": "8,192"}
    odd = {
        row.cell.request.n: milliseconds(row.figure("backward").p50_ms)
        for row in recorded.widths
        if not row.cell.peer
    }
    yield "Rows of {odd}", {"odd": "1,001", "n": "1,024", "slow": odd[1001], "fast": odd[1024]}
    clock = wide.provenance.environment.sm_clock_mhz
    assert clock is not None
    peak, ceiling = 132 * 2 * 128 * clock / 1e6, figure(wide, "add", "backward").gbps
    yield (
        "{intensity} operations",
        {
            "intensity": most_operations_a_byte(recorded),
            "gbps": significant(ceiling, 3),
            "ridge": significant(1e3 * peak / ceiling, 2),
        },
    )
    date = recorded.counted.provenance.environment.date[:10]
    yield "The slope is what", {"n": "8,192", "narrow": "1,024", "date": date}
    yield (
        "{sms} SMs · {operations}",
        {"sms": 132, "operations": 256, "clock": f"{clock:,}", "peak": significant(peak, 3)},
    )
    yield "The same programs in groups", {"group": 3}
    rows = program_order(1)
    yield (
        "{asked} blocks are asked",
        {
            "asked": f"{2 * 9**3:,}",
            "group": 3,
            "many": f"{loads(product_accesses(rows), 54):,}",
            "all": 2 * 9 * 9,
        },
    )


def of_the_strategies(recorded: LectureMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    result = recorded.strategies
    strategies, resolved = result.findings_of(Strategies), result.resolved
    timelines = strategies.timelines()
    ms = {row.strategy: row.ms for row in strategies.rows}
    yield (
        "{m} × {n}. The length",
        {
            "m": f"{resolved.m:,}",
            "n": f"{resolved.n:,}",
            "strategy": "locked",
            "share": share(shares(timelines[0]).waiting),
            "drawn": ", ".join(
                f"{each.strategy} {nanoseconds(each.end_ns)} → "
                f"{milliseconds(ms[each.strategy] or 0)}"
                for each in timelines
            ),
        },
    )
    costs = [
        f"{each.strategy} {signed_percent(each.cost.traced_ns / each.cost.plain_ns - 1)}"
        for each in timelines
        if each.cost is not None
    ]
    yield "Tracing: {costs}", {"costs": ", ".join(costs)}


CHAPTERS = (of_the_example, of_the_guards, of_the_buffers, of_the_gpu, of_the_strategies)
Chapter = Callable[[LectureMaterial], Iterator[tuple[str, dict[str, object]]]]


@cache
def worked_out(chapter: Chapter) -> list[tuple[str, dict[str, object]]]:
    return list(chapter(recorded_material()))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_values_of_a_chapter_are_worked_out(steps: Steps, chapter: Chapter) -> None:
    told = [sentence for step in steps for sentence in words_of(step)]
    for beginning, expected in worked_out(chapter):
        found = [each for each in told if each.template.startswith(beginning)]
        assert found, beginning
        for sentence in found:
            assert as_written(expected.items()).items() <= as_written(sentence.values).items(), (
                beginning
            )


def test_events_are_told_with_the_times_and_rows_of_the_example(steps: Steps) -> None:
    timeline = work_out().timeline
    shown = shows(steps, SceneEvent)
    told = [as_written(step.caption.values) for step, _ in shown if step.caption]
    stores = [each for each in told if "count" not in each and "lock" in each]
    adds = [each for each in told if "count" in each]
    for row, values in enumerate(stores):
        assert values == {
            "row": str(row),
            "lock": row % 2,
            "time": nanoseconds(int(timeline.wanted_ns[row])),
            "then": nanoseconds(int(timeline.held_ns[row])),
        }
    for row, values in enumerate(adds, start=2):
        assert values == {
            "row": str(row),
            "other": str(row - 2),
            "lock": row % 2,
            "time": nanoseconds(int(timeline.released_ns[row - 2])),
            "then": nanoseconds(int(timeline.held_ns[row])),
            "count": 1,
            "raised": 2,
        }
    assert [len(stores), len(adds)] == [2, 2]


def test_timelines_are_named_by_their_problem_and_their_cost(steps: Steps) -> None:
    for step in steps:
        if step.aside is None or not step.aside.template.startswith("Tracing cost"):
            continue
        timeline = step.scene.case.timeline  # type: ignore[union-attr]
        title = dict(step.title.values)  # type: ignore[union-attr]
        assert (title["m"], title["buffers"]) == (f"{timeline.m:,}", timeline.group_size_m)
        assert title.get("span", "5 µs") == "5 µs"
        assert dict(step.caption.values).get("span", "5 µs") == "5 µs"  # type: ignore[union-attr]
        told = dict(step.aside.values)
        assert timeline.cost is not None
        assert told["traced"] == nanoseconds(timeline.cost.traced_ns)
        assert told["plain"] == nanoseconds(timeline.cost.plain_ns)


OTHERS = (
    test_events_are_told_with_the_times_and_rows_of_the_example,
    test_timelines_are_named_by_their_problem_and_their_cost,
)


def with_another(sentence: Sentence, name: str) -> Sentence:
    values = dict(sentence.values)
    value = values[name]
    values[name] = value + 1 if isinstance(value, int) else f"{value}9"
    return Sentence(sentence.template, tuple(values.items()))


def with_one_wrong(steps: Steps) -> Iterator[tuple[str, Steps]]:
    """The steps with one wrong value each, and what it is; of sentences told twice the first."""
    seen = set()
    for place, step in enumerate(steps):
        for sentence in words_of(step):
            for name in placed(sentence):
                if (sentence.template, name) in seen or sentence.template == "{text}":
                    continue
                seen.add((sentence.template, name))
                wrong, changed = with_another(sentence, name), list(steps)
                field = next((each for each in FIELDS if getattr(step, each) is sentence), None)
                if field is not None:
                    changed[place] = replace(step, **{field: wrong})
                else:
                    assert isinstance(step.scene, QuestionScene)
                    asked = step.scene.question
                    answer = tuple(wrong if each is sentence else each for each in asked.answer)
                    for at in (place - 1, place):
                        scene = replace(changed[at].scene, question=replace(asked, answer=answer))
                        changed[at] = replace(changed[at], scene=scene)
                yield f"{name} in {sentence.template}", tuple(changed)


@pytest.mark.timeout(170)
def test_a_wrong_value_in_any_sentence_makes_a_test_fail(
    steps: Steps, recorded: LectureMaterial
) -> None:
    given = {"steps": steps, "recorded": recorded}
    tests: list[Callable[..., None]] = [*OTHERS]
    tests += [partial(test_values_of_a_chapter_are_worked_out, chapter=each) for each in CHAPTERS]
    for module in (test_lecture_of_buffers, test_lecture_on_a_gpu, test_storyboard):
        for name, test in vars(module).items():
            wanted = inspect.signature(test).parameters if name.startswith("test_") else {}
            if "steps" in wanted and set(wanted) <= set(given):
                tests.append(test)

    def fails(test: Callable[..., None], wrong: Steps) -> bool:
        names = inspect.signature(test).parameters
        everything = {"steps": wrong, "recorded": recorded}
        try:
            test(**{name: each for name, each in everything.items() if name in names})
        except (AssertionError, KeyError, StopIteration, ValueError):
            return True
        return False

    assert not any(fails(test, steps) for test in tests)
    unnoticed = []
    for what, wrong in with_one_wrong(steps):
        noticed = next((test for test in tests if fails(test, wrong)), None)
        if noticed is None:
            unnoticed.append(what)
        else:  # the next value often stands in the same sentence
            tests.remove(noticed)
            tests.insert(0, noticed)
    assert not unnoticed
