"""Lines of figures and facts above the pictures."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.model import SimulationParameters
from lnexplorer.domain.timeline import Prepared
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import Badge, ElidedLabel
from lnexplorer.gui.timeline.facts import agreement_text, details_text, facts_text, summary_text
from lnexplorer.gui.timeline.frame import CellNumbers
from lnexplorer.gui.timeline.wording import Phrase, join_facts, order_text


class Header(Retranslated, QWidget):
    """A badge, the most important figures, and further facts as far as there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.badge = Badge(self)
        self.facts = ElidedLabel(self)
        self.figures = ElidedLabel(self)
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.facts.setProperty("look", "muted")
        self.figures.setProperty("look", "strong")
        self._tip: tuple[Phrase, ...] = ()
        layout = self.line = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, 2 * GRID, 0)
        layout.setSpacing(GRID)
        self.figures.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        layout.addWidget(self.badge)
        layout.addWidget(self.figures)
        layout.addWidget(self.facts, 1)

    def show_lines(self, figures: Phrase, facts: Phrase, details: Phrase = "") -> None:
        """Show figures and facts; the tooltip of the figures has both, and the details."""
        self._tip = figures, facts, details
        self.write_on(self.figures, figures)
        self.write_on(self.facts, facts)
        self.retranslate()

    def retranslate(self) -> None:
        tip = dict.fromkeys(filter(None, map(translate_message, self._tip)))
        self.figures.setToolTip("\n".join(tip))
        self._place_facts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_facts()

    def _place_facts(self) -> None:
        """Show the facts if the first of them has room."""
        own = 0 if self.facts.isHidden() else self.facts.sizeHint().width()
        room = self.width() - (self.line.sizeHint().width() - own) - GRID
        first = self.facts.text().partition(" · ")[0]
        needed = self.facts.fontMetrics().horizontalAdvance(first)
        self.facts.setVisible(bool(first) and room >= needed)


class TimelineHeader(Header):
    """The header of a timeline."""

    def describe(
        self,
        prepared: Prepared,
        request: ResolvedRequest,
        model: SimulationParameters | None,
        numbers: CellNumbers,
    ) -> None:
        """Show the figures of a timeline, and facts about its launch, its model and its numbers."""
        timeline, sums, rows = prepared.timeline, numbers.sums, numbers.rows
        self.badge.show_kind(timeline.kind)
        facts = facts_text(timeline, request, model)
        figures = summary_text(timeline, prepared.summary)
        if sums is not None:
            # Low pictures have no headings, and the sums in their cells must not pass for those of
            # the run.
            facts = join_facts(order_text(timeline.kind, stored=numbers.stored), facts)
            if rows is not None and (numbers.other_run or not numbers.stored):
                agreement = agreement_text(sums, rows, request, other_run=numbers.other_run)
                figures = join_facts(figures, agreement)
        self.show_lines(figures, facts, details_text(timeline, prepared.summary))
