"""What a card says of an exhibit, in the language of the window."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.experiments.words import TITLES
from lnexplorer.gui.charts.theme import TONES
from lnexplorer.gui.history.gallery.exhibits import Exhibit
from lnexplorer.gui.i18n.recording_titles import recording_title
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.values.environment import KIND_HELP, Kind


@dataclass(frozen=True, slots=True)
class Shown:
    """The words of one card."""

    title: str
    source: str  # GPU and date
    badge: str
    tone: str
    tip: str
    trouble: str = ""

    def holds(self, words: list[str]) -> bool:
        """Whether all words are somewhere in it."""
        text = f"{self.title} {self.source} {self.badge} {self.tip} {self.trouble}".casefold()
        return all(word.casefold() in text for word in words)


def shown(exhibit: Exhibit) -> Shown:
    """The words of an exhibit."""
    if exhibit.trouble:
        trouble = told(exhibit.trouble)
        tip = f"{exhibit.path.name}\n{trouble}"
        badge = QCoreApplication.translate("gallery", "cannot be opened")
        return Shown(exhibit.title, "", badge, "bad", tip, trouble)
    title, source = exhibit.title, " · ".join(filter(None, (exhibit.gpu, exhibit.date[:10])))
    # The GPU has its own line.
    title = title.removesuffix(f", {exhibit.gpu}") if exhibit.gpu else title
    if exhibit.timeline is not None:
        # The heading says already which ones have all numbers.
        title = recording_title(title.replace(" with all numbers", "") if exhibit.group == "numbers" else title)
    if exhibit.experiment:
        title = QCoreApplication.translate("gallery", "{0}: {1}").format(translate_message(TITLES[exhibit.experiment]), title)
    elif exhibit.kind is Kind.PUBLISHED:
        title = QCoreApplication.translate("gallery", "Triton's documentation, backward: {0}").format(title)
        source = QCoreApplication.translate("gallery", "its GPU is not named")
    elif exhibit.sweep:
        title = QCoreApplication.translate("gallery", "Sweep: {0}").format(title)
    elif exhibit.group == "speeds":
        title = QCoreApplication.translate("gallery", "Benchmark over N: {0}").format(title)
    badge, tip = "", exhibit.path.name
    if exhibit.kind is not None:
        badge = domain_text(exhibit.kind.value)
        tip += f"\n{domain_text(KIND_HELP[exhibit.kind])}"
    return Shown(title, source, badge, TONES[exhibit.kind] if exhibit.kind else "accent", tip)


def group_title(group: str) -> str:
    """Heading of a group."""
    texts = {
        "traces": QCoreApplication.translate("gallery", "Locks, recorded: by GROUP_SIZE_M"),
        "numbers": QCoreApplication.translate("gallery", "Small problems, with every number"),
        "speeds": QCoreApplication.translate("gallery", "Benchmarks and sweeps"),
        "experiments": QCoreApplication.translate("gallery", "Experiments"),
        "damaged": QCoreApplication.translate("gallery", "Files that cannot be opened"),
    }
    return texts[group]
