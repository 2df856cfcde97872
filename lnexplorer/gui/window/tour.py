"""A tour of five steps over the window's own parts."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QWidget

from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, with_text
from lnexplorer.gui.kit.widgets import Label, lay_column, lay_row
from lnexplorer.gui.window.main_window import MainWindow
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

WIDTH = 40 * GRID
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


class Tour(Retranslated, QFrame):
    """A note beside a part in a frame; the window can be used meanwhile."""

    left = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setObjectName("tour")
        self._window = window
        self._target: QWidget | None = None
        self.step = 0
        self._run = window.views["run"]
        self._folded = self._run.fold_wished  # before it needed the parameters
        self.mark = QFrame(window)
        self.mark.setObjectName("tourMark")
        self.mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title = Label(self, look="title", wordWrap=True)
        self.about = Label(self, wordWrap=True)
        self.count = Label(self, look="muted")
        self.back = self.write_on(QPushButton(self), say("Back"))
        self.next = QPushButton(self, autoDefault=True)  # pressed by Return, too
        self.leave_button = self.write_on(QPushButton(self), say("Leave (Esc)"))
        self.next.setProperty("look", "primary")
        buttons = lay_row(None, self.leave_button, 0, self.back, self.next)
        parts = (self.count, self.title, self.about, buttons)
        self._column = lay_column(self, *parts, margins=(2 * GRID, GRID, 2 * GRID, 2 * GRID))
        self.back.clicked.connect(lambda: self._go(self.step - 1))
        self.next.clicked.connect(lambda: self._go(self.step + 1))
        self.leave_button.clicked.connect(self.leave)
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]  # there is one
        self._show_texts()

    def begin(self) -> None:
        self._go(0)

    def leave(self) -> None:
        """End the tour."""
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
        for frame in (self, self.mark):
            frame.hide()
            frame.deleteLater()
        self._run.fold(wished=self._folded)
        self.left.emit()

    def _show_texts(self) -> None:
        _, _, title, text = STEPS[self.step]
        count = say("{step} of {count}", step=self.step + 1, count=len(STEPS))
        self.write_on(self.title, title)
        self.write_on(self.about, text)
        self.write_on(self.count, count)
        self.write_on(self.next, say("Next") if self.step + 1 < len(STEPS) else say("Done"))
        self.write(self.setAccessibleName, join_sentences((title, text), verbatim(": ")))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            if QApplication.activePopupWidget() is None:
                event.accept()
                self.leave()
                return True
        elif watched in (self._window, self._target) and event.type() in (
            QEvent.Type.Resize,
            QEvent.Type.Move,
        ):
            QTimer.singleShot(0, self, self._place)  # once everything has its room
        return super().eventFilter(watched, event)

    def _go(self, step: int) -> None:
        if step >= len(STEPS):
            self.leave()
            return
        self.step = step
        part, parameter, _, _ = STEPS[step]
        window = self._window
        window.show_part(part)
        frame = window.view.frames[part]
        target = self._target = window.parameters.show_row(parameter) if parameter else frame
        self.back.setEnabled(step > 0)
        self._show_texts()

        def show() -> None:
            window.view.scroll_to(target)
            self._place()

        QTimer.singleShot(0, self, show)  # once it has its place
        self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        window, target = self._window, self._target
        if target is None:
            return
        self.setFixedWidth(with_text(WIDTH))
        self._column.activate()
        self.resize(self.width(), max(self._column.totalHeightForWidth(self.width()), 0))
        about = QRect(target.mapTo(window, QPoint()), target.size()) & window.rect()
        self.mark.setGeometry(
            about.adjusted(-GRID // 2, -GRID // 2, GRID // 2, GRID // 2) & window.rect()
        )
        # Beside the part, in the direction that has more room.
        left = about.left() - 2 * GRID - self.width()
        right = about.right() + 2 * GRID
        x = right if about.center().x() < window.width() // 2 else left
        room = window.rect().adjusted(GRID, GRID, -GRID, -GRID)
        self.move(
            min(max(x, room.left()), room.right() - self.width()),
            min(max(about.top(), room.top()), room.bottom() - self.height()),
        )
        for frame in (self.mark, self):
            frame.show()
            frame.raise_()
