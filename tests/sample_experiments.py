"""Made-up findings of every experiment, for what stores and shows them. The figures mean nothing."""

from dataclasses import replace

import numpy as np

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.experiments.barrier import Barriers, BarrierSide, WrongSum
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.dropout import WAYS, DropoutRow, Dropouts
from lnexplorer.domain.experiments.experiment import Change, ExperimentRequest, ExperimentResult
from lnexplorer.domain.experiments.gpus import (
    ASSUMED,
    ClockAlignment,
    ExchangeRow,
    GpuPhase,
    Gpus,
    model_of,
)
from lnexplorer.domain.experiments.group_size import SIZES as GROUP_SIZES
from lnexplorer.domain.experiments.group_size import GroupSizePoint, GroupSizes
from lnexplorer.domain.experiments.hang import PLANTED, Hangs, PlantedHang
from lnexplorer.domain.experiments.invariance import (
    INVARIANT,
    RESULTS,
    BitsCell,
    BitsSide,
    Invariance,
)
from lnexplorer.domain.experiments.invariance import WAYS as WHAT_CHANGES
from lnexplorer.domain.experiments.neighbours import UNKNOWN, Limit, Neighbour, Neighbours
from lnexplorer.domain.experiments.order import Orders, OrderSide
from lnexplorer.domain.experiments.strategies import Strategies, StrategyRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import LockWait
from lnexplorer.store.recordings import read_experiment
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Environment, Kind, Provenance
from lnkernels.values.sentence import say
from lnkernels.values.timeline import HangSnapshot
from tests.sample_timelines import walking_timeline
from tests.store.examples import REQUEST, M, traced_timeline

COLUMNS = 2048
STRATEGIES = {"locked": 0.3, "atomic": 0.2, "persistent": 0.1}


def sample(name: str, *, gpu: bool = True) -> ExperimentResult:
    """One experiment on a GPU that does not exist, or on the interpreter."""
    problem = REQUEST if name == "strategies" else RunRequest()  # of the size of the timelines
    experiment = EXPERIMENTS[name]
    request = experiment.complete(ExperimentRequest(name=name, problem=problem), "cuda")
    environment = Environment(
        date="2026-01-02T03:04:05+00:00",
        python="3.12",
        torch="2",
        triton="3",
        gpu="GPU" if gpu else None,
    )
    provenance = Provenance(
        kind=Kind.MEASURED if gpu else Kind.INTERPRETED, environment=environment
    )
    return ExperimentResult(
        request=request,
        resolved=experiment.resolve(request, "cuda", None),
        provenance=provenance,
        findings=_FOUND[name](gpu),
    )


def samples() -> list[ExperimentResult]:
    """One of each."""
    return [sample(name) for name in EXPERIMENTS]


def _group_size(gpu: bool) -> GroupSizes:
    points = [
        GroupSizePoint(
            group_size_m=size,
            ms_float32=10 / size if gpu else None,
            ms_same=9 / size if gpu else None,
            wait=LockWait(trying_ns=700.0, queued_ns=1e6 / size) if gpu else None,
            error_float32=2e-6,
            error_same=0.1 / size,
            bytes_float32=16384 * size,
            bytes_same=8192 * size,
            wait_same=LockWait(trying_ns=650.0, queued_ns=7e5 / size) if gpu else None,
        )
        for size in GROUP_SIZES
    ]
    return GroupSizes(points=tuple(points), torch_error=1e-3)


def _barrier(gpu: bool) -> Barriers:
    nothing = np.zeros(COLUMNS, np.int64)
    wrong = nothing.copy()
    wrong[[96, 97, 700]] = 2 if gpu else 0
    first = (WrongSum(run=7, result="dw", column=96, error=-1.0),) if gpu else ()
    out = BarrierSide(
        barrier=False,
        runs=1000,
        wrong_runs=5 if gpu else 0,
        wrong_dw=wrong,
        wrong_db=nothing,
        first=first,
    )
    back = BarrierSide(
        barrier=True, runs=1000, wrong_runs=0, wrong_dw=nothing, wrong_db=nothing, first=()
    )
    return Barriers(left_out=out, plain_count=replace(out, atomic_count=False), put_back=back)


def _order(gpu: bool) -> Orders:
    random = np.random.default_rng(0)

    def side(strategy: str, dtype: str | None, scale: float) -> OrderSide:
        spread = (
            (scale * random.random(COLUMNS)).astype(np.float32)
            if gpu
            else np.zeros(COLUMNS, np.float32)
        )
        distinct = 200 if spread.any() else 1
        return OrderSide(
            strategy=strategy,
            partial_dtype=dtype,
            runs=200,
            distinct=distinct,
            spread=spread,
            error=0.01,
        )

    return Orders(
        sides=(
            side("locked", "same", 0.02),
            side("locked", "float32", 2e-5),
            side("persistent", None, 0.0),
        )
    )


def _strategies(gpu: bool) -> Strategies:
    rows = [
        StrategyRow(
            strategy=name,
            ms=ms if gpu else None,
            gbps=100 / ms if gpu else None,
            workspace_bytes=4096,
            runs=50,
            distinct=1 if name == "persistent" or not gpu else 50,
            error=1e-3,
            share=0.09 / ms if gpu else None,
        )
        for name, ms in STRATEGIES.items()
    ]
    others = (walking_timeline("atomic", M), walking_timeline("persistent", M))
    return Strategies(rows=tuple(rows), timeline=traced_timeline(), others=others)


def _invariance(gpu: bool) -> Invariance:
    def side(name: str, ms: float | None, lost: dict[tuple[str, str], int]) -> BitsSide:
        cells = [
            BitsCell(
                way=way,
                result=result,
                runs=19,
                at=lost.get((way, result)),
                share=0.25 if (way, result) in lost else 0.0,
                setting="ROWS 1 → 4" if (way, result) in lost and way == "size" else "",
            )
            for way in WHAT_CHANGES
            for result in (RESULTS if way in ("size", "stride", "run") else RESULTS[:2])
        ]
        ms = ms if gpu else None
        return BitsSide(name=name, cells=tuple(cells), forward_ms=ms, backward_ms=ms)

    locked = {("run", "dw"): 2, ("run", "db"): 2}
    sides = (
        side("locked", 0.3, locked),
        side("persistent", 0.1, {("size", "y"): 133, ("stride", "y"): 1}),
        side("torch", None, {("size", "dw"): 257}),
        side(INVARIANT, 0.11, {}),
    )
    return Invariance(rows=1024, sides=sides)


def _dropout(gpu: bool) -> Dropouts:
    rows = [
        DropoutRow(
            way=way,
            forward_bytes=1 << 20,
            backward_bytes=1 << 21,
            mask_bytes=0 if way in ("seed", "fused") else 1 << 18,
            forward_ms=0.1 * place if gpu else None,
            backward_ms=0.2 * place if gpu else None,
        )
        for place, way in enumerate(WAYS, start=1)
    ]
    return Dropouts(
        p=0.1,
        elements=1024,
        zeros=100,
        fewest=70,
        most=135,
        blocks=(256, 4096),
        alike=True,
        alike_fused=True,
        correlations=(0.01, -0.02),
        uncorrelated=0.1,
        rows=tuple(rows),
    )


def _gpus(gpu: bool) -> Gpus:
    rows = [
        ExchangeRow(
            n=n,
            bytes=8 * n,
            one_shot_us=5 + n / 1e4 if gpu else None,
            nccl_us=9 + n / 2e4 if gpu else None,
            one_shot_pass_us=50 + n / 1e2 if gpu else None,
            nccl_pass_us=54 + n / 1e2 if gpu else None,
            one_shot_error=1e-6,
            nccl_error=1e-6 if gpu else None,
            alike=True,
        )
        for n in (1024, 8192, 65536)
    ]
    times = {
        "stage1": (0, 40),
        "stage2": (41, 45),
        "waiting": (46, 48),
        "reading": (48, 50),
        "adding": (50, 51),
    }
    phases = [
        GpuPhase(
            rank=rank,
            way=way,
            phase=phase,
            begin_ns=1e3 * (begin + rank),
            end_ns=1e3 * (end + rank),
        )
        for way in ("one_shot", "nccl")
        for rank in (0, 1)
        for phase, (begin, end) in (
            times if way == "one_shot" else {"stage1": (0, 40), "exchange": (46, 60)}
        ).items()
    ]
    return Gpus(
        ranks=2,
        rows=tuple(rows),
        model=model_of(rows, 3000.0, "GPU") if gpu else ASSUMED,
        traced_n=8192,
        phases=tuple(phases) if gpu else (),
        clocks=ClockAlignment(uncertainty_ns=600.0, trip_ns=3000.0) if gpu else None,
    )


def _neighbours(gpu: bool) -> Neighbours:
    changes = (
        (Change("num_warps", 8, 4), Interval(1.054, 1.061, 1.068)),
        (Change("group_size_m", 96, 64), Interval(0.953, 0.962, 0.971)),
        (Change("num_stages", 3, 2), Interval(0.997, 1.001, 1.004)),
        (Change("partial_dtype", "float32", "same"), UNKNOWN),
    )
    rows = [
        Neighbour(change=change, rounds=30, gain=gain, right=True, reason=None)
        if gpu
        else Neighbour(change=change, right=True, reason=None)
        for change, gain in changes
    ]
    rows.append(
        Neighbour(change=Change("block_size", 8192, 16384), right=False, reason=say("dw is wrong"))
    )
    limits = (
        Limit(say("moving the bytes, at the speed of a copy and of a + b → c"), 0.62),
        Limit(say("stage 2 and its launch"), 0.08),
        Limit(say("{kernel}: {size} B a thread spilled", kernel="forward", size=16)),
    )
    return Neighbours(
        ms=0.3 if gpu else None,
        rounds=30 if gpu else 0,
        rows=tuple(rows),
        limits=limits if gpu else (),
    )


def hangs() -> dict[str, HangSnapshot]:
    """Kernels that hang, by their names: those of the experiment that comes with the program."""
    recorded = read_experiment(resource("recordings/h200_hang.lnexperiment"))
    planted = recorded.findings_of(Hangs).planted
    return {each.name: each.hang for each in planted if each.hang is not None}


def _hang(gpu: bool) -> Hangs:
    known = hangs() if gpu else {}
    return Hangs(planted=tuple(PlantedHang(name=name, hang=known.get(name)) for name in PLANTED))


_FOUND = {
    "neighbours": _neighbours,
    "hang": _hang,
    "gpus": _gpus,
    "dropout": _dropout,
    "group_size": _group_size,
    "barrier": _barrier,
    "order": _order,
    "invariance": _invariance,
    "strategies": _strategies,
}
