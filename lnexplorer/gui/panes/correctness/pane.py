"""The Correctness pane: the errors of the last run, or a notice while there is none."""

from PySide6.QtWidgets import QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.views import CorrectnessView
from lnexplorer.gui.charts.errors_view import ErrorsView
from lnexplorer.gui.kit import Notice, Veil, fill_with_stack, lay_column
from lnkernels.values import say
from lnkernels.values.accuracy import Correctness
from lnkernels.values.environment import Kind


class CorrectnessPane(QWidget):
    """Errors of the last run against float64 and against PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.notice = Notice()
        self.notice.set_text(
            say("Nothing checked yet"),
            say(
                "Press Run: the kernels' y, dx, dw and db are compared with PyTorch's and with"
                " float64."
            ),
        )
        self._stack, content = fill_with_stack(self, self.notice)
        self.errors = ErrorsView()
        lay_column(content, self.errors)
        self.veil = Veil(content)

    def show_correctness(
        self, correctness: Correctness, resolved: ResolvedRequest, kind: Kind
    ) -> None:
        self._stack.setCurrentIndex(1)
        self.errors.show_correctness(correctness, resolved, kind)

    def clear(self) -> None:
        self.errors.readout.clear()
        self._stack.setCurrentIndex(0)

    View = CorrectnessView

    def view(self) -> CorrectnessView:
        return self.errors.view()

    def show_view(self, view: CorrectnessView) -> None:
        self.errors.show_view(view)
