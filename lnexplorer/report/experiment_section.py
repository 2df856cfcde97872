"""An experiment as a part of a report: the question, what is seen, the findings as a picture and a table, and their source."""

from html import escape

from lnexplorer.domain import wording
from lnexplorer.domain.experiments import words
from lnexplorer.domain.experiments.findings import (
    ExperimentResult,
)
from lnexplorer.domain.experiments.words import QUESTIONS, TITLES, seen
from lnexplorer.report.page import table
from lnkernels.values.environment import KIND_HELP, Kind


def experiment_section(result: ExperimentResult, anchor: str) -> str:
    """The part of the page."""
    name = result.request.name
    parts = [
        f'<h2 id="{anchor}">{escape(str(TITLES[name]))}</h2>',
        f"<p>{escape(str(QUESTIONS[name]))}</p>",
        f"<p><strong>{escape(seen(result).strip())}</strong></p>",
        f"<section>{_table(result)}</section>",
        f'<p class="muted">{escape(source_of(result))}. {escape(_help(result.provenance.kind))}</p>',
    ]
    return "\n".join(parts)


def source_of(result: ExperimentResult) -> str:
    """Kind, hardware, date, and the problem."""
    resolved, provenance = result.resolved, result.provenance
    where = provenance.environment.gpu or "CPU"
    shape = wording.shape(resolved.m, resolved.n, resolved.dtype)
    versions = f"torch {provenance.environment.torch}, triton {provenance.environment.triton}"
    return f"{provenance.kind} · {where} · {provenance.environment.date} · {shape} · {versions}"


def _help(kind: Kind) -> str:
    """What a kind of figure is, to somebody who reads the page elsewhere."""
    return "" if kind is Kind.MEASURED else KIND_HELP[kind]


def _table(result: ExperimentResult) -> str:
    titles, *rows = words.table(result)
    return table(titles, [[escape(cell) for cell in row] for row in rows], numbers_from=1)
