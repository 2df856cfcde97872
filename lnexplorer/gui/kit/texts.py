"""Texts that are declared outside the window and shown in it: parameters, presets, kinds of
figures, recordings.
"""

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

CONTEXT = "domain"


def domain_text(text: str) -> str:
    return QCoreApplication.translate(CONTEXT, text)


def domain_texts() -> Iterator[str]:
    """Every text that `domain_text` may be asked for; the catalogues hold them all."""
    # Those who look up one text need not load what declares them all.
    from lnexplorer.domain.parameters import GROUPS, PARAMETERS
    from lnexplorer.domain.request import PRESETS
    from lnexplorer.domain.sweep.request import PRESETS as SWEEPS
    from lnkernels.launch import CATALOGUE
    from lnkernels.values.environment import Kind

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


def recording_title(title: str) -> str:
    """A title in the language of the window. The program's own are written in English; any other
    stays as it is.
    """
    translate = QCoreApplication.translate
    phrases = {
        "The default run: ": translate("gallery", "The default run: "),
        "The tutorial's check: ": translate("gallery", "The tutorial's check: "),
        "The lecture's problem: ": translate("gallery", "The lecture's problem: "),
        " with all numbers": translate("gallery", " with all numbers"),
        "float16 buffers": translate("gallery", "float16 buffers"),
        "float32 buffers": translate("gallery", "float32 buffers"),
        ": each store rounds": translate("gallery", ": each store rounds"),
        "hardware counters": translate("gallery", "hardware counters"),
    }
    for phrase, text in phrases.items():
        title = title.replace(phrase, text)
    return title
