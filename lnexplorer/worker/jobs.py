"""Do a job from its request to its one end. The table JOBS says which function does which kind."""

import ctypes
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from lnexplorer.domain.experiments.catalogue import check_experiment
from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.domain.jobs import (
    CompileJob,
    InspectJob,
    JobResult,
    RunJob,
    Touched,
    TouchRequest,
    TraceJob,
)
from lnexplorer.domain.measuring import MeasureRequest, check_measure
from lnexplorer.domain.peers import check_peers
from lnexplorer.domain.request import RunPlan, RunRequest, plan_run
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    Finished,
    JobEnded,
    Outcome,
    Prepare,
    Refused,
    Stopped,
    encode_message,
)
from lnexplorer.worker.candidates import offered
from lnexplorer.worker.checking import KEPT_BYTES, inspect
from lnexplorer.worker.compiling import Listings, compile_listings, count_in_hardware, listings
from lnexplorer.worker.connection import Cancellation, Connection, JobCancelled, Task
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.experiments import run_experiment
from lnexplorer.worker.measuring import Measurer
from lnexplorer.worker.trace import trace, trace_stamps
from lnkernels.cache_folders import changed_in, enter_written_folder, no_room, times_in
from lnkernels.call.known_calls import reload_tuned_settings
from lnkernels.compiled.process_pool import CompilerPool
from lnkernels.compiled.touched import touched
from lnkernels.failures import causes, device_is_lost, in_one_line, reason_of
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Problem
from lnkernels.providers.discovery import discover
from lnkernels.providers.file import FileProvider
from lnkernels.values import ExplainedError, Sentence, say, verbatim
from lnkernels.values.environment import Device

NO_MEMORY = ("can't allocate memory", "not enough memory")  # of the host, as torch says it
LEISURE_SECONDS = 0.005  # between two looks at what is to be compiled ahead, while no job waits


@dataclass(slots=True)
class Shared:
    """The state that all jobs of a worker share."""

    measurer: Measurer
    listings: Listings = field(default_factory=listings)

    @property
    def torch_device(self) -> torch.device:
        return self.measurer.torch_device

    @property
    def device(self) -> Device:
        """The device, with the providers that can be timed there."""
        return self.measurer.device

    def plan(self, request: RunRequest) -> RunPlan:
        """Resolve a request here, and check it, also against the memory that is free now."""
        return self.measurer.plan(request, free_memory_bytes(self.torch_device))


Answer = JobResult | list[Problem]


def _run(task: Task, job: RunJob, shared: Shared) -> Answer:
    measurer = shared.measurer
    measurer.forget()
    plan = shared.plan(job.request)
    if problems := [*plan.problems, *check_peers(job.providers)]:
        return problems
    folder = enter_written_folder() if job.kernels else None
    before = {} if folder is None else times_in(folder)
    # Its autograd path comes last: what is being compiled now will hardly last until then.
    with measurer.compilation.quiet(task.check, wait_seconds=0.0):
        result = measurer.run(task, job, plan.resolved)
        if job.counters:
            counters, notes = count_in_hardware(
                task, plan.resolved, shared.listings, shared.torch_device, shared.device
            )
            result = replace(result, counters=counters, notes=(*result.notes, *notes))
    if folder is not None and (names := changed_in(folder, before)):
        note = say(
            "written into {folder} meanwhile, by this run or one beside it: {names}",
            folder=folder,
            names=names,
        )
        result = replace(result, notes=(*result.notes, note))
    return result


def _trace(task: Task, job: TraceJob, shared: Shared) -> Answer:
    plan = shared.plan(job.request)
    if plan.problems:
        return list(plan.problems)
    if job.kernel is not None:
        enter_written_folder()
        kernel = FileProvider(job.kernel, shared.device.limits, judged=False)
        return trace_stamps(task, plan.resolved, kernel, shared.torch_device)
    return trace(task, plan.resolved, shared.torch_device)


def _inspect(task: Task, job: InspectJob, shared: Shared) -> Answer:
    task.begin("run")
    return inspect(shared.measurer.last, job)


def _measure(task: Task, request: MeasureRequest, shared: Shared) -> Answer:
    if free_memory_bytes(shared.torch_device) < 4 * KEPT_BYTES:
        shared.measurer.last = None  # else the errors of the last run can still be looked at
    backend = shared.device.backend
    problems = check_measure(request)
    if not problems and request.modes and backend != "cuda":
        allowed = say("choose a GPU to time on: the interpreter's times mean nothing")
        problems = [Problem("device", backend, allowed)]
    problems = problems or list(shared.measurer.plan(request.subject).problems)
    if request.kernels:
        enter_written_folder()
    return problems or shared.measurer.measure(task, request)


def _experiment(task: Task, request: ExperimentRequest, shared: Shared) -> Answer:
    shared.measurer.forget()
    problems = check_experiment(request, shared.device.backend, shared.device.limits)
    if request.kernel is not None:
        enter_written_folder()
    return problems or run_experiment(
        task, request, shared.measurer, shared.torch_device, shared.device
    )


def _touch(task: Task, request: TouchRequest, shared: Shared) -> Answer:
    """Run the programs of one row and one column in the interpreter, and report what they load and
    store.
    """
    del shared
    plan = plan_run(request.problem, "interpreter")
    if plan.problems:
        return list(plan.problems)
    run = plan.resolved
    task.begin("run")
    task.step(say("kernels"), 0, 1)
    dtype = getattr(torch, run.dtype)
    try:
        with task.interruptible(), ieee_arithmetic():
            found = touched(
                run.m, run.n, dtype, run.launch, request.row, request.column, run.eps, run.norm
            )
    except OSError as error:
        allowed = say(
            "take fewer rows: there is no room for their addresses ({error})", error=str(error)
        )
        return [Problem("m", str(run.m), allowed)]
    problems = [one for one in found if isinstance(one, Problem)]
    accesses = tuple(one for one in found if not isinstance(one, Problem))
    return problems or Touched(request=request, resolved=run, accesses=accesses)


def _compile(task: Task, job: CompileJob, shared: Shared) -> Answer:
    return compile_listings(task, job, shared.listings, shared.device)


JOBS: dict[type, Callable[[Task, Any, Shared], Answer]] = {
    RunJob: _run,
    TraceJob: _trace,
    InspectJob: _inspect,
    MeasureRequest: _measure,
    ExperimentRequest: _experiment,
    TouchRequest: _touch,
    CompileJob: _compile,
}


class JobRunner:
    """Does jobs, one after another, and sends exactly one JobEnded for each."""

    def __init__(
        self,
        connection: Connection,
        cancellation: Cancellation,
        torch_device: torch.device,
        device: Device,
        ahead: CompilerPool | None = None,
    ) -> None:
        found = discover()
        self.device = replace(device, offered=offered(found))
        self._connection = connection
        self._cancellation = cancellation
        self._shared = Shared(Measurer(torch_device, self.device, found, ahead))

    def serve(self) -> None:
        """Do what comes until the device is lost."""
        compilation = self._shared.measurer.compilation
        while True:
            command = self._connection.next_job(LEISURE_SECONDS if compilation.busy else None)
            match command:
                case None:
                    compilation.top_up()
                case Prepare(requests):
                    compilation.later(requests)
                case _:
                    if not self.do(command):
                        return

    def do(self, command: Do) -> bool:
        """Do a job, and return whether the device is still there after it."""
        task = Task(command.job, self._connection, self._cancellation)
        lost = False
        try:
            last_words = encode_message(JobEnded(task.number, self._outcome(task, command)))
        except JobCancelled:
            last_words = encode_message(JobEnded(task.number, Stopped()))
        except BaseException as error:  # noqa: BLE001 - whatever ends a job, it is told
            lost = device_is_lost()
            broken = Broken(
                phase=task.phase,
                sentence=_cause(error, self._shared.torch_device),
                detail=_detail(error),
                device_lost=lost,
            )
            last_words = encode_message(JobEnded(task.number, broken))
        ctypes.CDLL(None).fflush(None)  # what kernels print on a GPU, C holds back
        self._connection.send_bytes(last_words)
        return not lost

    def _outcome(self, task: Task, command: Do) -> Outcome:
        task.check()
        reload_tuned_settings()
        answer = JOBS[type(command.request)](task, command.request, self._shared)
        return Refused(tuple(answer)) if isinstance(answer, list) else Finished(answer)


def _cause(error: BaseException, device: torch.device) -> Sentence:
    if isinstance(error, ExplainedError) or no_room(causes(error)):
        return say("{reason}.", reason=reason_of(error))
    line = in_one_line(error).rstrip(".")
    message = line.removeprefix(f"{type(error).__name__}: ")
    if isinstance(error, torch.OutOfMemoryError):
        free, total = (f"{size / 2**30:.1f} GiB" for size in torch.cuda.mem_get_info(device))
        asked = re.search(r"Tried to allocate (.*?)(\. |$)", message)
        return say(
            "GPU memory ran out: tried to allocate {size}, and {free} of {total} are free.",
            size=asked[1] if asked else message,
            free=free,
            total=total,
        )
    if isinstance(error, MemoryError) or any(words in message for words in NO_MEMORY):
        return say("The machine's memory ran out: {error}.", error=message)
    return verbatim(f"{line}.")


def _detail(error: BaseException) -> str:
    """Format the traceback of an error; an explained one needs none."""
    traced = "" if isinstance(error, ExplainedError) else "".join(traceback.format_exception(error))
    return traced.encode("utf-8", "backslashreplace").decode()  # no message holds half a character
