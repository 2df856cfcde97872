"""Exercises: lab sheets of a teacher in Markdown, each with the check that it names.

A sheet begins with lines between two lines of three hyphens: `title: …`, `check: NAME
parameter=value …`, what `FIELDS` names besides, and as many `hint: …` and `option: …` as it needs.
The rest is its task.
"""

import re
from dataclasses import replace

from lnexplorer.domain.lecture.checks import (
    CHECKS,
    LETTERS,
    NUMBERS,
    OPEN,
    RIGHT,
    WRONG,
    AnswerVerdict,
    Evidence,
    ExerciseError,
    Value,
    is_locked,
    mixed_up,
    refused,
)
from lnkernels.values import Sentence, frozen_by_name, join_sentences, one_line, say

LONGEST = 20_000  # characters of a sheet
FIELDS = ("title", "check", "hint", "option", "run", "way", "solution")
PATIENCE = 3  # wrong answers, from which on hints come in place of "too large" or "too small"


@frozen_by_name
class Exercise:
    name: str  # of its file, without the suffix
    title: str
    task: str  # plain text, with *, - and ` of Markdown
    check: str  # of CHECKS
    parameters: tuple[tuple[str, Value], ...]
    hints: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    run: tuple[int, ...] = ()  # M, N and GROUP_SIZE_M of what has to be in the history first
    way: str = ""  # told to somebody for whom hints do not suffice
    solution: str = ""  # told when it is solved

    @property
    def shown(self) -> str:
        """Return the task, and below it the options with their letters."""
        options = mixed_up(self.options) if self.check == "order" else self.options
        listed = "\n".join(f"- {LETTERS[place]}: {text}" for place, text in enumerate(options))
        return f"{self.task}\n\n{listed}".strip()

    @property
    def answer(self) -> Sentence | None:
        """Return what is to be typed; None where nothing is."""
        return CHECKS[self.check].answer

    def judge(self, evidence: Evidence, answer: str) -> AnswerVerdict:
        """Return whether an answer is right.

        Raises:
            ExerciseError: the answer is no answer.
            StoreError: a file that the check names cannot be read.
        """
        if self.run and not any(is_locked(run, *self.run) for run in evidence.runs):
            m, n, group = self.run
            reason = say("Run {m}×{n} with GROUP_SIZE_M = {group} first.", m=m, n=n, group=group)
            return AnswerVerdict(OPEN, reason)
        known = replace(evidence, options=self.options)
        return CHECKS[self.check].judge(known, answer.strip(), **dict(self.parameters))

    def told(self, verdict: AnswerVerdict, wrong: int) -> AnswerVerdict:
        """Return a verdict with what helps besides: the solution, a hint, or the way.

        A right answer gets the solution. From PATIENCE wrong answers on, hints and then the way
        take the place of "too large" and "too small", which lead to any number by halving.

        Args:
            verdict: on the last answer.
            wrong: number of wrong answers, the last one included.
        """
        if verdict.state == RIGHT and self.solution:
            both = join_sentences((verdict.sentence, self.solution), " ")
            return replace(verdict, sentence=both)
        place = wrong - PATIENCE
        if verdict.state != WRONG or place < 0:
            return verdict
        sentence = say("The way: {way}", way=self.way or self.task)
        if place < len(self.hints):
            sentence = say("Take a hint: {hint}", hint=self.hints[place])
        return replace(verdict, sentence=sentence)


def gift(exercise: Exercise, evidence: Evidence) -> str | None:
    """Return a question in Moodle's GIFT; None where its answer is no number, choice or order."""

    def plain(text: str) -> str:
        return re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", "\\n")

    options, right = exercise.options, dict(exercise.parameters).get("right")
    if exercise.check == "choice":
        answers = [
            f"{'=' if place == right else '~'}{plain(text)}"
            for place, text in enumerate(options, start=1)
        ]
    elif exercise.check == "order":
        answers = [f"={n}. -> {plain(text)}" for n, text in enumerate(options, start=1)]
    else:
        if exercise.answer not in NUMBERS:
            return None
        verdict = replace(exercise, run=()).judge(evidence, "0")
        if verdict.right is None:
            return None
        answers = [f"#{verdict.right:.10g}:{verdict.within:.10g}"]
    if exercise.solution:
        answers.append(f"####{plain(exercise.solution)}")
    unit = " (µs)" if str(dict(exercise.parameters).get("figure")).endswith("_us") else ""
    head = f"::{plain(exercise.title)}::[markdown]{plain(exercise.task)}{unit}"
    return "\n".join((f"{head} {{", *answers, "}"))


def read_exercise(name: str, text: str) -> Exercise:
    """Return the exercise in the text of a sheet.

    Raises:
        ExerciseError: the first thing that is wrong, with the field and what is allowed.
    """
    if len(text) > LONGEST:
        raise refused("sheet", text, say("take at most {most} characters", most=LONGEST))
    lines = [one_line(line).rstrip() for line in text.split("\n")]
    end = next((place for place, line in enumerate(lines) if place and line.strip() == "---"), 0)
    if lines[0].strip() != "---" or not end:
        raise ExerciseError("a sheet begins with title and check between two lines of ---")
    task = "\n".join(lines[end + 1 :]).strip()
    fields: dict[str, list[str]] = {name: [] for name in FIELDS}
    fields["task"] = [task] if task else []
    for line in filter(str.strip, lines[1:end]):
        key, _, value = (part.strip() for part in line.partition(":"))
        if key not in FIELDS or not value:
            allowed = say("take {names}, each with a colon after it", names=FIELDS)
            raise refused("line", line, allowed)
        fields[key].append(value)
    for key in ("title", "check", "task", "run", "way", "solution"):
        if len(fields[key]) not in (1, 0 if key in FIELDS[4:] else 1):
            raise refused(key, str(len(fields[key])), say("take one"))
    check, parameters = _read_check(fields["check"][0])
    _check_options(check, fields["option"], dict(parameters).get("right", 0))
    run = "".join(fields["run"])
    sizes = re.fullmatch(r"m=(\d{1,7}) n=(\d{1,7}) group_size_m=(\d{1,7})", run)
    if run and sizes is None:
        raise refused("run", run, say("take m=… n=… group_size_m=…"))
    return Exercise(
        name=name,
        title=fields["title"][0],
        task=task,
        check=check,
        parameters=parameters,
        hints=tuple(fields["hint"]),
        options=tuple(fields["option"]),
        run=() if sizes is None else tuple(map(int, sizes.groups())),
        way="".join(fields["way"]),
        solution="".join(fields["solution"]),
    )


def _check_options(check: str, options: list[str], right: Value) -> None:
    least = {"choice": max(2, int(right)), "order": 3}.get(check, 0)
    most = len(LETTERS) if least else 0
    if not least <= len(options) <= most or len(set(options)) < len(options):
        allowed = say("take {least} to {most}, no two alike", least=least, most=most)
        raise refused("option", str(len(options)), allowed)


def _read_check(text: str) -> tuple[str, tuple[tuple[str, Value], ...]]:
    check, *rest = text.split()
    if check not in CHECKS:
        raise refused("check", check, say("take one of {choices}", choices=CHECKS))
    wanted, typed = CHECKS[check].parameters, dict(part.partition("=")[::2] for part in rest)
    if set(typed) != set(wanted) or len(rest) != len(wanted):
        raise refused(
            "check",
            text,
            say(
                "{check} takes {names}, each once, as in {first}=…",
                check=check,
                names=wanted,
                first=next(iter(wanted), ""),
            ),
        )
    values: list[tuple[str, Value]] = []
    for name, kind in wanted.items():
        value = kind.read(typed[name])
        if value is None:
            raise refused(name, typed[name], kind.allowed)
        values.append((name, value))
    return check, tuple(values)
