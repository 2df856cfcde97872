"""A session with something in each of its places."""

from dataclasses import replace

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.simulation.prediction import default_model
from lnexplorer.domain.sweep.curves import Curve, Overlay
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.views import (
    CompiledView,
    CorrectnessView,
    ExperimentsView,
    FittedModel,
    OwnKernelView,
    ReductionView,
    SweepView,
    ThroughputView,
    TouchView,
)
from lnexplorer.store.recordings import RecordedSweep, recorded_sweep
from lnexplorer.store.session import Session, SessionRun, SessionTimeline
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.gui.sample_sweeps import invented_rows
from tests.sample_experiments import sample
from tests.store.examples import M, N, small_result, traced_timeline

SWEEP = SweepRequest(
    base=RunRequest(dtype="float16"),
    axes=(Axis(name="n", values=(1024, 2048, 8192)),),
    strategies=("locked", "persistent"),
    providers=("torch",),
)


def small_sweep(sweep: SweepRequest = SWEEP) -> RecordedSweep:
    """A sweep that has ended."""
    return replace(
        recorded_sweep(sweep, invented_rows(sweep), ended="finished"),
        date="2025-11-20T10:00:00+00:00",
        note="slow clocks 慢",
    )


def full_session() -> Session:
    """Runs, sweeps, experiments, a trace with its sums and a model beside it, figures from
    elsewhere, and all views.
    """
    result, timeline = small_result(), traced_timeline()
    model = default_model(result.resolved, 8, 4)
    return Session(
        request=RunRequest(n=2048, eps=float("inf")),
        runs=(
            SessionRun(result=result, note="fast 快"),
            SessionRun(result=small_result(Kind.INTERPRETED)),
        ),
        baseline=0,
        shown=1,
        charted=(0, 1),
        layout="AAAA",
        timeline=SessionTimeline(
            request=replace(result.resolved, m=M, n=N),
            timeline=timeline,
            environment=result.provenance.environment,
            view=ReductionView(
                time_ns=120.0,
                stretch_ns=(50.0, 400.0),
                row=3,
                result="db",
                fitted=FittedModel(parameters=model, fitted_to=2, group_size_m=4),
            ),
        ),
        sweeps=(small_sweep(),),
        sweep=0,
        sweep_form=SWEEP,
        beside=(
            Overlay(
                title=verbatim("A page"),
                kind=Kind.PUBLISHED,
                problem="M = 4096, float16",
                direction="backward",
                mode=None,
                curves=(Curve("torch", "A GPU", (1024.0, 2048.0), (500.0, 600.0)),),
            ),
        ),
        experiments=(sample("group_size"), sample("strategies", gpu=False)),
        views={
            "own_kernels": OwnKernelView(place="/nowhere/mine.py", sha256="0" * 64),
            "correctness": CorrectnessView(picture="map", tensor="dx", log=False, columns="db"),
            "throughput": ThroughputView(mode="kernel_warm", samples=False),
            "sweep": SweepView(
                quantity="share", direction="forward", provider="locked", hardware="NVIDIA H200"
            ),
            "memory_access": TouchView(row=2, column=5, kernel="stage2"),
            "compiled": CompiledView(
                kernel="backward_stage1",
                architecture="sm_80",
                forms=("ptx", "sass"),
                line=("ptx", 7),
                page="layout",
            ),
            "experiments": ExperimentsView(name="strategies"),
        },
    )
