"""The storyboard, and every number of its first two chapters: recomputed here from the example, the
recordings, the experiments and the machine code.
"""

import re
from dataclasses import replace
from importlib.metadata import version
from importlib.resources import files
from itertools import permutations

import numpy as np
import pytest

from lnexplorer.domain.experiments.barrier import Barriers, BarrierSide
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.lecture.material import BeatKind, LectureMaterial, passings, work_out
from lnexplorer.domain.lecture.scenes import (
    LENGTHS,
    Closing,
    Moves,
    Opening,
    Playback,
    QuestionScene,
    SceneEvent,
    Scheduling,
)
from lnexplorer.domain.lecture.storyboard import CHAPTERS, TITLE, lecture_of, seconds, storyboard
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.domain.wording import nanoseconds
from lnexplorer.store.exercises import load_exercises
from lnexplorer.store.resources import resource
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.compiled.race_rule import releases
from lnkernels.launch import LaunchWish, limits_for_architecture, resolve_launch
from lnkernels.values.counters import operation, same_code
from lnkernels.values.environment import Kind
from tests.sample_lecture import (
    Steps,
    question,
    said,
    shows,
    table,
    values,
)

# Barrier and atomic count of each machine code.
SIDES = {"put_back": (True, True), "left_out": (False, True), "plain_count": (False, False)}
# What is a name, or the worked example's own: no measured or counted number.
NAMES = re.compile(
    r"[Ss]tage [12]|L[12]|Inputs are 1 or −1|c[12]\b|T1|float\d+|[Bb]uffer 0|(lock|warp|mean|spread|SM|eps is)"
    r" [01]\b|from 0 to 1|0 becomes 1|It was 0|"
    r"Rows 1 and 2|row 0|Only 1 and −1|backward, N = \{n\}, 1 buffer|45 minutes|^\d: |"
    r"From 4 rows|2 · G|95 % confidence|[Pp]rogram [01] "
)


def test_steps_and_chapters_follow_each_other(steps: Steps) -> None:
    assert [step.chapter for step in steps] == sorted(step.chapter for step in steps)
    assert {step.chapter for step in steps} == {*range(len(CHAPTERS) + 1)}
    asked = [scene for _, scene in shows(steps, QuestionScene)]
    assert [scene.revealed for scene in asked] == [False, True] * (len(asked) // 2)


def test_no_number_is_written_into_a_sentence(steps: Steps) -> None:
    found = {sentence.template for step in steps for sentence in said(step)} | {TITLE.template}
    assert len(found) > 100
    for template in found:
        assert not re.search(r"\d", NAMES.sub("", template)), template


def test_one_of_a_thing_is_not_told_in_the_plural(steps: Steps, recorded: LectureMaterial) -> None:
    told = [str(sentence) for step in steps for sentence in said(step)]
    cases = (*recorded.cases.values(), recorded.small)
    told += [str(sentence) for case in cases for _, sentence in passings(case.timeline)]
    for text in told:
        assert not re.search(r"(?<![\d.,])1 (programs|rows|buffers|columns|warps)\b", text), text


def test_the_update_that_is_lost_is_lost_by_load_add_and_store(
    steps: Steps,
) -> None:
    example = work_out()
    rows = {row: example.partial_rows.dw[row] for row in (0, 2)}
    race, lost, locked, early, *without = (scene for _, scene in shows(steps, Moves))
    for scene in (race, lost, locked, early):
        registers: dict[int, np.ndarray] = {}
        stored = dict.fromkeys(rows, 0)
        buffer = np.zeros(4)
        for move in scene.moves:
            text = move.text.template
            if "loads" in text:
                registers[move.program] = buffer.copy()
            for half, columns in (("warp 0 stores", slice(0, 2)), ("warp 1 stores", slice(2, 4))):
                if half in text:
                    buffer[columns] = rows[move.program][columns]
                    stored[move.program] += 1
            if "adds" in text:
                buffer = registers[move.program] + rows[move.program]
            assert move.buffer == tuple(buffer), text
        assert scene.right == tuple(rows[0] + rows[2])
    assert race.shown < len(race.moves)
    assert lost.moves[-1].buffer == tuple(rows[2]) != lost.right
    assert locked.moves[-1].buffer == locked.right
    assert early.moves[-1].buffer != early.right
    assert early.moves[-1].buffer[:2] == early.right[:2]
    assert [len(scene.moves) - scene.shown for scene in without] == [1, 0]
    for move in without[0].moves[:4]:
        added = [
            row for row in range(4) if row % 2 == move.program and row <= values(move.text)["row"]
        ]
        assert move.own == tuple(example.partial_rows.dw[added].sum(axis=0))
    assert without[1].moves[-1].buffer == without[1].right == tuple(example.sums.dw)


def test_a_picture_of_events_shows_what_their_caption_says(steps: Steps) -> None:
    for step, scene in shows(steps, SceneEvent):
        beat, now = scene.beat, moment(scene.example.timeline, scene.beat.time_ns)
        given_back = beat.others if beat.kind is BeatKind.ADDS else ()
        rows = [*beat.rows, *given_back] or slice(None)
        states = {RowState(state).name for state in now.state[rows]}
        expected = {
            BeatKind.START: {"COMPUTING"},
            BeatKind.STORES: {"HOLDING"},
            BeatKind.WAITS: {"QUEUED"},
            BeatKind.ADDS: {"HOLDING", "DONE"},  # and the row that has given the lock back
            BeatKind.TILES: {"DONE"},
            BeatKind.END: {"DONE"},
        }
        assert states == expected[scene.beat.kind], str(step.caption)
        assert values(step.caption).get("then", nanoseconds(scene.beat.time_ns)) == nanoseconds(
            scene.beat.time_ns
        )
        if scene.beat.kind in (BeatKind.TILES, BeatKind.END):
            assert (now.tile_progress.min() == 1) == (scene.beat.kind is BeatKind.END), (
                "the sums are there at the end alone"
            )


def test_chapter_one_ends_with_the_recorded_run_in_which_row_2_came_before_row_0(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, _ = shows(steps, Playback)[0]
    assert step.chapter == 1
    timeline = step.scene.case.timeline
    assert (timeline.kind, timeline.m, timeline.group_size_m) == (Kind.RECORDED, 4, 2)
    assert timeline.held_ns[2] < timeline.held_ns[0]
    told = values(step.caption)
    assert (told["row"], told["other"]) == (2, 0)
    assert told["early"] == nanoseconds(int(timeline.held_ns[2]))


def test_the_runs_without_the_barrier_are_those_of_the_experiment(
    steps: Steps, recorded: LectureMaterial
) -> None:
    result = recorded.barrier
    side = result.findings_of(Barriers).worst
    assert side.wrong_runs, "else there is nothing to show"
    asked = question(steps, "runs have wrong sums")
    assert asked.text.values == (("side", side.told), ("runs", side.runs))
    assert str(asked.options[asked.correct]) == f"{side.wrong_runs:,}"
    assert list(asked.answer) == result.sentences()
    step, scene = shows(steps, BarrierSide)[0]
    assert scene is side
    assert values(step.aside)["side"] == side.told
    wrong = side.wrong_dw + side.wrong_db
    first = int(wrong.nonzero()[0][0])
    assert values(step.caption) == ({"first": first} if first else {})
    closing = shows(steps, Closing)[-1][1]
    told = {"side": side.told, "wrong": side.wrong_runs, "runs": side.runs}
    assert values(closing.points[1]) == told


@pytest.mark.parametrize("wrong", [0, 12])
def test_runs_that_lose_nothing_without_the_barrier_alone_are_told_as_such(
    wrong: int, recorded: LectureMaterial
) -> None:
    found = recorded.barrier.findings_of(Barriers)
    assert found.plain_count.wrong_runs, "seen with the plain count"
    columns = np.zeros_like(found.plain_count.wrong_dw)
    columns[: 8 * bool(wrong)] = wrong
    alone = replace(
        found.plain_count, atomic_count=True, wrong_runs=wrong, wrong_dw=columns, wrong_db=columns
    )
    result = replace(recorded.barrier, findings=replace(found, left_out=alone))
    told = storyboard(replace(recorded, barrier=result))
    asked = question(told, "runs have wrong sums")
    shown = found.plain_count if wrong == 0 else alone
    assert shows(told, BarrierSide)[0][1] is shown
    assert str(asked.text).startswith(f"{shown.told}: how many of ")
    assert ("no run showed the fault" in str(asked.reason)) == (wrong == 0)
    assert ("none of 1000 runs" in str(asked.answer[0])) == (wrong == 0)


@pytest.mark.parametrize("side", SIDES)
def test_the_code_without_the_barrier_has_the_fault(side: str, recorded: LectureMaterial) -> None:
    (release,) = releases(recorded.code[side], "sass")
    assert bool(release.unguarded) == (side != "put_back")


def test_the_switch_takes_out_the_barrier_alone_and_leaves_the_fence(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "what the switch changes")
    cells = [[str(text) for text in line[1:]] for line in scene.lines[1:]]
    cells = [[on, *(on if each == "same" else each for each in off)] for on, *off in cells]
    count = {}
    for column, side in enumerate(SIDES):
        code = "\n".join(recorded.code[side])
        held = code.partition(".CAS.")[2].partition(".EXCH.")[0]
        stored, _, after = held.rpartition("STG.E.128")
        takes, counts, hands, stores, waits, fences, gives = (line[column] for line in cells)
        assert takes in code
        assert gives in code
        assert all(operation in held for operation in counts.split(", "))
        assert stores == "2\u00a0×\u00a0STG.E.128"
        assert hands.endswith("BAR.SYNC")
        assert stored.count("BAR.SYNC") == (int(hands[0]) if hands[0].isdigit() else 1)
        assert after.count("BAR.SYNC") == (waits == "BAR.SYNC")
        assert after.count("MEMBAR.ALL.GPU") == (fences == "MEMBAR.ALL.GPU") == 1
        assert re.search(r"@!?P\d EXIT", after.partition("MEMBAR")[0]), "all others have left"
        count[side] = code.count("BAR.SYNC"), code.count("ATOMG.E.ADD")
    assert cells[scene.marked - 1] == ["BAR.SYNC", "–", "–"]
    assert count == {"put_back": (10, 1), "left_out": (9, 1), "plain_count": (7, 0)}
    assert values(step.note) == {"on": 10, "off": 9, "of_count": 2, "plain": 7}
    on, off = (
        [re.sub(r"/\*\w+\*/\s*", "", line) for line in recorded.code[side][1:]]
        for side in ("put_back", "left_out")
    )
    barrier = len(on) - 1 - on[::-1].index("BAR.SYNC.DEFER_BLOCKING 0x0 ;")
    assert on[:barrier] + on[barrier + 1 :] == off, "one instruction"
    assert step.source == ()
    experiment = recorded.barrier.resolved
    first = recorded.code["put_back"][0]
    for words in ("what the switch changes", "a store seen"):
        told = values(table(steps, words)[0].aside)
        assert f"--device {told['architecture']} " in first
        assert first.endswith(f"; {told['compiler']}")
    told = values(step.aside)
    assert [int(str(told[name])) for name in ("m", "n", "buffers")] == [
        experiment.m,
        experiment.n,
        experiment.launch.group_size_m,
    ], "the code is that of the experiment's launch"


def test_columns_that_were_wrong_are_wrong_together_with_their_neighbours(
    steps: Steps, recorded: LectureMaterial
) -> None:
    """A warp's stores are late together: most neighbours were wrong in as many runs."""
    _, side = shows(steps, BarrierSide)[0]
    for wrong in (side.wrong_dw, side.wrong_db):
        ever = np.pad(wrong > 0, 1)
        assert (ever[:-2] | ever[2:])[ever[1:-1]].mean() > 0.97


def test_a_store_is_seen_by_the_order_of_the_code(steps: Steps, recorded: LectureMaterial) -> None:
    _, scene = table(steps, "a store seen")
    names = [str(line[1]).rpartition("\u00a0")[2] for line in scene.lines[1:]]
    code = "\n".join(recorded.code["put_back"])
    release, acquire = names[:4], names[4:]
    for order, part in (
        (release, code[code.rindex("LDG.E.128") :]),
        (acquire, code[code.index(".CAS.") - 10 :]),
    ):
        places = [part.index(name) for name in order]
        assert places == sorted(places), order


@pytest.mark.parametrize("side", SIDES)
def test_the_shipped_machine_code_is_what_the_compiler_makes_of_the_kernel(
    side: str, recorded: LectureMaterial
) -> None:
    made = recorded.code[side][0]
    if not made.endswith(f"Triton {version('triton')}"):
        pytest.skip(f"{made.rpartition(';')[2].strip()} made it, {version('triton')} is here")
    launch = recorded.barrier.resolved.launch
    barrier, atomic = SIDES[side]
    wish = LaunchWish(
        group_size_m=launch.group_size_m,
        partial_dtype="same",
        barrier=barrier,
        atomic_count=atomic,
    )
    for name, on in (("barrier", barrier), ("atomic-count", atomic)):
        assert (f"--no-{name} " in made) == (not on), "the first line says how it is made"
    limits = limits_for_architecture("sm_90")
    request = CompileRequest(
        m=8192,
        n=2048,
        dtype="float16",
        launch=resolve_launch(2048, "float16", wish, limits),
        architecture="sm_90",
        stages=("sass",),
        kernels=("backward_stage1",),
    )
    (facts,) = facts_in_own_process(request, timeout=120)
    fresh, shipped = (
        [line for line in lines if operation(line) and "/*" in line]
        for lines in (facts.texts["sass"].splitlines(), recorded.code[side])
    )
    assert same_code(shipped, tuple(fresh))


@pytest.mark.parametrize("length", LENGTHS)
def test_a_lecture_fits_into_its_length_and_fills_it(length: int, steps: Steps) -> None:
    chosen = lecture_of(steps, length)
    spent = sum(map(seconds, chosen)) / 60
    assert length - 2 < spent <= length
    minutes = [values(step.minute)["minute"] for step in chosen]
    assert {values(step.minute)["length"] for step in chosen} == {length}
    assert [step.number for step in chosen] == list(range(1, len(chosen) + 1))
    for place, step in enumerate(chosen[:-1]):
        assert -1 < minutes[place + 1] - minutes[place] - seconds(step) / 60 < 1
    assert seconds(chosen[0]) == pytest.approx(5 + 60 / 130 * len(str(chosen[0].note).split()))


def test_a_shorter_lecture_is_part_of_a_longer_one_and_has_its_ends(steps: Steps) -> None:
    short, usual, long = ([step.scene for step in lecture_of(steps, each)] for each in LENGTHS)
    assert long == [step.scene for step in steps]
    for less, more in ((short, usual), (usual, long)):
        assert len(less) < len(more)
        assert less == [scene for scene in more if scene in less]
        assert (less[0], less[-1]) == (more[0], more[-1])
    for length in LENGTHS:
        chosen = lecture_of(steps, length)
        openings = [step.chapter for step, _ in shows(chosen, Opening)]
        assert openings == [0, *chosen[0].chapters[1:]], "each chapter that it names begins"
        asked = [scene.revealed for _, scene in shows(chosen, QuestionScene)]
        assert asked == [False, True] * (len(asked) // 2), "what is asked is answered"


def test_the_kernels_lines_are_those_of_the_installed_file(steps: Steps) -> None:
    """And their numbers those of the example."""
    example = work_out()
    file = (files("lnkernels") / "passes/locked.py").read_text("utf-8").split("\n")
    _, scene = table(steps, "line by line")
    numbers = [int(str(line[0])) for line in scene.lines[1:]]
    for number, line in zip(numbers, scene.lines[1:], strict=True):
        assert str(line[1]).replace("\u00a0", " ").strip("…") in file[number - 1]
    assert [number for number in numbers if "wait_for" in file[number - 1]] == numbers[-2:-1]
    rows = [example.partial_rows.dw[row] for row in (0, 2)]
    cells = {str(line[1]).split("(")[0]: [*map(str, line[2:])] for line in scene.lines[1:]}

    def told(values: np.ndarray) -> str:
        return ",\u00a0\u00a0".join(f"{value:g}".replace("-", "−") for value in values)

    assert cells["tl.store"] == [told(rows[0]), told(rows[0] + rows[1])]
    assert cells["order\u00a0= tl.atomic_add"] == [str(example.timeline.order[r]) for r in (0, 2)]
    for step, beat in ((step, scene.beat) for step, scene in shows(steps, SceneEvent)):
        told_line = values(step.aside)
        code = str(told_line["code"]).replace("\u00a0", " ").strip("…")
        assert code in file[int(str(told_line["number"])) - 1]
        assert EVENT_LINES[beat.kind] in code


EVENT_LINES = {
    BeatKind.START: "dx = ",
    BeatKind.STORES: "tl.store(",
    BeatKind.WAITS: "atomic_cas",
    BeatKind.ADDS: "dw_before = tl.load",
    BeatKind.TILES: "atomic_xchg",
    BeatKind.END: "total += ",
}


def test_five_ways_add_the_same_numbers_round_by_round(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "five ways")
    told = values(step.caption)
    m = recorded.cases[256].timeline.m
    assert told == {"log": m.bit_length() - 1, "m": f"{m:,}"}
    assert m == 1 << (m.bit_length() - 1)
    column = int(str(values(step.note)["column"]))
    dw = work_out().partial_rows.dw[:, column]
    assert len(set(dw)) == 4, "each can be followed"

    def numbers(text: object) -> list[float]:
        return [float(word) for word in str(text).replace("−", "-").split()]

    assert numbers(dict(scene.lines[0][0].values)["values"]) == dw.tolist()
    rounds = {
        str(line[0]): [numbers(cell) for cell in line[2:] if cell] for line in scene.lines[1:]
    }
    for sums in rounds.values():
        assert sums[-1] == [dw.sum()]
    (locks, chain, own, tree, shuffle) = rounds.values()
    assert locks == own == [[dw[0], dw[1]], [dw[0] + dw[2], dw[1] + dw[3]], [dw.sum()]]
    assert [each for (each,) in chain] == np.cumsum(dw).tolist()
    assert tree[0] == [dw[0] + dw[2], dw[1] + dw[3]]
    assert shuffle[0] == [dw[0] + dw[1]] * 2 + [dw[2] + dw[3]] * 2


def test_every_order_of_loads_and_stores_ends_as_the_scheduler_says(steps: Steps) -> None:
    """All orders of two programs; those that lose a row are those in which both load first."""
    (free, locked) = (scene for _, scene in shows(steps, Scheduling))
    right = 0
    for order in sorted(set(permutations((0, 0, 1, 1)))):
        moves = free.played(order)
        assert moves.through
        whole = moves.moves[-1].buffer == moves.right
        assert whole == (order[0] == order[1])
        right += whole
        for extra in ((), order, (0, 1) * 3):
            moves = locked.played((*order, *extra))
            if moves.through:
                assert moves.moves[-1].buffer == moves.right, "the lock leaves no wrong order"
    assert right == 2
    note = str(next(step.note for step, scene in shows(steps, Scheduling) if not scene.locked))
    assert "Two of the six orders are right" in note
    moves = locked.played((0, 1, 1, 0))
    assert not moves.through
    assert [move.text.template.split("}")[1] for move in moves.moves] == [
        " takes the lock, loads",
        " tries, and waits",
        " tries, and waits",
        " adds, stores, gives it back",
    ]
    assert not free.played(()).moves


def test_the_sheets_of_a_break_are_there_under_their_titles(steps: Steps) -> None:
    sheets = {each.name[:2]: each.title for each in load_exercises(resource("none"))[0]}
    breaks = [
        (step, scene) for step, scene in shows(steps, Closing) if "Sheet" in str(scene.points)
    ]
    assert len(breaks) == 5
    for step, scene in breaks:
        assert values(step.title)["minutes"] == scene.minutes
        for point in scene.points:
            told = values(point)
            assert str(told["title"]) == sheets[str(told["number"])]
    assert isinstance(steps[-1].scene, Closing)


def test_two_orders_are_added_up_as_the_buffers_round(
    steps: Steps, recorded: LectureMaterial
) -> None:
    timeline = recorded.rounded.timeline
    sums = timeline.sums
    assert sums is not None
    _, scene = table(steps, "order")
    lock, column = (int(str(values(scene.lines[0][0])[name])) for name in ("lock", "column"))
    rows = np.flatnonzero(timeline.lock == lock)
    ends = []
    for place, order in ((1, rows[np.argsort(timeline.order[rows])]), (2, rows)):
        total = np.float16(0)
        for line, row in zip(scene.lines[1:], order, strict=True):
            total = np.float16(np.float32(total) + sums.row_dw[row, column])
            assert values(line[place]) == {
                "row": int(row),
                "sum": f"{float(total):.4f}".replace("-", "−"),
            }
        ends.append(float(total))
    last = rows[np.argsort(timeline.order[rows])][-1]
    assert ends[0] == float(sums.dw_after[last, column]), "the buffer as it was recorded"
    assert ends[0] != ends[1]


def test_the_many_runs_are_those_of_the_experiment(steps: Steps, recorded: LectureMaterial) -> None:
    result = recorded.order
    step, scene = table(steps, "no two runs")
    assert [str(line[1]) for line in scene.lines[1:]] == [
        str(side.distinct) for side in result.findings_of(Orders).sides
    ]
    assert values(scene.lines[0][0]) == {"runs": result.findings_of(Orders).sides[0].runs}
    assert step.caption == result.sentences()[0]
