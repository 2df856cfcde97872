"""Another theme or text size for everything that is open, in steps of the event loop.

Qt styles all widgets anew in one call when the application's style sheet changes, and each of them once for every widget it lies
in: half a second for this window. Here the widgets are taken off the old style some at a time, the sheet changes while nobody
wears it, and they are put on the new one some at a time. Nothing is painted meanwhile, so that nobody sees the state between.
"""

import time
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from lnexplorer.gui.shell.steps import StepQueue
from lnexplorer.gui.shell.style import apply_style
from lnexplorer.gui.shell.theme import Theme

STEP_SECONDS = 0.01
# By these QApplication tells which widgets it has to style anew: those that are styled, and have no style of their own.
POLISHED, OWN_STYLE = Qt.WidgetAttribute.WA_WState_Polished, Qt.WidgetAttribute.WA_SetStyle


class Restyler(QObject):
    """Changes the look of an application. Of several changes that are asked for at once, the last one counts.

    Args:
        application: whose style sheet, palette and font change.
        steps: where the steps wait for their turn.
        paint_themes: what is done besides, a step each, given the theme.
        parent: owner.
    """

    def __init__(
        self,
        application: QApplication,
        steps: StepQueue,
        paint_themes: Callable[[Theme], Iterator[Callable[[], object]]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._application = application
        self._steps = steps
        self._paint_themes = paint_themes
        self._wanted: tuple[Theme, int] | None = None
        self._work: Iterator[None] | None = None

    def restyle(self, theme: Theme, text_percent: int) -> None:
        """Begin to change to a theme and a size of text."""
        self._wanted = theme, text_percent
        self._steps.add("restyle", self._go_on)

    def _go_on(self) -> None:
        if self._work is None and self._wanted is not None:
            self._work, self._wanted = self._restyled(*self._wanted), None
        if self._work is not None and next(self._work, self) is self:
            self._work = None
        if self._work is not None or self._wanted is not None:
            self._steps.add("restyle", self._go_on)

    def _restyled(self, theme: Theme, text_percent: int) -> Iterator[None]:
        windows = [window for window in self._application.topLevelWidgets() if window.isVisible()]
        still = [part for window in windows for part in _parts(window) if part.isVisible()]
        for part in still:
            part.setUpdatesEnabled(False)
        _lay_out(windows, enabled=False)  # what has no style has other sizes, by which nothing is to be moved
        try:
            yield from self._change(theme, text_percent)
            _lay_out(windows, enabled=True)
            yield
            for step in self._paint_themes(theme):
                step()
                yield
            while still:
                _let_paint(still.pop())
                yield
        finally:
            _lay_out(windows, enabled=True)
            for part in still:
                _let_paint(part)

    def _change(self, theme: Theme, text_percent: int) -> Iterator[None]:
        application = self._application
        every = [each for each in application.allWidgets() if each.testAttribute(POLISHED) and not each.testAttribute(OWN_STYLE)]
        yield from _in_steps(every, _take_off)
        application.setStyleSheet("")
        yield
        apply_style(application, theme, text_percent)
        yield
        yield from _in_steps(every, _put_on)


def _parts(window: QWidget) -> list[QWidget]:
    """What of a window is painted in one turn; of a large one, not all at once."""
    return [child for child in window.children() if isinstance(child, QWidget)] or [window]


def _lay_out(windows: Sequence[QWidget], *, enabled: bool) -> None:
    for window in windows:
        layout = window.layout() if isValid(window) else None
        if layout is not None and layout.isEnabled() is not enabled:
            layout.setEnabled(enabled)
            if enabled:  # what asked for room meanwhile is heard now
                layout.invalidate()
                QApplication.postEvent(window, QEvent(QEvent.Type.LayoutRequest))


def _let_paint(part: QWidget) -> None:
    if isValid(part):
        part.setUpdatesEnabled(True)


def _in_steps(widgets: Sequence[QWidget], work: Callable[[QWidget], None]) -> Iterator[None]:
    begun = time.perf_counter()
    for widget in widgets:
        if isValid(widget):
            work(widget)
        if time.perf_counter() - begun > STEP_SECONDS:
            yield
            begun = time.perf_counter()
    yield


def _take_off(widget: QWidget) -> None:
    widget.style().unpolish(widget)
    widget.setAttribute(POLISHED, False)
    widget.setAttribute(OWN_STYLE)


def _put_on(widget: QWidget) -> None:
    widget.setAttribute(OWN_STYLE, False)
    if not widget.testAttribute(POLISHED):
        widget.setAttribute(POLISHED)
        widget.style().polish(widget)
    QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
