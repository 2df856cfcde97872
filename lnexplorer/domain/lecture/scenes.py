"""The scenes that a step of the lecture can show, and the step itself."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import Beat, Example, LectureCase, passings
from lnexplorer.domain.roofline import Roofline
from lnkernels.values import Given, Sentence, frozen, frozen_by_name, say, verbatim
from lnkernels.values.environment import KIND_NAMES, Kind

SHORT, USUAL, LONG = LENGTHS = (25, 45, 90)  # minutes of the lecture, to choose from


@frozen
class Opening:
    """A chapter begins; 0 is the lecture itself."""

    chapter: int


@frozen(eq=False)
class Tables:
    """Formulas above tables of numbers, by the names of their signs."""

    formulas: tuple[str, ...]
    marked: tuple[str, ...]  # formulas, or parts of them
    # Sign, values [rows, columns], and whether the step is about it.
    tables: tuple[tuple[str, np.ndarray, bool], ...]


@frozen(eq=False)
class SceneEvent:
    """A moment of the example."""

    example: Example
    beat: Beat


@frozen(eq=False)
class Move:
    """A step of one program, with its registers and the buffer after it."""

    program: int
    text: Sentence
    own: tuple[float, ...]  # [N] in the program's registers; NaN where there is nothing yet
    buffer: tuple[float, ...]  # [N], the same


@frozen(eq=False)
class Moves:
    """Programs that use one buffer, one line after the other in the order of time."""

    moves: Sequence[Move]
    shown: int  # lines that the lecture has come to
    right: tuple[float, ...]  # [N] what the buffer should hold in the end
    heading: Sentence  # of the buffer
    through: bool = True  # False while the programs still have moves to make


@frozen(eq=False)
class Scheduling:
    """Two programs that add to one buffer; the room says which of them goes on."""

    rows: tuple[tuple[int, tuple[float, ...]], ...]  # of each program, and what it adds
    right: tuple[float, ...]  # what the buffer should hold in the end
    heading: Sentence  # of the buffer
    locked: bool

    def played(self, order: Sequence[int]) -> Moves:
        """Return the moves of the programs, 0 or 1, when they go on in this order.

        What comes after both are through is left out.
        """
        buffer = (0.0,) * len(self.right)
        own, done, moves = [buffer, buffer], [0, 0], []
        for turn in order:
            (row, added), step = self.rows[turn], done[turn]
            told = partial(say, row=row)
            if self.locked:
                loads = told("program {row} takes the lock, loads")
                stores = told("program {row} adds, stores, gives it back")
            else:
                loads = told("program {row} loads the buffer")
                stores = told("program {row} adds its row, stores")
            if step == 0 and self.locked and done[1 - turn] == 1:
                loads = told("program {row} tries, and waits")
            elif step == 0:
                own[turn] = buffer
                done[turn] = 1
            elif step == 1:
                buffer = own[turn] = tuple(map(sum, zip(own[turn], added, strict=True)))
                done[turn] = 2
            else:
                continue
            moves.append(Move(row, stores if step else loads, own[turn], buffer))
        return Moves(moves, len(moves), self.right, self.heading, done == [2, 2])


@frozen_by_name
class Question:
    """A question to the room: options, the right one, and the figures that show it."""

    text: Sentence
    options: tuple[Sentence, ...]
    correct: int  # index of the right option
    answer: tuple[Sentence, ...]  # a line each
    # GPU and date of what was recorded; none: counted from the example alone
    source: tuple[str, ...] = ()
    told_before: bool = False  # the open question shows the source, as it has recorded figures
    hint: Sentence  # for the speaker, while it is open
    reason: Sentence  # and with the answer


@frozen(eq=False)
class QuestionScene:
    """A question on show, open or with its answer."""

    question: Question
    revealed: bool


ByNumber: TypeAlias = dict[float, float]  # times in ns by a number, such as GROUP_SIZE_M


@frozen(eq=False)
class SceneSeries:
    """A line of a chart."""

    name: Sentence
    times: ByNumber
    labelled: bool = False


@frozen(eq=False)
class ChartScene:
    """A chart of times over a number, the main series first, with two lines of labels below."""

    series: tuple[SceneSeries, ...]
    # Both labels of each number, from left to right.
    labels: dict[float, tuple[str, str]]
    names: tuple[Sentence, Sentence] = (verbatim("G"), say("KiB in all"))  # of both lines


@frozen(eq=False)
class Playback:
    """A timeline that plays, as a whole or to a time from which on another step shows it."""

    case: LectureCase
    until_ns: int | None = None

    @property
    def end_ns(self) -> int:
        """Return the time of its end."""
        return self.case.timeline.end_ns if self.until_ns is None else self.until_ns

    @property
    def told(self) -> list[tuple[int, Sentence]]:
        """Return what it tells before its end, by time in ns."""
        return [event for event in passings(self.case.timeline) if event[0] < self.end_ns]

    @property
    def halts(self) -> tuple[int, ...]:
        """Return the times in ns at which it halts, its end the last."""
        return (*sorted({time_ns for time_ns, _ in self.told}), self.end_ns)

    def latest(self, now_ns: float) -> Sentence | None:
        """Return what happened last at or before a time; None before all, and at its end.

        There the step's caption says what it came to.
        """
        past = [sentence for time_ns, sentence in self.told if time_ns <= now_ns < self.end_ns]
        return past[-1] if past else None


@frozen(eq=False)
class HierarchyLevel:
    """A level of the hierarchy: many of the next one."""

    title: Sentence
    cells: int
    text: Sentence
    marked: tuple[int, ...] = ()  # cells that are the next; empty: one of them


@frozen(eq=False)
class Levels:
    """From the grid to the thread, each a part of the one before."""

    levels: tuple[HierarchyLevel, ...]


@frozen(eq=False)
class Memory:
    """A kind of memory: its size, and what of the pass is in it."""

    title: Sentence
    size: Sentence | str
    holds: tuple[Sentence, ...]
    of_lock: int = 0  # of these, from the first on, that belong to the lock


@frozen(eq=False)
class Memories:
    """Kinds of memory, the nearest first."""

    memories: tuple[Memory, ...]


@frozen(eq=False)
class Product:
    """The first results of a matrix product, and the blocks that they have loaded."""

    # [results, 2] block row and block column of each result, in the order of programs
    order: NDArray[np.int64]
    blocks: int  # in a row and in a column of each matrix
    first: int  # results that are shown as computed


TableLine: TypeAlias = Sequence[Sentence | str]  # a text for each column


@frozen(eq=False)
class ComparisonScene:
    """A table of sentences, or of numbers as text; a line of titles first, and the column of titles
    first.
    """

    lines: Sequence[TableLine]
    best: int = -1  # the column that matters, from 0; the last one where it is -1
    marked: int | None = None  # the line that matters, in place of a column

    def matters(self, line: int, column: int) -> bool:
        """Return whether a cell is in the line, or in the column, that matters."""
        if self.marked is not None:
            return line == self.marked
        return line > 0 and 0 < column == self.best % len(self.lines[0])


@frozen(eq=False)
class Closing:
    """The last page, with what to remember; or sheets to work on for so many minutes."""

    points: tuple[Sentence, ...]
    minutes: int = 1


Scene = (
    Opening
    | Tables
    | SceneEvent
    | Moves
    | Scheduling
    | QuestionScene
    | ChartScene
    | Playback
    | BarrierSide  # in how many runs each column was wrong
    | Levels
    | Memories
    | Roofline
    | Product
    | ComparisonScene
    | Strategies  # their times as bars, and in each what its programs did
    | Closing
)


@frozen_by_name(eq=False)
class LectureStep:
    scene: Scene
    note: Sentence | None  # for its speaker
    chapter: int = 0
    title: Sentence | None = None
    caption: Sentence | None = None
    aside: Sentence | None = None  # below the caption, in small letters
    source: tuple[str, ...] = ()  # GPU and date, of what was recorded
    shortest: int = USUAL  # minutes of the shortest lecture that has it
    # The storyboard fills these in.
    number: int = 0  # from 1
    count: int = 0
    chapters: tuple[int, ...] = ()  # of this lecture, in order
    minute: Sentence | None = None  # says at which minute of the lecture it begins

    @property
    def kind(self) -> Kind | None:
        """Return the kind of its numbers; None: calculated, or there are none."""
        if self.source:
            return Kind.RECORDED
        return Kind.SIMULATED if isinstance(self.scene, SceneEvent) else None

    @property
    def badge(self) -> tuple[Sentence | str, ...]:
        """Return the kind of its numbers, with GPU and date of what was recorded; empty: none."""
        if isinstance(self.scene, Opening | Closing) and not self.source:
            return ()
        return (say("calculated") if self.kind is None else KIND_NAMES[self.kind], *self.source)


def step(
    scene: Scene,
    title: Sentence | str,
    caption: Sentence | str,
    note: Sentence | str,
    aside: Sentence | str = "",
    *,
    source: tuple[str, ...] = (),
    shortest: int = USUAL,
    **values: Given,
) -> LectureStep:
    """Return a step of a scene and its texts; an empty one is left out.

    Args:
        scene: what is shown.
        title: sentences, or templates of them, which catalogues gather from the calls here.
        caption: below the scene.
        note: for its speaker.
        aside: below the caption, in small letters.
        source: GPU and date, of what was recorded.
        shortest: minutes of the shortest lecture that has it.
        values: what stands in the places of the templates.
    """

    def told(text: Sentence | str) -> Sentence | None:
        return say(text, **values) if text and isinstance(text, str) else text or None

    return LectureStep(
        scene=scene,
        title=told(title),
        caption=told(caption),
        note=told(note),
        aside=told(aside),
        source=source,
        shortest=shortest,
    )


def asked(question: Question, *, shortest: int = USUAL) -> Iterator[LectureStep]:
    """Yield the step that asks a question, and the step that answers it."""
    before = question.source if question.told_before else ()
    for revealed, note, source in (
        (False, question.hint, before),
        (True, question.reason, question.source),
    ):
        scene = QuestionScene(question, revealed=revealed)
        yield LectureStep(scene=scene, note=note, source=source, shortest=shortest)
