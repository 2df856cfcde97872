"""A workspace on the screen: its headline, and its parts between splitters."""

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.gui.kit import (
    CENTRE,
    GRID,
    Arranged,
    Label,
    Retranslated,
    Theme,
    at_least_with_text,
    icon,
    lay_column,
    lay_row,
    scroll_area,
    with_text,
)
from lnexplorer.gui.window.workspaces import (
    PARAMETERS,
    AnyPane,
    Arrangement,
    PaneEntry,
    SplitLayout,
    Workspace,
)
from lnkernels.values import say

SHARE = 1000  # px for a splitter that is not on the screen yet; only proportions count


class PartFrame(Retranslated, QFrame):
    """A pane under its title; it scrolls where it has too little room, so no window grows."""

    def __init__(self, part: AnyPane) -> None:
        super().__init__(objectName="part")
        self.part = part
        self.pane: QWidget | None = None
        self.fills = False  # the workspace, alone
        self.holder = QWidget(self)  # of the pane: itself, or what scrolls it
        self.bar = QWidget(self)
        self.title = self.write_on(Label(self, look="part"), part.title)
        self.fold = self.write_on(
            QToolButton(self),
            tip=say("One line of values in place of the parameters (Ctrl+P)"),
            name=say("Fold the parameters"),
        )
        self.fill = self.write_on(
            QToolButton(self),
            tip=say("Fill the workspace with this part, or show the others again (F10)"),
            name=say("Fill the workspace"),
        )
        self.own_window = self.write_on(
            QToolButton(self),
            tip=say(
                "A window of its own for this part; it returns when that is closed (Ctrl+Shift+F)"
            ),
            name=say("A window of its own"),
        )
        self.fold.setVisible(part is PARAMETERS)
        buttons = (self.fold, self.fill, self.own_window)
        for button in buttons:
            button.setProperty("look", "small")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        lay_row(self.bar, (self.title, 1), *buttons, margins=(GRID, 0, 0, 0), spacing=0)
        lay_column(self, self.bar, (self.holder, 1), spacing=0)

    def set_pane(self, pane: QWidget) -> None:
        # It goes once control returns to the event loop, and keeps no room until then.
        self.holder.hide()
        self.holder.deleteLater()
        self.pane = self.holder = self.write_on(pane, name=self.part.title)
        if not pane.objectName():
            pane.setObjectName("pane")
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # The form of the parameters scrolls by itself, and keeps its buttons in sight.
        if self.part is not PARAMETERS:
            self.holder = scroll_area(self)
            self.holder.viewport().setAutoFillBackground(False)
            self.holder.setWidget(pane)
            # The palette, not the style sheet, fills what stands in a scroll area.
            pane.setAutoFillBackground(False)
        self.take_back()

    def focus_pane(self, reason: Qt.FocusReason) -> None:
        """Give the keyboard to the pane, or to the first widget in it that takes it.

        A focus proxy would keep Tab going round between the frame and the pane.
        """
        pane = self.pane
        if pane is None:
            return
        if pane.focusPolicy() == Qt.FocusPolicy.NoFocus and pane.focusProxy() is None:
            takers = (
                each
                for each in pane.findChildren(QWidget)
                if each.focusPolicy() & Qt.FocusPolicy.TabFocus
                and each.isVisible()
                and each.isEnabled()
            )
            pane = next(takers, pane)
        pane.setFocus(reason)

    def take_back(self) -> None:
        """Have the pane here again, which was in a window of its own."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.addWidget(self.holder, 1)

    def apply_theme(self) -> None:
        muted = Theme.current.muted
        self.fold.setIcon(icon("fold", muted))
        self.fill.setIcon(icon("unfill" if self.fills else "fill", muted))
        self.own_window.setIcon(icon("own_window", muted))
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        width, height = self.part.least
        return QSize(at_least_with_text(width), with_text(height))


class _OwnWindow(QWidget):
    """A top-level window around the pane of a part."""

    closed = Signal()

    def __init__(self, frame: PartFrame) -> None:
        super().__init__(frame.window(), Qt.WindowType.Window)
        self.setWindowTitle(f"{frame.title.text()} – lnexplorer")
        self.resize(frame.size().expandedTo(QSize(80 * GRID, 60 * GRID)))
        lay_column(self, frame.holder, margins=GRID)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closed.emit()
        super().closeEvent(event)


class WorkspaceView(Retranslated, Arranged, QWidget):
    """The headline of a workspace above its parts, which scroll where they have too little room.

    Parameters beside other parts are folded into a line where there is no room for them, until
    somebody unfolds them. Then parts stand above each other, so that nothing scrolls sideways.
    """

    folded = Signal(bool)

    def __init__(
        self, workspace: Workspace, headline: QWidget, line: QWidget | None = None
    ) -> None:
        super().__init__()
        self.workspace = workspace
        self.frames: dict[str, PartFrame] = {}
        self.splitters: list[QSplitter] = []  # inner ones before those around them
        self._layouts: dict[QSplitter, SplitLayout] = {}
        self._across: dict[QSplitter, QByteArray] = {}  # states of those that are turned
        self._filled: PartFrame | None = None
        self.windows: dict[str, _OwnWindow] = {}  # by the name of the part
        self._line = line  # in place of the parameters
        self.fold_wished: bool | None = None  # None for where there is no room
        self._elsewhere = self.write_on(
            Label(self, look="empty", alignment=CENTRE, visible=False),
            say("It is in a window of its own, and returns when that is closed."),
        )
        layout = lay_column(self, headline, spacing=GRID // 2)
        if line is not None:
            layout.addWidget(line)
            line.hide()
        layout.addWidget(self._elsewhere, 1)
        self._scroll = scroll_area(self)
        self._scroll.setViewport(QWidget(self._scroll))  # which is not filled
        layout.addWidget(self._scroll, 1)
        self._scroll.setWidget(self._arranged(workspace.arrangement))
        for frame in self.frames.values():
            frame.bar.setVisible(len(self.frames) > 1)
            frame.fill.clicked.connect(lambda _on=False, frame=frame: self.fill(frame))
            frame.fold.clicked.connect(lambda: self.fold(wished=True))
            frame.own_window.clicked.connect(
                lambda _on=False, frame=frame: self.toggle_window(frame)
            )

    def show_part(self, name: str) -> None:
        frame = self.frames[name]
        if name == PARAMETERS.name and self.is_folded:
            self.fold(wished=False)
        if self._filled is not None and self._filled is not frame:
            self.fill(self._filled)
        if name in self.windows:
            self.windows[name].activateWindow()
        self._scroll.ensureWidgetVisible(frame)
        frame.focus_pane(Qt.FocusReason.ShortcutFocusReason)

    def scroll_to(self, widget: QWidget) -> None:
        self._scroll.ensureWidgetVisible(widget)

    def focused(self) -> PartFrame:
        """Return the part that has the keyboard, or else the first one besides the parameters."""
        focus = QApplication.focusWidget()
        with_focus = (
            frame
            for frame in self.frames.values()
            if focus is not None and frame.holder.isAncestorOf(focus)
        )
        others = (frame for frame in self.frames.values() if frame.part is not PARAMETERS)
        return next(with_focus, None) or next(others)

    def fill(self, frame: PartFrame) -> None:
        """Show this part alone; where it is alone, all others again."""
        self._filled = None if self._filled is frame else frame
        self._show_what_is_seen()
        frame.focus_pane(Qt.FocusReason.ShortcutFocusReason)

    @property
    def is_folded(self) -> bool:
        """Return whether the parameters are folded into a line of values."""
        least = _least_width(self.workspace.arrangement, across=True)
        narrow = self.fold_wished is None and self._room() < least
        return self._line is not None and (narrow or self.fold_wished is True)

    def fold(self, *, wished: bool | None) -> None:
        """Fold the parameters, or unfold them, whether there is room for them or not; None for as
        much as there is.
        """
        self.fold_wished = wished
        self.arrange()

    def arrange(self) -> None:
        if self._line is not None and self._line.isHidden() is (
            self.is_folded and self._filled is None
        ):
            self._show_what_is_seen()
            self.folded.emit(self.is_folded)
        self._turn_splitters()

    apply_theme = arrange

    def toggle_window(self, frame: PartFrame) -> None:
        name = frame.part.name
        if name in self.windows:
            self.windows[name].close()
            return
        if self._filled is frame:
            self.fill(frame)
        window = self.windows[name] = _OwnWindow(frame)
        window.closed.connect(lambda: self._take_back(frame))
        self._show_what_is_seen()
        window.show()

    def arrange_as_usual(self) -> None:
        """Share the room as at first, with all parts in their places."""
        self.close_windows()
        if self._filled is not None:
            self.fill(self._filled)
        self._across.clear()
        for splitter in self.splitters:
            self._share_as_usual(splitter)

    def close_windows(self) -> None:
        for window in list(self.windows.values()):
            window.close()

    def sizes(self) -> list[str]:
        """Return how the parts share the room, where there is enough of it, as texts."""
        states = (self._across.get(each, each.saveState()) for each in self.splitters)
        return [bytes(state.toBase64().data()).decode() for state in states]

    def set_sizes(self, sizes: list[str]) -> None:
        """Share the room as `sizes` said; what is not that changes nothing."""
        self._across.clear()
        for splitter, state in zip(self.splitters, sizes, strict=False):
            splitter.restoreState(QByteArray.fromBase64(state.encode()))
        self._turn_splitters()

    def _take_back(self, frame: PartFrame) -> None:
        window = self.windows.pop(frame.part.name)
        frame.take_back()
        self._show_what_is_seen()
        window.deleteLater()

    def _show_what_is_seen(self) -> None:
        for frame in self.frames.values():
            folded = frame.part is PARAMETERS and self.is_folded and self._filled is None
            frame.setVisible(
                frame.part.name not in self.windows and self._filled in (None, frame) and not folded
            )
            frame.fills = frame is self._filled
            frame.apply_theme()
        for splitter in self.splitters:
            pieces = (splitter.widget(place) for place in range(splitter.count()))
            splitter.setVisible(any(piece is not None and not piece.isHidden() for piece in pieces))
        if self._line is not None:
            self._line.setVisible(self.is_folded and self._filled is None)
        self._elsewhere.setVisible(len(self.windows) == len(self.frames))
        self._scroll.setVisible(self._elsewhere.isHidden())
        self._turn_splitters()

    def _room(self) -> int:
        """Return the px of width that the parts have beside a scroll bar."""
        return self.width() - self._scroll.verticalScrollBar().sizeHint().width()

    def _turn_splitters(self) -> None:
        if self.splitters:
            self._turn(self.splitters[-1], self._room())

    def _turn(self, splitter: QSplitter, room: int) -> None:
        """Put pieces above each other that find no room beside each other."""
        layout = self._layouts[splitter]
        pieces = [(piece, splitter.widget(place)) for place, (_, piece) in enumerate(layout.pieces)]
        shown = {
            widget: _least_width(piece, across=False)
            for piece, widget in pieces
            if widget is not None and not widget.isHidden()
        }
        least = sum(shown.values()) + GRID * (len(shown) - 1)
        across = layout.across and least <= room
        wanted = Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical
        if splitter.orientation() is not wanted:
            kept = self._across.pop(splitter, None)
            if not across:
                self._across[splitter] = splitter.saveState()
            splitter.setOrientation(wanted)
            if kept is None or not splitter.restoreState(kept):
                self._share_as_usual(splitter)
        for widget, width in shown.items():
            if isinstance(widget, QSplitter):
                self._turn(widget, room - least + width if across else room)

    def _share_as_usual(self, splitter: QSplitter) -> None:
        splitter.setSizes([SHARE * share for share, _ in self._layouts[splitter].pieces])

    def _arranged(self, piece: Arrangement) -> QWidget:
        if isinstance(piece, PaneEntry):
            frame = self.frames[piece.name] = PartFrame(piece)
            return frame
        splitter = QSplitter(Qt.Orientation.Horizontal if piece.across else Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(GRID)
        for place, (share, inner) in enumerate(piece.pieces):
            splitter.addWidget(self._arranged(inner))
            splitter.setStretchFactor(place, share)
        self._layouts[splitter] = piece
        self._share_as_usual(splitter)
        self.splitters.append(splitter)
        return splitter


def _least_width(piece: Arrangement, *, across: bool) -> int:
    """Return the px that an arrangement needs at the text size: as it is, or with all its pieces
    above each other.
    """
    if isinstance(piece, PaneEntry):
        return at_least_with_text(piece.least[0])
    widths = [_least_width(inner, across=across) for _, inner in piece.pieces]
    return sum(widths) + GRID * (len(widths) - 1) if piece.across and across else max(widths)
