"""Texts that are declared outside the window and shown in it: help of parameters, presets, kinds of figures."""

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.doubts import LABELS
from lnexplorer.domain.parameters import GROUPS, PARAMETERS
from lnexplorer.domain.presets import PRESETS
from lnkernels.launch import CATALOGUE
from lnkernels.values.environment import KIND_HELP, Kind

CONTEXT = "domain"


def domain_text(text: str) -> str:
    """`text` in the language of the window."""
    return QCoreApplication.translate(CONTEXT, text)


def domain_texts() -> Iterator[str]:
    """Every text that `domain_text` may be asked for; the catalogues hold them all."""
    from lnexplorer.domain.sweep.request import PRESETS as SWEEPS  # noqa: PLC0415

    yield from GROUPS.values()
    for parameter in PARAMETERS:
        yield parameter.label
        yield parameter.help
    for preset in PRESETS:
        yield preset.name
        yield preset.help
    for sweep in SWEEPS:
        yield sweep.name
        yield sweep.help
    yield from (strategy.summary for strategy in CATALOGUE.values())
    yield from (kind.value for kind in Kind)
    yield from KIND_HELP.values()
    yield from LABELS
