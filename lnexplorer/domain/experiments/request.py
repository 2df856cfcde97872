"""Which experiments there are, on what they are done if nobody says otherwise, and what makes one
impossible.
"""

from dataclasses import dataclass, field, replace

from lnexplorer.domain.experiments.gpus import MOST_RANKS
from lnexplorer.domain.request import RunRequest, check, resolve
from lnkernels.launch import DeviceLimits, Problem, buffers_in_use
from lnkernels.values.sentence import say

EXPERIMENTS = ("group_size", "barrier", "order", "strategies", "dropout", "gpus")
GROUP_SIZES = tuple(2**power for power in range(10))  # 1 to 512
MOST_RUNS = 100_000

# Beyond these, sums of ones are not exact in a buffer of the type.
EXACT_TO = {"float32": 2**24, "float16": 2**11, "bfloat16": 2**8}

_PROBLEMS = {
    "group_size": {"cuda": RunRequest(m=4096, n=1024), "interpreter": RunRequest(m=16, n=128)},
    # Where rows were seen to be lost most often.
    "barrier": {
        "cuda": RunRequest.of(m=8192, n=2048, group_size_m=128, partial_dtype="same"),
        "interpreter": RunRequest.of(m=16, n=64, group_size_m=4, partial_dtype="same"),
    },
    "order": {
        "cuda": RunRequest.of(m=4096, n=2048, group_size_m=128),
        "interpreter": RunRequest.of(m=16, n=64, group_size_m=4),
    },
    "strategies": {
        "cuda": RunRequest(m=4096, n=2048),
        "interpreter": RunRequest.of(m=16, n=64, group_size_m=4),
    },
    "dropout": {"cuda": RunRequest(m=8192, n=4096), "interpreter": RunRequest(m=16, n=64)},
    "gpus": {
        "cuda": RunRequest(m=4096, n=4096),
        "interpreter": RunRequest(m=8, n=4096),
    },  # n is the width that is traced
}
_RUNS = {
    "group_size": {"cuda": 1, "interpreter": 1},
    "barrier": {"cuda": 1000, "interpreter": 3},
    "order": {"cuda": 200, "interpreter": 3},
    "strategies": {"cuda": 50, "interpreter": 2},
    "dropout": {"cuda": 16, "interpreter": 4},
    "gpus": {"cuda": 50, "interpreter": 2},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRequest:
    """One experiment. What is None takes the experiment's own choice for the device."""

    name: str  # of EXPERIMENTS
    problem: RunRequest = field(default_factory=RunRequest)
    runs: int | None = None  # of each side that is compared; of dropout the seeds that follow
    ranks: int | None = None  # of gpus: GPUs, or ranks of the interpreter
    gpus: tuple[
        int, ...
    ] = ()  # of gpus: the numbers of those GPUs; empty for the worker's own and the next ones


def completed(request: ExperimentRequest, backend: str) -> ExperimentRequest:
    """The request with shape and number of runs chosen; everything that is given stays.

    The experiment's own problem differs from the default one in shape and buffers alone, so that a
    default that is given by name is not taken for one that is open. Where the shape is given,
    GROUP_SIZE_M is not taken from it either.
    """
    own, given = _PROBLEMS[request.name][backend], request.problem
    default = RunRequest()
    shaped = given.m is not None or given.n is not None
    wanted = {
        name: own.value(name)
        for name, value in given.flat().items()
        if value == default.value(name) and not (shaped and name == "group_size_m")
    }
    runs = _RUNS[request.name][backend] if request.runs is None else request.runs
    return replace(request, problem=given.changed(**wanted), runs=runs)


def check_experiment(
    request: ExperimentRequest, backend: str, limits: DeviceLimits | None = None
) -> list[Problem]:
    """What makes an experiment impossible; empty when it can be done."""
    if request.name not in EXPERIMENTS:
        return [
            Problem(
                "experiment",
                request.name,
                say("choose one of {choices}", choices=", ".join(EXPERIMENTS)),
            )
        ]
    whole = completed(request, backend)
    assert whole.runs is not None, "completed"
    least = 1 if request.name in ("group_size", "barrier", "gpus") else 2
    problems = _wrong_ranks(request, whole.problem.m)
    if not least <= whole.runs <= MOST_RUNS:
        problems.append(
            Problem(
                "repeats",
                str(whole.runs),
                say("take a whole number from {least} to {most}", least=least, most=MOST_RUNS),
            )
        )
    if whole.problem.strategy != "locked":
        problems.append(
            Problem(
                "strategy",
                whole.problem.strategy,
                say("choose locked; the experiment chooses others by itself"),
            )
        )
        return problems
    problems += check(whole.problem, backend, limits=limits)
    if not problems and request.name == "barrier":
        problems += _inexact(whole.problem, backend, limits)
    return problems


def _wrong_ranks(request: ExperimentRequest, m: int | None) -> list[Problem]:
    """Ranks are of `gpus` alone, which takes some, each with a row at least."""
    if request.name != "gpus":
        given = "gpus" if request.gpus else "ranks"
        unwanted = request.gpus or request.ranks is not None
        return (
            [Problem(given, str(getattr(request, given)), say("leave it out: only gpus has them"))]
            if unwanted
            else []
        )
    if len(set(request.gpus)) < len(request.gpus):
        named = ",".join(f"cuda:{number}" for number in request.gpus)
        return [Problem("device", named, say("name each GPU once"))]
    ranks, most = request.ranks or len(request.gpus) or 2, min(MOST_RANKS, m or MOST_RANKS)
    if request.ranks is not None and request.gpus and request.ranks != len(request.gpus):
        return [
            Problem(
                "ranks",
                str(ranks),
                say("leave it out: {count} GPUs are named", count=len(request.gpus)),
            )
        ]
    if 2 <= ranks <= most and (request.ranks is None or request.ranks >= 2):
        return []
    return [
        Problem(
            "ranks",
            str(request.ranks or ranks),
            say("take a whole number from {least} to {most}", least=2, most=most),
        )
    ]


def _inexact(problem: RunRequest, backend: str, limits: DeviceLimits | None) -> list[Problem]:
    """Sums of ones have to be exact, so that a single lost row shows and nothing else does."""
    resolved = resolve(problem, backend, limits)
    dtype = resolved.buffer_dtype
    rows = -(-resolved.m // max(buffers_in_use(resolved.m, resolved.launch), 1))
    if rows <= EXACT_TO[dtype]:
        return []
    least = -(-resolved.m // EXACT_TO[dtype])
    allowed = say(
        "take at least {least}: beyond {rows} rows a buffer, sums in {dtype} are not exact",
        least=least,
        rows=EXACT_TO[dtype],
        dtype=dtype,
    )
    return [Problem("group_size_m", str(resolved.launch.group_size_m), allowed)]
