"""Do jobs on a device for a command, say why there is no result, and keep results in the history."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from lnexplorer.cli.commands import CommandEnd, failed, impossible, refused, stopped
from lnexplorer.cli.terminal import Progress, show
from lnexplorer.cli.terminal import say as tell
from lnexplorer.doctor.facts import find_driver
from lnexplorer.domain.experiments.record import ExperimentRecord
from lnexplorer.domain.jobs import JobRequest, RunJob
from lnexplorer.domain.kernel_versions import compare_versions, version_of_run
from lnexplorer.domain.result import RunResult
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, Outcome, Refused
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import Sentence, say

Value = TypeVar("Value")


def do_job(job: JobRequest, kind: type[Value], device: str) -> Value:
    """What a job on a device gives, which is of a kind; a CommandEnd where it gives nothing."""
    return value_of(do_job_to_end(job, device), kind, device)


def do_jobs(jobs: Sequence[JobRequest], kind: type[Value], device: str) -> list[Value]:
    """What several jobs of a device give, one after the other, each of a kind; a CommandEnd where
    one gives nothing.
    """
    progress = Progress()
    try:
        outcomes = supervisor.run_in_turn(jobs, device, progress.show)
    finally:
        progress.clear()
    return [value_of(outcome, kind, device) for outcome in outcomes]


def do_job_to_end(
    job: JobRequest, device: str, hear: Callable[[EngineEvent], None] = lambda _: None
) -> Outcome:
    """Do a job with its progress on stderr; `hear` hears every event, too."""
    progress = Progress()

    def on_event(event: EngineEvent) -> None:
        hear(event)
        progress.show(event)
        if isinstance(event, JobEnded) and event.printed:
            progress.clear()
            show(f"the kernel printed:\n{event.printed.rstrip().expandtabs()}", sys.stderr)

    try:
        return supervisor.run_to_end(job, device, on_event)
    finally:
        progress.clear()


def value_of(outcome: Outcome, kind: type[Value], device: str) -> Value:
    """What a job gave; a CommandEnd where it gave nothing."""
    if isinstance(outcome, Finished) and isinstance(outcome.value, kind):
        return outcome.value
    raise without_result(outcome, device)


def without_result(outcome: Outcome, device: str = "") -> CommandEnd:
    """The end of a command whose job ended without a result; that a GPU is not there is the
    request's fault.
    """
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
    driver = find_driver()
    if driver.cards and not driver.gpus:
        return None
    return len(driver.visible)


def run_beside(job: RunJob, device: str) -> RunResult:
    """What a run gives. Where a kernel of one's own took its worker along, the rest is run without
    it, and the result says so.
    """
    outcome = do_job_to_end(job, device)
    if not job.kernels or not isinstance(outcome, Broken) or outcome.phase == "start":
        return value_of(outcome, RunResult, device)
    if outcome.detail:
        show(outcome.detail.expandtabs(), sys.stderr)
    # What it printed names a file by its path; the sentence does where it printed nothing.
    said, detail = str(outcome.sentence), outcome.detail
    named = [
        one.name for one in job.kernels if one.code_name in detail or Path(one.place).name in said
    ]
    guilty = named or [one.name for one in job.kernels]
    others = tuple(name for name in job.providers if name not in guilty)
    kernels = tuple(one for one in job.kernels if one.name not in guilty)
    result = value_of(
        do_job_to_end(replace(job, providers=others, kernels=kernels), device), RunResult, device
    )
    notes = (say("{provider}: {reason}", provider=name, reason=outcome.sentence) for name in guilty)
    wrong = (*result.wrong_providers, *guilty)
    return replace(
        result, providers=job.providers, notes=(*result.notes, *notes), wrong_providers=wrong
    )


def keep_run(command: str, result: RunResult, kernels: Sequence[KernelSource] = ()) -> bool:
    """Add a finished run to the history, with the kernels of one's own that took part; whether it
    is there.

    Where it is not, stderr says why.
    """

    def add(history: History) -> None:
        history.runs.add(result)
        for sentence in keep_versions(history, result, kernels):
            tell(command, sentence)

    return _keep(command, "run", add)


def keep_experiment(command: str, record: ExperimentRecord) -> bool:
    """The same with an experiment, however it ended."""
    return _keep(command, "experiment", lambda history: history.experiments.add(record))


def _keep(command: str, what: str, add: Callable[[History], object]) -> bool:
    paths = find_paths()
    if paths.warning is not None:
        tell(command, paths.warning)
    try:
        with open_history(paths.history, lambda sentence: tell(command, sentence)) as history:
            add(history)
    except StoreError as error:
        tell(command, f"{error} This {what} is not in the history.")
        return False
    return True


def keep_versions(
    history: History, result: RunResult, kernels: Sequence[KernelSource]
) -> list[Sentence]:
    """Keep the text of each file that took part in a run; what there is to say of each, and of it
    beside the one before.

    A file that was saved after it was run is left out: its text is not what was run.
    """
    said: list[Sentence] = []
    for source in filter(lambda one: one.is_file, kernels):
        before = history.kernels.versions(source.place)
        kept = history.kernels.keep(version_of_run(source, result))
        if kept is not None:
            said.append(
                say(
                    "{name}: version {version} of {place}",
                    name=kept.name,
                    version=kept.version,
                    place=kept.place,
                )
            )
            older = [one for one in before if one.version < kept.version]
            said += compare_versions(kept, older[-1]) if older else []
    return said
