"""Controls of the animation: play, step, scrub, speed, loop, the row to follow, and dw or db."""

import math
from collections.abc import Callable, Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QComboBox,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QWidget,
)

from lnexplorer.gui.kit.style import icon
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.widgets import Choice, FoldedRow, Label, lay_row
from lnexplorer.gui.timeline.frame import GROUPINGS
from lnexplorer.gui.timeline.player import Player
from lnexplorer.gui.timeline.wording import time_text


def add_shortcuts(widget: QWidget, keys: Mapping[str, Callable[[], object]]) -> None:
    for key, action in keys.items():
        shortcut = QShortcut(QKeySequence(key), widget)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(action)


def press_or(widget: QWidget, otherwise: Callable[[], object]) -> Callable[[], None]:
    """A button with the keyboard is pressed by the space bar, as everywhere; where none has it, the
    key does something else.
    """

    def pressed() -> None:
        focus = widget.focusWidget()
        if isinstance(focus, QAbstractButton) and focus.hasFocus():
            focus.click()
        else:
            otherwise()

    return pressed


_SCRUB_STEPS = 4000
_STEPS_PER_DECADE = 40
_SLOWER, _FASTER = 3, 5  # decades from a microsecond a second


class ScrubSlider(QSlider):
    """A click on its track goes there at once, and can be dragged on from there."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
        )
        if event.button() == Qt.MouseButton.LeftButton and not part.contains(
            event.position().toPoint()
        ):
            place, room = (
                round(event.position().x() - part.width() / 2),
                self.width() - part.width(),
            )
            self.setValue(
                QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), place, room)
            )
        super().mousePressEvent(event)  # the handle is under the mouse now


class Transport(FoldedRow):
    """Plays a player, and says what else somebody wants."""

    followWished = Signal(object)  # int | None
    resultChosen = Signal(str)
    groupingChosen = Signal(str)

    def __init__(self, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self.previous, self.play, self.next, self.loop = (QToolButton(self) for _ in range(4))
        self.play.setCheckable(True)
        self.loop.setCheckable(True)
        self.scrub = ScrubSlider(Qt.Orientation.Horizontal, self)
        self.scrub.setRange(0, _SCRUB_STEPS)
        self.scrub.setMinimumWidth(7 * GRID)
        self.speed = QSlider(Qt.Orientation.Horizontal, self)
        self.speed.setRange(-_SLOWER * _STEPS_PER_DECADE, _FASTER * _STEPS_PER_DECADE)
        self.speed.setMinimumWidth(6 * GRID)
        self.speed.setMaximumWidth(12 * GRID)
        self.speed_label = Label(self)
        self.follow = QSpinBox(self)
        self.follow.setRange(-1, 0)
        self.follow.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.grouping = Choice(self)
        self.grouping.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for grouping in GROUPINGS:
            self.grouping.addItem("", grouping)
        self.results = {name: QToolButton(self) for name in ("dw", "db")}
        self.panel = QToolButton(self)
        self.moment = QToolButton(self)
        self.film = QToolButton(self)
        self.panel.setCheckable(True)
        self._group = QButtonGroup(self)
        for name, button in self.results.items():
            button.setCheckable(True)
            button.setText(name)
            self._group.addButton(button)
        self.results["dw"].setChecked(True)
        self.counted = False  # there is no clock: times are numbers of events
        self._theme = LIGHT
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        """What plays, and the rest beside it, or below it where it is narrow."""
        steps = (self.previous, self.play, self.next, self.loop)
        playing, others = QWidget(self), QWidget(self)
        lay_row(playing, *steps, self.scrub, spacing=GRID // 2).setStretch(len(steps), 1)
        more = (self.panel, self.moment, self.film)
        rest = (
            self.speed,
            self.speed_label,
            self.grouping,
            self.follow,
            *self.results.values(),
            *more,
        )
        lay_row(others, *rest, spacing=GRID // 2).insertStretch(2, 0)
        self.lay_pieces(playing, others, (2 * GRID, 0, 2 * GRID, GRID // 2))

    def _connect(self) -> None:
        player = self._player
        player.playingChanged.connect(self._show_playing)
        player.speedChanged.connect(lambda _speed: self._show_speed())
        self.play.toggled.connect(player.set_playing)
        self.loop.toggled.connect(lambda loop: setattr(player, "loop", loop))
        self.scrub.valueChanged.connect(
            lambda value: player.seek(value / _SCRUB_STEPS * player.end_ns)
        )
        self.speed.valueChanged.connect(
            lambda value: player.set_speed(1000 * 10 ** (value / _STEPS_PER_DECADE))
        )
        self.follow.valueChanged.connect(
            lambda row: self.followWished.emit(None if row < 0 else row)
        )
        self.grouping.activated.connect(
            lambda index: self.groupingChosen.emit(self.grouping.itemData(index))
        )
        for name, button in self.results.items():
            button.clicked.connect(lambda _checked=False, name=name: self.resultChosen.emit(name))

    def show_time(self) -> None:
        with QSignalBlocker(self.scrub):
            self.scrub.setValue(round(self._player.share * _SCRUB_STEPS))

    def _show_speed(self) -> None:
        speed = self._player.speed
        with QSignalBlocker(self.speed):
            self.speed.setValue(round(math.log10(speed / 1000) * _STEPS_PER_DECADE))
        self.speed_label.setText(
            self.tr("{0} a second").format(time_text(speed, counted=self.counted))
        )

    def _show_playing(self, playing: bool) -> None:
        with QSignalBlocker(self.play):
            self.play.setChecked(playing)
        self.play.setIcon(icon("pause" if playing else "run", self._theme.text))
        self.play.setToolTip(self.tr("Pause (Space)") if playing else self.tr("Play (Space)"))

    def show_rows(self, rows: int, followed: int | None) -> None:
        """Which rows there are to follow, and which is."""
        with QSignalBlocker(self.follow):
            self.follow.setMaximum(rows - 1)
            self.follow.setValue(-1 if followed is None else followed)

    def show_grouping(self, grouping: str) -> None:
        self.grouping.setCurrentIndex(self.grouping.findData(grouping))

    def show_result_choice(self, shown: bool) -> None:
        """Whether dw or db can be chosen, where there are numbers, or else how the rows are
        grouped.
        """
        if any(button.isHidden() is shown for button in self.results.values()):
            for button in self.results.values():
                button.setVisible(shown)
            self.grouping.setVisible(not shown)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.speed_label.setMinimumWidth(
            with_text(15 * GRID)
        )  # so that nothing moves as it changes
        for name in ("previous", "next", "loop", "panel", "moment", "film"):
            getattr(self, name).setIcon(icon(name, theme.text))
        self._show_playing(self._player.playing)

    def retranslate(self) -> None:
        texts = {
            self.previous: (
                self.tr("Previous event"),
                self.tr("To the event before (Left); of the followed row, if there is one"),
            ),
            self.play: (self.tr("Play"), self.tr("Play (Space)")),
            self.next: (
                self.tr("Next event"),
                self.tr("To the next event (Right); of the followed row, if there is one"),
            ),
            self.loop: (self.tr("Loop"), self.tr("Begin again at the end")),
            self.scrub: (
                self.tr("Time"),
                self.tr(
                    "Click or drag to any time (Home, End). Z, Shift+Z and 0 zoom rows and time in,"
                    " out and to all of them"
                ),
            ),
            self.speed: (
                self.tr("Speed"),
                self.tr("Time of the GPU that passes in a second of yours (+ and −)"),
            ),
            self.follow: (
                self.tr("Row to follow"),
                self.tr(
                    "The row that is marked in every picture; a click on it, or L for its lock,"
                    " follows it"
                ),
            ),
            self.grouping: (
                self.tr("Rows grouped"),
                self.tr(
                    "Rows in the order of their starts, of each lock, of each SM, or all"
                    " together (G)"
                ),
            ),
            self.panel: (
                self.tr("Source"),
                self.tr("Show the kernel's source and what is followed beside the animation (K)"),
            ),
            self.moment: (
                self.tr("This moment as SVG"),
                self.tr("Save the picture as it is now, with its provenance"),
            ),
            self.film: (self.tr("Film"), self.tr("Save a stretch of the animation as GIF or MP4")),
            self.results["dw"]: (
                self.tr("Numbers of dw"),
                self.tr("Show the sums for dw, the gradient of the weight"),
            ),
            self.results["db"]: (
                self.tr("Numbers of db"),
                self.tr("Show the sums for db, the gradient of the bias"),
            ),
        }
        for widget, (name, tip) in texts.items():
            widget.setAccessibleName(name)
            widget.setToolTip(tip)
        for index, text in enumerate((self.tr("locks"), self.tr("SMs"), self.tr("starts"))):
            self.grouping.setItemText(index, text)
        self.follow.setSpecialValueText(self.tr("all rows"))
        self.follow.setPrefix(self.tr("row "))
        self._show_playing(self._player.playing)
        self._show_speed()
