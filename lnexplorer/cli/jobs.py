"""Do jobs for a command, end it where there is no result, and keep results in the history."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from lnexplorer.cli.commands import CommandEnd, failed, impossible, refused, stopped
from lnexplorer.cli.terminal import Progress, aligned, show
from lnexplorer.cli.terminal import say as tell
from lnexplorer.doctor.facts import find_driver, why_silent
from lnexplorer.domain.autopsy import PLACE_TITLES, place_lines, unresident
from lnexplorer.domain.experiments.catalogue import ExperimentRecord
from lnexplorer.domain.jobs import CompileJob, JobRequest, RunJob
from lnexplorer.domain.kernel_versions import (
    HardInputs,
    KernelVersion,
    as_tuned,
    compare_versions,
    hard_inputs,
    hard_sentence,
    version_of_run,
)
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import plan_run
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.wording import counted
from lnexplorer.engine import supervisor
from lnexplorer.engine.verdicts import is_inexact, why_wrong
from lnexplorer.protocol.codec import to_plain
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobEnded,
    Outcome,
    Refused,
)
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values import Sentence, say
from lnkernels.values.environment import Kind

Value = TypeVar("Value")


def do_job(job: JobRequest, kind: type[Value], device: str) -> Value:
    """Do a job on a device and return its value.

    Raises:
        CommandEnd: it has none.
    """
    return do_jobs([job], kind, device)[0]


def do_jobs(jobs: Sequence[JobRequest], kind: type[Value], device: str) -> list[Value]:
    """Do several jobs on a device, one after the other, and return their values.

    Raises:
        CommandEnd: one has none.
    """
    return [value_of(outcome, kind, device) for outcome in _do_in_turn(jobs, device)]


def do_job_to_end(
    job: JobRequest, device: str, hear: Callable[[EngineEvent], None] = lambda _: None
) -> Outcome:
    """Do a job with its progress on stderr; `hear` is called with every event."""
    return _do_in_turn([job], device, hear)[0]


def _do_in_turn(
    jobs: Sequence[JobRequest],
    device: str,
    hear: Callable[[EngineEvent], None] = lambda _: None,
) -> list[Outcome]:
    with Progress() as progress:

        def on_event(event: EngineEvent) -> None:
            hear(event)
            progress.show(event)
            if isinstance(event, JobEnded) and event.printed:
                progress.clear()
                show(f"the kernel printed:\n{event.printed.rstrip().expandtabs()}", sys.stderr)

        return supervisor.run_in_turn(jobs, device, on_event)


def value_of(outcome: Outcome, kind: type[Value], device: str) -> Value:
    """Return the value of an outcome; a CommandEnd where it has none."""
    if isinstance(outcome, Finished) and isinstance(outcome.value, kind):
        return outcome.value
    raise without_result(outcome, device)


def without_result(outcome: Outcome, device: str = "") -> CommandEnd:
    """Make the end of a command whose job has no result. A missing GPU is an invalid request."""
    match outcome:
        case Refused(problems=problems):
            return refused(problems)
        case Broken(phase="start") if device and (missing := missing_devices([device])):
            return refused(missing)
        case Broken(phase=phase, sentence=cause, hang=hang):
            end = failed(phase, cause, _detail(outcome))
            if hang is not None:
                end.error["hang"] = to_plain(replace(hang, timeline=None))
            return end
        case _:
            return stopped()


def _detail(broken: Broken) -> str:
    """Return where the rows of a kernel stood that was ended, and where its worker was."""
    hang = broken.hang
    if hang is None:
        return broken.detail
    never = f"programs that never began: {unresident(hang)} of {hang.programs}"
    return "\n\n".join([aligned([PLACE_TITLES, *place_lines(hang)]), never, broken.detail])


def missing_devices(names: Sequence[str]) -> list[Problem]:
    """List the GPUs of `names` ("cuda:0") that are not there; none where no driver answers.

    For when no worker came up: loading torch finds out more, and this says whether the request was
    at fault.
    """
    named = [name for name in names if re.fullmatch("cuda:[0-9]+", name)]
    count = gpu_count() if named else None
    if count is None:
        return []
    known = [f"cuda:{index}" for index in range(count)]
    there = counted(count, "NVIDIA GPU") if count else "no NVIDIA GPU"
    offered = ", ".join(["auto", "interpreter", *known])
    allowed = f"the driver shows {there}; take one of {offered}"
    return [impossible("device", name, allowed) for name in named if name not in known]


def gpu_count() -> int | None:
    """Count the GPUs that programs see; None where a driver should answer and does not."""
    driver = find_driver()
    silent = not driver.gpus and why_silent(driver)[1]
    return None if silent else len(driver.visible)


def run_beside(job: RunJob, device: str) -> RunResult:
    """Do a run. Where a kernel of one's own takes its worker along, run the rest without it, and
    add a note to the result.
    """
    outcome = do_job_to_end(job, device)
    if not job.kernels or not isinstance(outcome, Broken) or outcome.phase == "start":
        return value_of(outcome, RunResult, device)
    if detail := _detail(outcome):
        show(detail.expandtabs(), sys.stderr)
    # What it printed names a file by its path; the sentence does where it printed nothing.
    said, detail = str(outcome.sentence), outcome.detail
    named = [
        one.name for one in job.kernels if one.code_name in detail or Path(one.place).name in said
    ]
    guilty = named or [one.name for one in job.kernels]
    others = tuple(name for name in job.providers if name not in guilty)
    kernels = tuple(one for one in job.kernels if one.name not in guilty)
    result = do_job(replace(job, providers=others, kernels=kernels), RunResult, device)
    notes = (say("{provider}: {reason}", provider=name, reason=outcome.sentence) for name in guilty)
    wrong = (*result.wrong_providers, *guilty)
    return replace(
        result, providers=job.providers, notes=(*result.notes, *notes), wrong_providers=wrong
    )


def add_hard_inputs(
    result: RunResult, kernels: Sequence[KernelSource], device: str
) -> tuple[RunResult, dict[str, HardInputs], bool]:
    """Check the kernels of a run that are right on hard inputs, too. One that takes its worker
    along at one input is checked at the next by a new worker.

    Returns:
        The run with the verdicts, these by kernel, and whether Ctrl-C left some of the inputs out.
    """
    backend = "cuda" if result.provenance.kind is Kind.MEASURED else "interpreter"
    resolved, notes, wrong = result.resolved, [*result.notes], [*result.wrong_providers]
    problem = replace(result.request.problem("auto"), m=resolved.m, n=resolved.n)
    found, interrupted = dict[str, HardInputs](), False
    for source in kernels:
        if source.name in result.wrong_providers:
            continue
        request = MeasureRequest(
            providers=(source.name,), kernels=(source,), problem=problem, modes=()
        )
        checks = hard_inputs(request, backend)
        shape = (resolved.m, resolved.n, resolved.dtype, resolved.norm)
        hard = HardInputs(shape, left=len(checks))
        if not interrupted:
            try:
                with Progress() as progress, supervisor.WorkerInTurn(device) as one:
                    for name, check in checks:
                        # Its phases would be the same for each.
                        progress.changing(f"{source.name}, hard inputs: {name} …")
                        outcome = one.do(check)
                        why, inexact = why_wrong(outcome), is_inexact(outcome)
                        hard = hard.with_verdict(name, why, inexact=inexact)
            except KeyboardInterrupt:
                interrupted = True
        if not hard.found:
            notes.append(say("{provider}: not checked on hard inputs", provider=source.name))
            continue
        found[source.name] = hard
        told = hard_sentence(hard)
        notes.append(say("{provider}, hard inputs: {told}", provider=source.name, told=told))
        if hard.wrong:
            wrong.append(source.name)
    return replace(result, notes=tuple(notes), wrong_providers=tuple(wrong)), found, interrupted


def as_chosen(job: CompileJob) -> CompileJob:
    """Let the autotuners of a file take what they chose by time in its last run of the shape, as
    far as the history knows it.
    """
    source, plan, paths = job.source, plan_run(job.problem, "cuda"), find_paths(reading=True)
    if source is None or plan.problems or not paths.has_history:
        return job
    versions = list[KernelVersion]()
    with (
        suppress(StoreError),
        open_history(paths.history, lambda said: tell("compile", said), reading=True) as history,
    ):
        versions = history.kernels.versions(source.place)
    named = [each for each in versions if each.name == source.name]
    return replace(job, source=as_tuned(source, named, plan.shaped))


def keep_run(
    command: str,
    result: RunResult,
    kernels: Sequence[KernelSource] = (),
    hard: Mapping[str, HardInputs] | None = None,
) -> bool:
    """Add a finished run to the history, with the kernels of one's own that took part, and what
    hard inputs found of each. Return whether it is there; stderr says why it is not.
    """

    def add(history: History) -> None:
        history.runs.add(result)
        for sentence in keep_versions(history, result, kernels, hard):
            tell(command, sentence)

    return _keep(command, "run", add)


def keep_experiment(command: str, record: ExperimentRecord) -> bool:
    """Add an experiment to the history, however it ended. Return whether it is there."""
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
    history: History,
    result: RunResult,
    kernels: Sequence[KernelSource],
    hard: Mapping[str, HardInputs] | None = None,
) -> list[Sentence]:
    """Keep the text of each file that took part in a run, and compare each with its version before.

    A file that was saved after it was run is left out: its text is not what was run.
    """
    said: list[Sentence] = []
    for source in filter(lambda one: one.is_file, kernels):
        before = history.kernels.versions(source.place)
        found = replace(version_of_run(source, result), hard=(hard or {}).get(source.name))
        kept = history.kernels.keep(found)
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
