"""From a request to its one end. The table JOBS says which function does which kind of job."""

import ctypes
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from lnexplorer.domain.experiments.request import ExperimentRequest, check_experiment
from lnexplorer.domain.jobs import (
    CompileJob,
    InspectJob,
    JobResult,
    RunJob,
    Touched,
    TouchRequest,
    TraceJob,
)
from lnexplorer.domain.measuring import Measured, MeasureRequest, check_measure
from lnexplorer.domain.peers import check_peers
from lnexplorer.domain.request import RunRequest, check, resolve
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
from lnexplorer.worker.compile import compile_listings, counted, listings
from lnexplorer.worker.connection import Cancellation, Connection, JobCancelled, Task
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.experiments import experiment
from lnexplorer.worker.measure import Measurer
from lnexplorer.worker.run import (
    KEPT_BYTES,
    CompilerAnswers,
    LastRun,
    Runner,
    compile_facts,
    impossible,
    inspect,
)
from lnexplorer.worker.throughput import offered
from lnexplorer.worker.trace import trace, trace_stamps, with_waits
from lnkernels.call.calls import reload_tuned_settings
from lnkernels.compiled.ahead import Ahead
from lnkernels.compiled.touched import touched
from lnkernels.failures import device_is_lost, in_one_line
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource
from lnkernels.providers.discovery import Found, discover
from lnkernels.providers.file import FileProvider
from lnkernels.values.environment import Device
from lnkernels.values.listing import Listing
from lnkernels.values.sentence import ExplainedError, Sentence, say, verbatim

LEISURE_SECONDS = 0.005  # between two looks at what is to be compiled ahead, while no job waits


@dataclass(slots=True)
class Shared:
    """What all jobs of a worker share."""

    torch_device: torch.device
    device: Device  # with who can be timed there
    runner: Runner
    measurer: Measurer
    declared: Found  # who can be timed
    named: dict[KernelSource, FileProvider] = field(
        default_factory=dict
    )  # kernels of one's own, each with the text it had
    last: LastRun | None = None  # an inspection looks at it
    listings: CompilerAnswers[tuple[Listing, ...]] = field(default_factory=listings)

    def make_room(self) -> None:
        """Let go of tensors before memory is counted."""
        self.last = None
        self.measurer.forget()

    def found(self, kernels: Sequence[KernelSource]) -> Found:
        """Who can be timed in a job, kernels that a person has named for it among them."""
        return self.declared.beside(
            [self.named.setdefault(kernel, FileProvider(kernel)) for kernel in kernels]
        )

    def problems(self, request: RunRequest) -> list[Problem]:
        return check(
            request, self.device.backend, free_memory_bytes(self.torch_device), self.device.limits
        )


Answer = JobResult | list[Problem]


def _run(task: Task, job: RunJob, shared: Shared) -> Answer:
    shared.make_room()
    problems = [*shared.problems(job.request), *check_peers(job.providers)]
    if problems:
        return problems
    # Its autograd path comes last: what is being compiled now will hardly last until then.
    with shared.measurer.compilation.quiet(task.check, wait_seconds=0.0):
        result, last = shared.runner.run(
            task, job.request, job.providers, shared.found(job.kernels)
        )
        if job.counters:
            counters, notes = counted(
                task, result.resolved, shared.listings, shared.torch_device, shared.device
            )
            result = replace(result, counters=counters, notes=(*result.notes, *notes))
    shared.last = last if last.nbytes <= KEPT_BYTES else None
    return result


def _trace(task: Task, job: TraceJob, shared: Shared) -> Answer:
    problems = shared.problems(job.request)
    if job.kernel is not None and not problems:
        return trace_stamps(
            task, job.request, FileProvider(job.kernel), shared.device.backend, shared.torch_device
        )
    return problems or trace(task, job.request, shared.device.backend, shared.torch_device)


def _inspect(task: Task, job: InspectJob, shared: Shared) -> Answer:
    last = shared.last or shared.measurer.last
    problems = impossible(last, job)
    if problems or last is None:
        return problems
    task.begin("run")
    return inspect(last, job)


def _measure(task: Task, request: MeasureRequest, shared: Shared) -> Answer:
    if free_memory_bytes(shared.torch_device) < 4 * KEPT_BYTES:
        shared.last = None  # else the errors of the last run can still be looked at
    backend = shared.device.backend
    problems = check_measure(request)
    if not problems and request.modes and backend != "cuda":
        problems = [
            Problem(
                "device",
                backend,
                say("choose a GPU to time on: the interpreter's times mean nothing"),
            )
        ]
    problems = problems or check(request.subject, backend, limits=shared.device.limits)
    if problems:
        return problems
    measured: Measured = shared.measurer.measure(task, request, shared.found(request.kernels))
    return with_waits(task, measured, backend, shared.torch_device) if request.waits else measured


def _experiment(task: Task, request: ExperimentRequest, shared: Shared) -> Answer:
    shared.make_room()
    problems = check_experiment(request, shared.device.backend, shared.device.limits)
    return problems or experiment(
        task, request, shared.measurer, shared.torch_device, shared.device
    )


def _touch(task: Task, request: TouchRequest, shared: Shared) -> Answer:
    """Run the programs of one row and one column in the interpreter, and tell what they load and
    store.
    """
    del shared
    problems = check(request.problem, "interpreter")
    if problems:
        return problems
    resolved = resolve(request.problem, "interpreter")
    task.begin("run")
    task.step(say("kernels"), 0, 1)
    dtype = getattr(torch, resolved.dtype)
    try:
        with task.interruptible(), ieee_arithmetic():
            found = touched(
                resolved.m,
                resolved.n,
                dtype,
                resolved.launch,
                request.row,
                request.column,
                resolved.eps,
            )
    except OSError as error:
        allowed = say(
            "take fewer rows: there is no room for their addresses ({error})", error=str(error)
        )
        return [Problem("m", str(resolved.m), allowed)]
    problems = [one for one in found if isinstance(one, Problem)]
    accesses = tuple(one for one in found if not isinstance(one, Problem))
    return problems or Touched(request=request, resolved=resolved, accesses=accesses)


def _compile(task: Task, job: CompileJob, shared: Shared) -> Answer:
    device = shared.device
    return compile_listings(
        task, job, shared.listings, device.backend, job.architecture or device.limits.architecture
    )


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
        ahead: Ahead | None = None,
    ) -> None:
        found = discover()
        self.device = device = replace(device, offered=offered(found))
        self._connection = connection
        self._cancellation = cancellation
        self._shared = Shared(
            torch_device,
            device,
            Runner(torch_device, device, compile_facts()),
            Measurer(torch_device, device, found, ahead),
            found,
        )

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
        """Do a job; whether the device is still there after it."""
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
    if isinstance(error, ExplainedError):
        return say("{reason}.", reason=error.sentence)
    told = in_one_line(error).rstrip(".")
    said = told.removeprefix(f"{type(error).__name__}: ")
    if isinstance(error, torch.OutOfMemoryError):
        asked = next(
            (part for part in said.split(". ") if part.startswith("Tried to allocate")), said
        )
        free, total = (f"{size / 2**30:.1f} GiB" for size in torch.cuda.mem_get_info(device))
        size = asked.removeprefix("Tried to allocate ")
        return say(
            "GPU memory ran out: tried to allocate {size}, and {free} of {total} are free.",
            size=size,
            free=free,
            total=total,
        )
    if (
        isinstance(error, MemoryError)
        or "can't allocate memory" in said
        or "not enough memory" in said
    ):
        return say("The machine's memory ran out: {error}.", error=said)
    return verbatim(f"{told}.")


def _detail(error: BaseException) -> str:
    """Where an error came about in our code, which helps nobody whom a sentence tells why."""
    traced = "" if isinstance(error, ExplainedError) else "".join(traceback.format_exception(error))
    return traced.encode("utf-8", "backslashreplace").decode()  # no message holds half a character
