"""What is wrong with a request, as the command line says it."""

from lnexplorer.domain.parameters import BY_NAME
from lnkernels.launch import Problem


def sentence(problem: Problem) -> str:
    """A problem with the option that it is about."""
    parameter = BY_NAME.get(problem.field)
    option = "" if parameter is None else f" ({parameter.option})"
    return f"{problem.field} = {problem.value}{option} is not possible: {problem.allowed}"


def harmless(text: str) -> str:
    """A text of somebody else's file on one line, with nothing in it that commands a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
