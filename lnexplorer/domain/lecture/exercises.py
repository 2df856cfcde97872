"""Exercises: lab sheets of a teacher in Markdown, each with the check that it names.

A sheet begins with lines between two lines of three hyphens: `title: …`, `check: NAME
parameter=value …`, and as many `hint: …` as it needs. The rest is its task.
"""

from lnexplorer.domain.lecture.checks import (
    CHECKS,
    AnswerVerdict,
    Evidence,
    ExerciseError,
    Value,
    refused,
)
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, say

LONGEST = 20_000  # characters of a sheet


@frozen(kw_only=True)
class Exercise:
    name: str  # of its file, without the suffix
    title: str
    task: str  # plain text, with *, - and ` of Markdown
    check: str  # of CHECKS
    parameters: tuple[tuple[str, Value], ...]
    hints: tuple[str, ...] = ()

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
        return CHECKS[self.check].judge(evidence, answer.strip(), **dict(self.parameters))


def read_exercise(name: str, text: str) -> Exercise:
    """Return the exercise in the text of a sheet.

    Raises:
        ExerciseError: the first thing that is wrong, with the field and what is allowed.
    """
    if len(text) > LONGEST:
        raise refused("sheet", text, say("take at most {most} characters", most=LONGEST))
    lines = [
        "".join(letter if letter.isprintable() else " " for letter in line).rstrip()
        for line in text.split("\n")
    ]
    end = next((place for place, line in enumerate(lines) if place and line.strip() == "---"), 0)
    if lines[0].strip() != "---" or not end:
        raise ExerciseError(say("a sheet begins with title and check between two lines of ---"))
    task = "\n".join(lines[end + 1 :]).strip()
    fields: dict[str, list[str]] = {
        "title": [],
        "check": [],
        "hint": [],
        "task": [task] if task else [],
    }
    for line in filter(str.strip, lines[1:end]):
        key, _, value = (part.strip() for part in line.partition(":"))
        if key not in ("title", "check", "hint") or not value:
            raise refused(
                "line", line, say("take title, check and hint, each with a colon after it")
            )
        fields[key].append(value)
    for key in ("title", "check", "task"):
        if len(fields[key]) != 1:
            raise refused(key, str(len(fields[key])), say("take one"))
    check, parameters = _read_check(fields["check"][0])
    return Exercise(
        name=name,
        title=fields["title"][0],
        task=task,
        check=check,
        parameters=parameters,
        hints=tuple(fields["hint"]),
    )


def _read_check(text: str) -> tuple[str, tuple[tuple[str, Value], ...]]:
    check, *rest = text.split()
    if check not in CHECKS:
        raise refused("check", check, say("take one of {choices}", choices=", ".join(CHECKS)))
    wanted, typed = CHECKS[check].parameters, dict(part.partition("=")[::2] for part in rest)
    names = ", ".join(wanted)
    if set(typed) != set(wanted) or len(rest) != len(wanted):
        raise refused(
            "check",
            text,
            say(
                "{check} takes {names}, each once, as in {first}=…",
                check=check,
                names=names,
                first=names.split(",")[0],
            ),
        )
    values: list[tuple[str, Value]] = []
    for name, kind in wanted.items():
        value = kind.read(typed[name])
        if value is None:
            raise refused(name, typed[name], kind.allowed)
        values.append((name, value))
    return check, tuple(values)
