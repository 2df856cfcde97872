"""What commands share about results: doing a job, why there is none, and files that can be written."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lnexplorer.cli.commands import INVALID, CommandEnd, failed, stopped
from lnexplorer.cli.terminal import Progress, show
from lnexplorer.domain.parameters import BY_NAME
from lnkernels.launch import Problem
from lnkernels.values.sentence import verbatim

if TYPE_CHECKING:
    from lnexplorer.domain.jobs import JobRequest
    from lnexplorer.protocol.messages import EngineEvent, Outcome

Value = TypeVar("Value")


def problem_text(problem: Problem) -> str:
    parameter = BY_NAME.get(problem.field)
    option = "" if parameter is None else f" ({parameter.option})"
    return (
        f"{problem.field} = {problem.value or 'nothing'}{option} is not possible: {problem.allowed}"
    )


def refused(problems: Sequence[Problem]) -> CommandEnd:
    """The end where a request is not possible."""
    listed = [
        {"field": problem.field, "value": problem.value, "allowed": str(problem.allowed)}
        for problem in problems
    ]
    return CommandEnd(
        INVALID,
        [problem_text(problem) for problem in problems],
        {"kind": "invalid", "problems": listed},
    )


def impossible(field: str, value: object, allowed: str) -> Problem:
    return Problem(field, str(value).encode(errors="replace").decode(), verbatim(allowed))


def do_job(job: "JobRequest", kind: type[Value], device: str) -> Value:
    """What a job on a device gives, which is of a kind; a CommandEnd where it gives nothing."""
    return value_of(do_job_to_end(job, device), kind, device)


def do_jobs(jobs: "Sequence[JobRequest]", kind: type[Value], device: str) -> list[Value]:
    """What several jobs of a device give, one after the other, each of a kind; a CommandEnd where
    one gives nothing.
    """
    from lnexplorer.engine import supervisor

    progress = Progress()
    try:
        outcomes = supervisor.run_in_turn(jobs, device, progress.show)
    finally:
        progress.clear()
    return [value_of(outcome, kind, device) for outcome in outcomes]


def do_job_to_end(
    job: "JobRequest", device: str, hear: "Callable[[EngineEvent], None]" = lambda _: None
) -> "Outcome":
    """Do a job with its progress on stderr; `hear` hears every event, too."""
    from lnexplorer.engine import supervisor
    from lnexplorer.protocol.messages import JobEnded

    progress = Progress()

    def on_event(event: "EngineEvent") -> None:
        hear(event)
        progress.show(event)
        if isinstance(event, JobEnded) and event.printed:
            progress.clear()
            show(f"the kernel printed:\n{event.printed.rstrip().expandtabs()}", sys.stderr)

    try:
        return supervisor.run_to_end(job, device, on_event)
    finally:
        progress.clear()


def value_of(outcome: "Outcome", kind: type[Value], device: str) -> Value:
    """What a job gave; a CommandEnd where it gave nothing."""
    from lnexplorer.protocol.messages import Finished

    if isinstance(outcome, Finished) and isinstance(outcome.value, kind):
        return outcome.value
    raise without_result(outcome, device)


def without_result(outcome: "Outcome", device: str = "") -> CommandEnd:
    """The end of a command whose job ended without a result; that a GPU is not there is the
    request's fault.
    """
    from lnexplorer.protocol.messages import Broken, Refused

    match outcome:
        case Refused(problems=problems):
            return refused(problems)
        case Broken(phase="start") if device and (missing := missing_devices([device])):
            return refused(missing)
        case Broken(phase=phase, sentence=cause, detail=detail):
            return failed(phase, cause, detail)
        case _:
            return stopped()


def missing_devices(names: Sequence[str]) -> list[Problem]:
    """GPUs of `names` ("cuda:0") that are not there, each with what is; none where the driver does
    not answer for its cards.

    To be asked when no worker came up: loading torch finds out more, and this says whether the
        request was at fault.
    """
    indices = {
        name: int(name.removeprefix("cuda:")) for name in names if re.fullmatch("cuda:[0-9]+", name)
    }
    count = gpu_count() if indices else None
    if count is None:
        return []
    there = (
        "the driver shows no NVIDIA GPU"
        if not count
        else f"the driver shows {count} NVIDIA GPU{'' if count == 1 else 's'}"
    )
    offered = ", ".join(["auto", "interpreter", *(f"cuda:{index}" for index in range(count))])
    return [
        impossible("device", name, f"{there}; take one of {offered}")
        for name, index in indices.items()
        if index >= count
    ]


def gpu_count() -> int | None:
    """Number of GPUs that programs see, 0 where there is none; None where there are cards and no
    driver answers for them.
    """
    from lnexplorer.doctor.facts import find_driver

    driver = find_driver()
    if driver.cards and not driver.gpus:
        return None
    return len(driver.visible)


def check_file(field: str, path: Path | None) -> list[Problem]:
    """What is wrong with an option that names a file to write, as far as that is known before it is
    written.
    """
    why = None if path is None else why_not_written(path)
    return [impossible(field, path, why)] if why else []


def why_not_written(path: Path) -> str | None:
    """What to name instead of a file that cannot be written, as far as that is known before it is;
    None where it can.
    """
    # Those of os.path say no where a folder on the way may not be looked into; those of Path raise.
    if os.path.isdir(path):  # noqa: PTH112
        return "name a file, not a folder"
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
        # A device or a pipe, which is written and not replaced.
        return None if os.access(path, os.W_OK) else "name a file that can be written"
    folder = next(
        each for each in (path.parent, *path.parent.absolute().parents) if os.path.exists(each)
    )
    if os.path.isdir(folder) and folder != path.parent:  # noqa: PTH112
        return f"name a file in a folder that is there; {path.parent} is not"
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):  # noqa: PTH112
        return f"name a file in a folder that can be written; {folder} cannot"
    return None
