"""Reads questions as Moodle does: the rules of its question/format/gift/format.php, on what an export
can hold.
"""

import re
from dataclasses import dataclass, field

HELD = {sign: f"&&{ord(sign):03};" for sign in ":#={}~"} | {"n": "&&010;"}


@dataclass
class Question:
    """A question as Moodle would keep it; texts as they were before they were escaped."""

    name: str
    text: str
    kind: str = ""
    feedback: str = ""
    answers: list[tuple[str, float]] = field(default_factory=list)  # with their share of the mark
    numbers: list[tuple[float, float]] = field(default_factory=list)  # with what they may be off
    pairs: list[tuple[str, str]] = field(default_factory=list)


def read_gift(text: str) -> list[Question]:
    """Return the questions of a file, which blank lines separate."""
    return [_question(part) for part in re.split(r"\n\s*\n", text.strip())]


def _question(part: str) -> Question:
    lines = [" " if line.strip().startswith("//") else line for line in part.split("\n")]
    text = "\n".join(lines).strip().replace("\\\\", "&&092;")
    for sign, held in HELD.items():
        text = text.replace(f"\\{sign}", held)
    text = text.replace("&&092;", "\\")
    assert text.startswith("::"), "it has a name"
    name, _, text = text.removeprefix("::").partition("::")
    text = text.strip()
    assert "{" in text, "it has answers"
    begin, end = text.index("{"), text.index("}")
    assert end == len(text) - 1, "else the answers would stand in the middle of the text"
    asked, inside, feedback = text[:begin].strip(), text[begin + 1 : end].strip(), ""
    if "####" in inside:
        inside, _, feedback = inside.rpartition("####")
        inside = inside.strip()
    assert asked.startswith("[markdown]"), "of a format that it knows"
    question = Question(_shown(name), _shown(asked.removeprefix("[markdown]")))
    question.feedback = _shown(feedback)
    _answers(question, inside)
    return question


def _answers(question: Question, inside: str) -> None:
    if inside.startswith("#"):
        question.kind = "numerical"
        for answer in filter(None, map(str.strip, inside[1:].split("="))):
            value, _, off = answer.partition("#")[0].strip().partition(":")
            question.numbers.append((float(value), float(off or 0)))
        assert question.numbers
    elif "~" in inside:
        question.kind = "multichoice"
        for answer in filter(None, map(str.strip, inside.replace("=", "~=").split("~"))):
            assert not re.match(r"%-*\d{1,2}\.?\d*%", answer), "it would be a weight"
            said = answer.removeprefix("=").partition("#")[0]
            question.answers.append((_shown(said), float(answer.startswith("="))))
        assert len(question.answers) >= 2
        assert sum(share for _, share in question.answers) == 1, "one is right"
    else:
        assert "=" in inside, "else it would be a short answer"
        assert "->" in inside, "else it would be a short answer"
        question.kind = "match"
        for answer in filter(None, map(str.strip, inside.split("="))):
            assert "->" in answer
            one, _, other = answer.partition("->")
            question.pairs.append((_shown(one), _shown(other)))
        assert len(question.pairs) >= 3, "Moodle takes no fewer"


def _shown(text: str) -> str:
    for sign, held in HELD.items():
        text = text.replace(held, "\n" if sign == "n" else sign)
    return text.strip()
