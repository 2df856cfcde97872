"""The findings of one experiment: sentence, charts and facts."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.domain.experiments.experiment import (
    MOST_STEPS,
    ExperimentChart,
    ExperimentResult,
    ProgramLanes,
    Step,
)
from lnexplorer.domain.panels import PanelPicture
from lnexplorer.gui.charts.chart import Legend
from lnexplorer.gui.charts.panel_chart import PanelChart
from lnexplorer.gui.kit import (
    GRID,
    Arranged,
    ElidedLabel,
    Retranslated,
    WrappedLabel,
    apply_theme,
    lay_column,
    with_text,
)
from lnexplorer.gui.kit.table import table_markup
from lnexplorer.gui.timeline.program_lanes import ProgramLanesView
from lnkernels.values import join_sentences, say

TAKE = say("Put it into the parameters, and try what is one step away from there")
# Least heights in px; what has no room is scrolled to.
PANELS_HEIGHT, SPANS_HEIGHT, LANES_HEIGHT = 34 * GRID, 24 * GRID, 38 * GRID


def share_of_height(chart: ExperimentChart) -> int:
    """Return the stretch of a chart beside the others of a result."""
    if isinstance(chart, ProgramLanes):
        return 4
    return 2 if chart.has_spans else 3


class ChartPart(Retranslated, Arranged, QWidget):
    """A chart with its legend above it and its notes below."""

    def __init__(self, drawing: PanelChart | ProgramLanesView) -> None:
        super().__init__()
        self.drawing = drawing
        self.legend = Legend()
        self.notes = WrappedLabel(look="muted")
        drawing.legend = lambda: self.legend.entries
        # What is left, whatever the hint.
        drawing.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        lay_column(self, self.legend, (drawing, 1), self.notes)

    def show_chart(self, chart: ExperimentChart) -> None:
        """Show a chart of the kind of the drawing."""
        match self.drawing, chart:
            case PanelChart() as panels, PanelPicture():
                panels.set_picture(chart)
                spans, figures = say("GPUs over time"), say("The experiment's chart")
                self.write_on(panels, name=spans if chart.has_spans else figures)
            case ProgramLanesView() as lanes, ProgramLanes():
                lanes.set_lanes(chart)
                self.write_on(lanes, name=say("Strategies as lanes over time"))
                self.write(self.notes.setText, join_sentences(chart.notes, "\n"))
        self.notes.setVisible(bool(self.notes.text()))
        self.retranslate()
        self.arrange()

    def retranslate(self) -> None:
        self.legend.set_entries(self.drawing.entries())
        self.legend.setVisible(bool(self.legend.entries))

    apply_theme = retranslate

    def arrange(self) -> None:
        """Give panels the height in which they can be read."""
        least = with_text(LANES_HEIGHT)
        if isinstance(self.drawing, PanelChart):
            height = SPANS_HEIGHT if self.drawing.picture.has_spans else PANELS_HEIGHT
            least = max(with_text(height), self.drawing.legible_height(self.width()))
        self.drawing.setMinimumHeight(least)


class FindingsView(Retranslated, QScrollArea):
    """Shows a result; charts are made as results need them."""

    stepTaken = Signal(object, object)  # ExperimentResult, Step

    def __init__(self, caption: Callable[[], tuple[str, ...]]) -> None:
        super().__init__(widgetResizable=True, frameShape=QScrollArea.Shape.NoFrame)
        selectable = Qt.TextInteractionFlag.TextSelectableByMouse
        self.sentence = WrappedLabel(look="strong", textInteractionFlags=selectable)
        self.facts = WrappedLabel(look="muted", textInteractionFlags=selectable)
        self.table = WrappedLabel(alignment=Qt.AlignmentFlag.AlignTop)  # of what has no chart
        self.readout = ElidedLabel()
        self.panels: list[ChartPart] = []
        self.lanes: list[ChartPart] = []
        self._caption = caption
        self.buttons = [self.write_on(QPushButton(), tip=TAKE) for _ in range(MOST_STEPS)]
        self._steps: Sequence[Step] = ()
        self._result: ExperimentResult | None = None
        steps = QVBoxLayout()
        group = QButtonGroup(self)
        group.idClicked.connect(lambda place: self.stepTaken.emit(self._result, self._steps[place]))
        for place, button in enumerate(self.buttons):
            group.addButton(button, place)
            steps.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        shown = QWidget()
        self._charts = QVBoxLayout()
        self._charts.addWidget(self.readout)  # below the first chart
        self._charts.addWidget(self.table, 1)
        lay_column(shown, self.sentence, steps, (self._charts, 1), self.facts)
        self.setWidget(shown)
        for ground in (shown, self.viewport()):  # the pane's own shows
            ground.setAutoFillBackground(False)

    def show_result(self, result: ExperimentResult) -> None:
        self._result = result
        self.retranslate()
        for part in self.panels + self.lanes:
            part.hide()
        free = {PanelPicture: iter(tuple(self.panels)), ProgramLanes: iter(tuple(self.lanes))}
        for place, chart in enumerate(result.charts()):
            part = next(free[type(chart)], None) or self._add(chart)
            self._charts.insertWidget(place + (place > 0), part, share_of_height(chart))
            part.show_chart(chart)
            part.show()
        self.readout.setText("")
        self.write(self.sentence.setText, join_sentences(result.sentences(), "\n"))
        facts = result.facts()
        self.write(self.facts.setText, join_sentences(facts, "\n"))
        self.facts.setVisible(bool(facts))

    def retranslate(self) -> None:
        self.table.hide()
        if self._result is None or self._result.charts():
            return
        markup = table_markup(self._result.table())
        self.table.set_markup(markup.replace("_", "_&#8203;"))  # where a long name may be broken
        self.table.show()

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Offer what may be done from here, a button each."""
        self._steps = steps
        for button in self.buttons:
            button.hide()
        for button, step in zip(self.buttons, steps, strict=False):
            self.write_on(button, say("Take {change}", change=step.text))
            button.show()

    def _add(self, chart: ExperimentChart) -> ChartPart:
        drawing: PanelChart | ProgramLanesView = ProgramLanesView()
        if isinstance(chart, PanelPicture):
            drawing = PanelChart()
            drawing.hovered.connect(self.readout.setText)
        drawing.caption = self._caption
        part = ChartPart(drawing)
        apply_theme(part)
        (self.panels if isinstance(chart, PanelPicture) else self.lanes).append(part)
        return part
