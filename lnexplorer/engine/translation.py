"""A worker's messages about a job, in the engine's words."""

from typing import TypeAlias, assert_never

from lnexplorer.engine.events import Broken, Finished, JobPart, JobProgress, Outcome, Refused, Stopped, Value
from lnexplorer.protocol import messages

Step: TypeAlias = messages.PhaseStarted | messages.Progress
Part: TypeAlias = (
    messages.CorrectnessReady
    | messages.CompiledReady
    | messages.FigureReady
    | messages.CandidateMeasured
    | messages.ConductedSoFar
)
Answer: TypeAlias = (
    messages.RunFinished
    | messages.TraceFinished
    | messages.Inspected
    | messages.MeasureFinished
    | messages.Conducted
    | messages.TouchFinished
)
End: TypeAlias = Answer | messages.Rejected | messages.Failed | messages.Cancelled


def progress(event: Step, phase: str) -> JobProgress:
    """How far the job is."""
    if isinstance(event, messages.PhaseStarted):
        return JobProgress(event.job, phase, "", 0, 0)
    return JobProgress(event.job, phase, event.step, event.done, event.total)


def part(event: Part) -> JobPart:
    """A finished part of the job."""
    match event:
        case messages.CorrectnessReady():
            return JobPart(event.job, event.correctness)
        case messages.CompiledReady():
            return JobPart(event.job, event.compiled)
        case messages.FigureReady():
            return JobPart(event.job, event.figure)
        case messages.CandidateMeasured():
            return JobPart(event.job, event.outcome)
        case messages.ConductedSoFar():
            return JobPart(event.job, event.result)
        case _:
            assert_never(event)


def outcome(event: End) -> Outcome:
    """How the job ended."""
    match event:
        case messages.Rejected():
            return Refused(event.problems)
        case messages.Failed():
            return Broken(event.phase, event.cause, event.detail)
        case messages.Cancelled():
            return Stopped()
        case _:
            return Finished(_value(event))


def _value(event: Answer) -> Value:
    match event:
        case messages.RunFinished():
            return event.result
        case messages.TraceFinished():
            return event.timeline
        case messages.Inspected():
            return event.map
        case messages.MeasureFinished():
            return event.measured
        case messages.Conducted():
            return event.result
        case messages.TouchFinished():
            return event.touched
        case _:
            assert_never(event)
