"""One run from its request to its result: inputs, kernels, truth, PyTorch, errors, compile facts, times."""

from dataclasses import dataclass, replace

import torch

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.messages import CompiledReady, CorrectnessReady
from lnexplorer.worker.compile_facts import Answer, CompileFacts
from lnexplorer.worker.inspection import LastRun
from lnexplorer.worker.kernels import compile_kernels, partial_rows, run_kernels
from lnexplorer.worker.task import Task
from lnexplorer.worker.throughput import throughput
from lnkernels.accuracy import check_all, worse
from lnkernels.compiled import CompileRequest
from lnkernels.device import environment
from lnkernels.inputs import Inputs, make_inputs
from lnkernels.providers.discovery import Found
from lnkernels.reference import torch_results
from lnkernels.values.accuracy import Correctness
from lnkernels.values.environment import Device, Kind, Provenance

STEPS = ("inputs", "kernels", "errors", "compiler", "throughput")


@dataclass(frozen=True, slots=True)
class Experiment:
    """What all runs of a worker share."""

    torch_device: torch.device
    device: Device
    compiler: CompileFacts
    found: Found  # who can be timed

    def run(self, task: Task, request: RunRequest, providers: tuple[str, ...] = DEFAULT_PEERS) -> tuple[RunResult, LastRun]:
        """Do one run, telling its parts as they become known.

        Args:
            task: the job.
            request: one that `lnexplorer.domain.request.check` passes for this device.
            providers: who is timed beside the strategy.

        Raises:
            JobCancelled: the job was cancelled.
        """
        resolved = resolve(request, self.device.backend, self.device.limits)
        task.begin("compile")
        self._step(task, "inputs")
        answer = self.compiler.ask(self._compile_request(resolved))
        inputs = make_inputs(
            resolved.m, resolved.n, getattr(torch, resolved.dtype), resolved.data, resolved.seed, self.torch_device
        )
        compile_kernels(inputs, resolved.eps, resolved.launch)
        task.begin("run")
        checked, last = self._check(task, inputs, resolved)
        task.link.send(CorrectnessReady(job=task.number, correctness=checked))
        self._step(task, "compiler")
        notes = self._compiled(task, answer)
        times = None
        if self.device.backend == "cuda":
            self._step(task, "throughput")
            times = throughput(task, inputs, resolved, checked, providers, self.found)
            if times.before is not None and times.after is not None:
                notes += doubts(times.before, times.after, times.figures)
        stamp = environment(self.torch_device)
        kind = Kind.MEASURED if self.device.backend == "cuda" else Kind.INTERPRETED
        result = RunResult(
            request=request,
            resolved=resolved,
            provenance=Provenance(kind=kind, environment=stamp),
            correctness=checked,
            compiled=answer.facts,
            throughput=times,
            notes=notes,
            providers=providers,
        )
        return result, last

    def _check(self, task: Task, inputs: Inputs, resolved: ResolvedRequest) -> tuple[Correctness, LastRun]:
        self._step(task, "kernels")
        other = torch_results(inputs, resolved.eps)
        worst = last = partial = None
        for repeat, results in enumerate(run_kernels(task, inputs, resolved)):
            if last is None:
                partial = partial_rows(task, inputs, results, resolved)
                self._step(task, "errors")
            elif resolved.repeats > 1:
                task.count("repeats", repeat, resolved.repeats)
            accuracy = check_all(inputs, resolved.eps, resolved.launch, results, other)
            worst = accuracy if worst is None else worse(worst, accuracy)
            last = LastRun(inputs, results, resolved.eps)
        assert worst is not None and last is not None, "there is at least one repeat"  # noqa: PT018
        task.check()
        return replace(worst, partial_rows=partial), last

    def _compiled(self, task: Task, answer: Answer) -> tuple[str, ...]:
        """Wait for the compiler; a failure of it is a note, not the run's."""
        answer.wait(task.check)
        if answer.problem is not None:
            return (answer.problem,)
        task.link.send(CompiledReady(job=task.number, compiled=answer.facts))
        return ()

    def _compile_request(self, resolved: ResolvedRequest) -> CompileRequest:
        return CompileRequest(
            m=resolved.m,
            n=resolved.n,
            dtype=resolved.dtype,
            launch=resolved.launch,
            architecture=self.device.limits.architecture,
        )

    def _step(self, task: Task, name: str) -> None:
        task.step(name, STEPS.index(name), len(STEPS))
