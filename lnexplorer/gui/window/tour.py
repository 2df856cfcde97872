"""A tour of five steps over the window's own parts."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget, QWizard, QWizardPage

from lnexplorer.gui.kit import GRID, Label, Veil, lay_column, translate_message, with_text
from lnexplorer.gui.window.main_window import MainWindow
from lnkernels.values import Sentence, say

WIDTH, HEIGHT = 46 * GRID, 24 * GRID
# The part, the parameter of it where it is one, a title, and what to try there.
STEPS: tuple[tuple[str, str, Sentence, Sentence], ...] = (
    (
        "parameters",
        "m",
        say("Choose a problem"),
        say(
            "M is the number of rows, N that of columns. Move a slider: with Live on, the kernels"
            " run at once."
        ),
    ),
    (
        "parameters",
        "group_size_m",
        say("Choose how many locks"),
        say(
            "Each row adds its share of dw and db to one of GROUP_SIZE_M buffers, behind a lock."
            " Try 1, then 16."
        ),
    ),
    (
        "reduction",
        "",
        say("Watch the rows queue"),
        say("Press play, or the arrows for the next event. A click on a row follows it."),
    ),
    (
        "correctness",
        "",
        say("Check the results"),
        say("y, dx, dw and db against PyTorch and against float64, down to the single element."),
    ),
    (
        "throughput",
        "",
        say("See how fast it is"),
        say(
            "On a GPU: GB/s beside PyTorch and the ceiling. Without one, watch a recorded run of an"
            " H200."
        ),
    ),
)


class Tour(QWizard):
    """Names a part in each step, with a frame around it; the window can be used meanwhile."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, wizardStyle=QWizard.WizardStyle.ClassicStyle)
        self._window = window
        self._mark: QWidget | None = None
        self._folded = window.views["run"].fold_wished  # before it needed the parameters
        self.setWindowTitle(self.tr("Try your own"))
        for _, _, title, text in STEPS:
            page = QWizardPage()
            page.setTitle(translate_message(title))
            about = Label(translate_message(text), wordWrap=True)
            lay_column(page, about, 1, margins=(GRID, 0, 0, 0))  # in line with the title
            self.addPage(page)
        self.currentIdChanged.connect(self._show_step)
        self.finished.connect(self._end)

    def begin(self) -> None:
        self.resize(with_text(WIDTH), with_text(HEIGHT))
        self.move(self._places()[0].topLeft())
        self.show()

    def _show_step(self, step: int) -> None:
        self._unmark()
        if step < 0:  # it ends
            return
        part, parameter, _, _ = STEPS[step]
        window = self._window
        window.show_part(part)
        target = window.parameters.show_row(parameter) if parameter else window.view.frames[part]
        self._mark = Veil(target, says=False)
        self._mark.setObjectName("tourMark")
        self._mark.show()
        window.view.scroll_to(target)
        named = QRect(target.mapToGlobal(QPoint(0, 0)), target.size())
        if named.intersects(self.frameGeometry()):
            self.move(min(self._places(), key=named.intersects).topLeft())

    def _places(self) -> tuple[QRect, QRect]:
        """Return two places at the right of the window, above and below."""
        window = self._window
        right = window.width() - self.width() - 2 * GRID
        tops = (12 * GRID, window.height() - self.height() - 6 * GRID)
        above, below = (window.mapToGlobal(QPoint(right, top)) for top in tops)
        return QRect(above, self.size()), QRect(below, self.size())

    def _unmark(self) -> None:
        if self._mark is not None:
            self._mark.hide()
            self._mark.deleteLater()
            self._mark = None

    def _end(self) -> None:
        self._unmark()
        self._window.views["run"].fold(wished=self._folded)
        self.deleteLater()
