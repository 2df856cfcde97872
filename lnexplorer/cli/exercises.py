"""`lnexplorer exercises`: lab sheets, and answers that are checked by what was run or recorded."""

import csv
from contextlib import nullcontext
from dataclasses import replace
from io import StringIO

from lnexplorer.cli.commands import NOT_WITHIN_TOLERANCE, OK, refusal
from lnexplorer.cli.options import CommandParser, Options, add_option, count_of
from lnexplorer.cli.terminal import aligned, give, say
from lnexplorer.domain.lecture.checks import RIGHT, ExerciseError
from lnexplorer.domain.lecture.exercises import Exercise, gift
from lnexplorer.store.exercises import TRY, judge, load_evidence, load_exercises, read_tries
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import Paths, find_paths
from lnexplorer.store.settings import load_settings, save_settings

DESCRIPTION = """\
Lab sheets: list them, show one with its hints, check an answer by what was run or recorded; a log
of tries as CSV; questions for Moodle.
"""
EPILOG = """\
lnexplorer exercises; lnexplorer exercises show 05 --hints 1; lnexplorer exercises check 05 --answer
'300 µs'; lnexplorer exercises log > tries.csv; lnexplorer exercises moodle > questions.gift. A
sheet of one's own is a Markdown file in the folder exercises of the settings. Exit status: 0 shown,
or the answer is right; 1 it is wrong, or something has to be run first; 2 there is no such sheet,
or the answer is none.
"""


# The options and arguments that not every action takes.
TAKEN = {"show": {"name", "hints"}, "check": {"name", "answer"}}


def main(options: Options) -> int:
    unused = {"name", "answer", "hints"} - TAKEN.get(options.what, set())
    options.refuse_given(sorted(unused), f"leave it out: {options.what} does not take it")
    options.end_if_refused()
    paths = find_paths(reading=True)
    exercises, wrong = load_exercises(paths.exercises, options.language)
    for sentence in wrong:
        say("exercises", sentence)
    if options.what == "list":
        settings, warning = load_settings(paths.settings)
        if warning is not None:
            say("exercises", warning)
        _list(exercises, settings.solved, as_json=options.json)
        return OK
    if options.what == "log":
        tries = read_tries(paths.exercises)
        stream = StringIO()
        csv.writer(stream, lineterminator="\n").writerows((TRY, *tries))
        listed = [dict(zip(TRY, line, strict=True)) for line in tries]
        give({"tries": listed}, stream.getvalue().rstrip(), as_json=options.json)
        return OK
    if options.what == "moodle":
        evidence = load_evidence(None, paths.exercises)
        questions = {each.name: gift(each, evidence) for each in exercises}
        for name, question in questions.items():
            if question is None:
                say("exercises", f"{name} is left out: no answer that Moodle can check.")
        text = "\n\n".join(filter(None, questions.values()))
        give({"gift": text}, text, as_json=options.json)
        return OK
    exercise = _named(exercises, options.name or "nothing")
    if options.what == "check":
        return _check(exercise, options.answer, paths, as_json=options.json)
    hints = exercise.hints[: options.hints]
    document = {
        "exercise": exercise.name,
        "title": exercise.title,
        "task": exercise.shown,
        "hints": list(hints),
        "answer": exercise.answer and str(exercise.answer),
    }
    lines = [exercise.title, "", exercise.shown.replace("**", "")]
    lines += [f"\nHint: {hint}" for hint in hints]
    give(document, "\n".join(lines), as_json=options.json)
    return OK


def parser() -> CommandParser:
    command = CommandParser("exercises", DESCRIPTION, EPILOG)
    command.add_argument(
        "what", nargs="?", default="list", choices=("list", "show", "check", "log", "moodle")
    )
    add_option(
        command,
        "name",
        "of a sheet; its first letters do, where no other sheet begins with them",
        "NAME",
        nargs="?",
    )
    add_option(
        command,
        "--answer",
        "of `check`: a number, a time or a word, as the sheet asks",
        "TEXT",
        default="",
    )
    add_option(
        command,
        "--hints",
        "of `show`: so many hints. Default: none.",
        "COUNT",
        type=count_of,
        default=0,
    )
    command.add_argument(
        "--language",
        choices=("en", "zh_CN"),
        default="en",
        help="of the sheets. Default: %(default)s.",
    )
    return command


def _list(exercises: list[Exercise], solved: tuple[str, ...], *, as_json: bool) -> None:
    listed = [
        {"exercise": each.name, "title": each.title, "solved": each.name in solved}
        for each in exercises
    ]
    rows = [(each.name, "solved" if each.name in solved else "", each.title) for each in exercises]
    give({"exercises": listed}, aligned(rows), as_json=as_json)


def _named(exercises: list[Exercise], name: str) -> Exercise:
    matching = [each for each in exercises if each.name == name]
    matching = matching or [each for each in exercises if each.name.startswith(name)]
    if len(matching) != 1:
        allowed = "take a name that `lnexplorer exercises` lists, or the beginning of one"
        raise refusal("exercise", name, allowed)
    return matching[0]


def _check(exercise: Exercise, answer: str, paths: Paths, *, as_json: bool) -> int:
    """Check an answer by the history, if there is one, and keep a right one as solved."""
    reading = open_history(paths.history, lambda said: say("exercises", said), reading=True)
    with reading if paths.has_history else nullcontext() as history:
        try:
            verdict = judge(exercise, answer, history, paths.exercises)
        except ExerciseError as error:
            raise StoreError(error.sentence) from error
    if verdict.state == RIGHT:
        settings, _ = load_settings(paths.settings)
        solved = tuple(dict.fromkeys((*settings.solved, exercise.name)))
        if solved != settings.solved:
            trouble = save_settings(paths.settings, replace(settings, solved=solved))
            if trouble is not None:
                say("exercises", trouble)
    document = {
        "exercise": exercise.name,
        "verdict": verdict.state,
        "sentence": str(verdict.sentence),
    }
    give(document, f"{verdict.state}: {verdict.sentence}", as_json=as_json)
    return OK if verdict.state == RIGHT else NOT_WITHIN_TOLERANCE
