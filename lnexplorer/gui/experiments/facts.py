"""What stands in words beside an experiment's picture: the first wrong elements, and where the fault was seen before."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.experiments.findings import SIGHTINGS, Barriers, ExperimentResult, Sighting, Strategies
from lnexplorer.domain.experiments.words import TRACING_COSTS, tracing_costs
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.i18n.texts import domain_text
from lnkernels.values.environment import Kind

MOST_NAMED = 4


def facts_of(result: ExperimentResult) -> str:
    """A few sentences; empty where the picture says everything."""
    if result.group_size is not None:
        reasons = dict.fromkeys(point.reason for point in result.group_size.points if point.reason)  # why figures are missing
        return "\n".join(_reason(reason) for reason in reasons)
    if result.strategies is not None:
        return _of_strategies(result.strategies)
    if result.barrier is None:
        return ""
    seen = QCoreApplication.translate("experiments", "Seen elsewhere: {list}").format(list=sightings(result))
    return "\n".join([*_wrong(result.barrier), seen])


def _of_strategies(found: Strategies) -> str:
    costs = tracing_costs(found)
    lines = [domain_text(TRACING_COSTS).format(costs=costs)] if costs else []
    reasons = [f"{row.strategy}: {_reason(row.reason)}" for row in found.rows if row.reason]
    return "\n".join(lines + reasons)


def _reason(reason: str) -> str:
    """Why a figure is missing: the experiment's own words, or the worker's."""
    return told(domain_text(reason))


def sightings(result: ExperimentResult) -> str:
    """Other devices and shapes than a result's on which rows were seen to be lost without the barrier."""
    resolved = result.resolved
    own = (result.provenance.environment.gpu, resolved.m, resolved.n, resolved.launch.group_size_m)
    return "; ".join(_sighting(seen) for seen in SIGHTINGS if (seen.device, seen.m, seen.n, seen.group_size_m) != own)


def _sighting(seen: Sighting) -> str:
    group = "" if seen.group_size_m is None else f", GROUP_SIZE_M {seen.group_size_m}"
    shape = f"{seen.device}, {seen.m}×{seen.n}{group}, {seen.buffers}"
    text = (
        QCoreApplication.translate("experiments", "{shape}: about {wrong} of {runs} runs")
        if seen.published
        else QCoreApplication.translate("experiments", "{shape}: {wrong} of {runs} runs")
    )
    source = f" ({domain_text(Kind.PUBLISHED.value)}: {seen.published})" if seen.published else ""
    return text.format(shape=shape, wrong=seen.wrong, runs=seen.runs) + source


def _wrong(found: Barriers) -> list[str]:
    first = found.left_out.first[:MOST_NAMED]
    if not first:
        return []
    named = ", ".join(f"{wrong.result}[{wrong.column}] {f'{wrong.error:+g}'.replace('-', '−')}" for wrong in first)
    text = QCoreApplication.translate(
        "experiments", "The first wrong elements, in run {run} and later: {named}. Each row adds 1 or −1, so ±1 is one row."
    )
    return [text.format(run=first[0].run, named=named)]
