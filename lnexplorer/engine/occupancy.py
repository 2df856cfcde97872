"""How many programs of stage 1 share an SM, by a compiler that needs no GPU."""

from collections.abc import Callable

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.residents import programs_per_sm
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.blocking import run_to_end
from lnexplorer.engine.events import Broken, EngineEvent, Finished, Outcome, Refused


def stage1_occupancy(
    sample: RunRequest, architecture: str, on_progress: Callable[[EngineEvent], None] | None = None
) -> int | str:
    """Programs per SM, or a sentence that says why they are not known. Takes seconds: a worker is started for it.

    Args:
        sample: a small run with the kernels in question, such as `residents.sample_run`.
        architecture: such as "sm_90".
        on_progress: hears every event.
    """
    return occupancy_in(run_to_end(sample, device_of(architecture), on_progress))


def device_of(architecture: str) -> str:
    """The worker that compiles for an architecture without a GPU."""
    return f"interpreter:{architecture}"


def occupancy_in(outcome: Outcome) -> int | str:
    """What the end of a sample run says of stage 1: programs per SM, or why they are not known."""
    match outcome:
        case Finished(RunResult() as result):
            known = programs_per_sm(result.compiled)
            return known if known is not None else (result.notes or ("The compiler told no occupancy.",))[0]
        case Refused(problems):
            return str(problems[0])
        case Broken():
            return outcome.sentence
        case _:
            return "The compiler was stopped."
