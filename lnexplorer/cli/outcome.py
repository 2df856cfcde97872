"""How a command ends: its exit status, which scripts rely on, and the words, or the JSON, that say why there is no
result.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lnexplorer.cli.status import FAILED, INTERRUPTED, INVALID
from lnexplorer.cli.terminal import Progress, print_json, say, show
from lnexplorer.domain.parameters import BY_NAME
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentRecord
    from lnexplorer.domain.jobs import JobRequest
    from lnexplorer.domain.result import RunResult
    from lnexplorer.protocol.messages import Outcome
    from lnexplorer.store.history import History

SCHEMA_VERSION = 1  # of a document that says that there is no result
Value = TypeVar("Value")


def problem_text(problem: Problem) -> str:
    """A problem with the option that it is about."""
    parameter = BY_NAME.get(problem.field)
    option = "" if parameter is None else f" ({parameter.option})"
    return f"{problem.field} = {problem.value}{option} is not possible: {problem.allowed}"


def refuse(command: str, problems: Sequence[Problem], *, as_json: bool) -> int:
    """Say what is wrong with a request."""
    for problem in problems:
        say(command, problem_text(problem))
    if as_json:
        listed = [{"field": problem.field, "value": problem.value, "allowed": str(problem.allowed)} for problem in problems]
        print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "invalid", "problems": listed}})
    return INVALID


def refuse_file(command: str, error: Exception | str, *, as_json: bool) -> int:
    """Say why a file that was named cannot be used."""
    say(command, error)
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "invalid", "cause": str(error)}})
    return INVALID


def fail(command: str, phase: str, cause: object, detail: str = "", *, as_json: bool) -> int:
    """Say what failed, and in which phase; `detail` is for stderr alone."""
    say(command, f"failed in phase {phase}: {cause}")
    if detail:
        show(detail.rstrip(), sys.stderr)
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "failed", "phase": phase, "cause": str(cause)}})
    return FAILED


def do_job(command: str, job: "JobRequest", kind: type[Value], *, device: str, as_json: bool) -> Value | int:
    """What a job gives, or the exit status once it is said why it gives nothing.

    Args:
        command: of the program.
        job: what to do.
        kind: of what it gives.
        device: that was asked for.
        as_json: whether stdout gets a document.
    """
    from lnexplorer.engine import supervisor
    from lnexplorer.protocol.messages import Finished

    progress = Progress()
    outcome = supervisor.run_to_end(job, device, progress.show)
    progress.clear()
    if isinstance(outcome, Finished) and isinstance(outcome.value, kind):
        return outcome.value
    return end_without_result(command, outcome, as_json=as_json, device=device)


def end_without_result(command: str, outcome: "Outcome", *, as_json: bool, device: str = "") -> int:
    """Say why there is no result.

    Args:
        command: of the program.
        outcome: any but one with a result.
        as_json: whether stdout gets a document.
        device: that was asked for; that a GPU is not there is the request's fault, not the worker's.
    """
    from lnexplorer.protocol.messages import Broken, Refused

    match outcome:
        case Refused(problems=problems):
            return refuse(command, problems, as_json=as_json)
        case Broken(phase="start") if device and (missing := missing_devices([device])):
            return refuse(command, missing, as_json=as_json)
        case Broken(phase=phase, sentence=cause, detail=detail):
            return fail(command, phase, cause, detail, as_json=as_json)
        case _:
            why = "stopped before there was a result"
            say(command, why)
            if as_json:
                print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "interrupted", "cause": why}})
            return INTERRUPTED


def missing_devices(names: Sequence[str], others: Sequence[str] = ("auto", "interpreter")) -> list[Problem]:
    """GPUs of `names` ("cuda:0") that are not there, each with what is; none where the driver does not answer for its
    cards.

    Devices that can be asked for besides are `others`. To be asked when no worker came up: loading torch finds out
    more, and this says whether the request was at fault.
    """
    indices = {name: int(name.removeprefix("cuda:")) for name in names if re.fullmatch("cuda:[0-9]+", name)}
    count = gpu_count() if indices else None
    if count is None:
        return []
    offered = ", ".join([*others, *(f"cuda:{index}" for index in range(count))])
    there = "the driver shows no NVIDIA GPU" if not count else f"the driver shows {count} NVIDIA GPU{'' if count == 1 else 's'}"
    allowed = f"{there}; take one of {offered}" if offered else f"{there}, and this needs one"
    return [Problem("device", name, verbatim(allowed)) for name, index in indices.items() if index >= count]


def gpus_are_known() -> bool:
    """Whether the driver lists GPUs, or programs are shown none: no more than that is there, and no torch has to be
    asked.
    """
    from lnexplorer.doctor.nvidia import find_driver

    driver = find_driver()
    return bool(driver.gpus) or driver.hidden_by == ""


def gpu_count() -> int | None:
    """Number of GPUs that programs see, 0 where there is none; None where there are cards and no driver answers for
    them.
    """
    from lnexplorer.doctor.nvidia import find_driver

    driver = find_driver()
    if driver.cards and not driver.gpus:
        return None
    visible = driver.hidden_by
    listed = len(driver.gpus) if visible is None else len([name for name in visible.split(",") if name.strip()])
    return min(len(driver.gpus), listed)


def why_not_written(path: Path, *, folders_are_made: bool = True) -> str | None:
    """What to name instead of a file that cannot be written, as far as that is known before it is; None where it can.

    Args:
        path: of the file.
        folders_are_made: whether who writes it makes folders that are not there.
    """
    # Those of os.path say no where a folder on the way may not be looked into; those of Path raise.
    if os.path.isdir(path):  # noqa: PTH112
        return "name a file, not a folder"
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
        # A device or a pipe, which is written and not replaced.
        return None if os.access(path, os.W_OK) else "name a file that can be written"
    folder = next(each for each in (path.parent, *path.parent.absolute().parents) if os.path.exists(each))  # noqa: PTH110
    if os.path.isdir(folder) and folder != path.parent and not folders_are_made:  # noqa: PTH112
        return f"name a file in a folder that is there; {path.parent} is not"
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):  # noqa: PTH112
        return f"name a file in a folder that can be written; {folder} cannot"
    return None


def keep_run(command: str, result: "RunResult") -> None:
    """Add a finished run to the history. Where that cannot be, stderr says why: a run is no worse for it."""
    _keep(command, "run", lambda history: history.runs.add(result))


def keep_experiment(command: str, record: "ExperimentRecord") -> None:
    """The same with an experiment, however it ended."""
    _keep(command, "experiment", lambda history: history.experiments.add(record))


def _keep(command: str, what: str, add: "Callable[[History], int]") -> None:
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.history import open_history
    from lnexplorer.store.paths import find_paths

    paths = find_paths()
    if paths.warning is not None:
        say(command, paths.warning)
    try:
        with open_history(paths.history, lambda sentence: say(command, sentence)) as history:
            add(history)
    except StoreError as error:
        say(command, f"{error} This {what} is not in the history.")
