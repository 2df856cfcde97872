"""What a model says beside what was measured, in words."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.residents import Origin, Residents, SeenLaunch
from lnexplorer.domain.simulation import SimulationParameters, error_of_summary
from lnexplorer.gui.reduction.description import model_times_text
from lnexplorer.gui.reduction.painter.wording import number, time_text
from lnexplorer.gui.reduction.preparation import Prepared

LENGTHENED = 0.05  # where recording changed the pass by more, what was not recorded is the fairer measure


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """A fitted model's answer."""

    parameters: SimulationParameters
    fitted_to: int  # GROUP_SIZE_M
    model: Prepared  # what it says
    residents: Residents  # that it was asked with
    trace: Prepared  # that it is fitted to
    measured: SeenLaunch | None  # a trace of the launch that the model is asked about


def result_of(answer: Compared) -> str:
    """How long each stage takes, and how far that is from what was measured."""
    model, measured = answer.model.summary, answer.measured
    if measured is None:
        alone = QCoreApplication.translate("reduction", "stage 1: model {0}; measured with GROUP_SIZE_M {1}: {2}")
        trace = answer.trace
        length = time_text(trace.summary.stage1_ns)
        return alone.format(time_text(model.stage1_ns), trace.timeline.group_size_m, length)
    error, real, cost = error_of_summary(measured.summary, model, measured.cost), measured.summary, measured.cost
    stage1 = QCoreApplication.translate("reduction", "stage 1: model {0}, measured {1}, error {2}")
    stage2 = QCoreApplication.translate("reduction", "stage 2: {0}, measured {1}, {2}")
    parts = [(stage1, model.stage1_ns, real.stage1_ns, error.stage1), (stage2, model.stage2_ns, real.stage2_ns, error.stage2)]
    if cost is not None and abs(cost.share) > LENGTHENED:
        unrecorded = QCoreApplication.translate("reduction", "the pass without recording: {0}, measured {1}, {2}")
        parts.append((unrecorded, model.pass_ns, round(cost.plain_ns), error.unrecorded_pass))
    return " · ".join(
        text.format(time_text(simulated), time_text(seen), f"{wrong:+.1%}".replace("-", "−"))
        for text, simulated, seen, wrong in parts
        if wrong is not None
    )


def details_of(answer: Compared, *, compiling: bool) -> str:
    """How many programs the model had and how that is known, what it is fitted to, and its times.

    Args:
        answer: of the model.
        compiling: whether the number of programs is being asked of a compiler.
    """
    fitted = QCoreApplication.translate("reduction", "fitted to GROUP_SIZE_M {0}").format(answer.fitted_to)
    return f"{_residents_text(answer, compiling=compiling)} · {fitted} · {model_times_text(answer.parameters)}"


def _residents_text(answer: Compared, *, compiling: bool) -> str:
    residents, timeline = answer.residents, answer.model.timeline
    shown = number(min(residents.programs, timeline.m))
    if residents.origin is Origin.SEEN:
        if not residents.detail:
            return QCoreApplication.translate("reduction", "resident programs: {0}, as its trace shows").format(shown)
        text = QCoreApplication.translate("reduction", "resident programs: {0}, as in the recording “{1}”")
        return text.format(shown, residents.detail)
    if residents.origin is Origin.COMPILED:
        text = QCoreApplication.translate("reduction", "resident programs: {0}, SMs × occupancy of the compiled kernel")
        return text.format(shown)
    if compiling:
        text = QCoreApplication.translate("reduction", "resident programs: {0} for now; compiling for GROUP_SIZE_M {1} …")
        return text.format(shown, timeline.group_size_m)
    text = QCoreApplication.translate("reduction", "resident programs: {0}, those of the trace")
    return f"{text.format(shown)} ({residents.detail})" if residents.detail else text.format(shown)
