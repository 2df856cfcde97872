"""Controls of the animation: play, step, scrub, speed, loop, the row to follow, and dw or db."""

import math

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSlider,
    QSpinBox,
    QStyle,
    QToolButton,
    QWidget,
)

from lnexplorer.gui.kit import (
    GRID,
    Choice,
    FoldedRow,
    Label,
    Retranslated,
    Segments,
    Theme,
    icon,
    lay_row,
    with_text,
)
from lnexplorer.gui.panes.reduction.pictures import Pictures
from lnexplorer.gui.timeline.frame import GROUPINGS
from lnexplorer.gui.timeline.player import Player
from lnexplorer.gui.timeline.wording import time_text
from lnkernels.values import Sentence, say

_SCRUB_STEPS = 4000
_STEPS_PER_DECADE = 40
_SLOWER, _FASTER = 3, 5  # decades from a microsecond a second


class ScrubSlider(QSlider):
    """Slider whose handle jumps to a click on its track and can be dragged on from there."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self)
            place, ends = round(event.position().x() - handle / 2), (self.minimum(), self.maximum())
            self.setValue(QStyle.sliderValueFromPosition(*ends, place, self.width() - handle))
        super().mousePressEvent(event)  # the handle is under the mouse now


class RowField(QSpinBox):
    """The number of a row, which leaves the space bar to the pane."""

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            return event.key() != Qt.Key.Key_Space and super().event(event)
        return super().event(event)


class Transport(Retranslated, FoldedRow):
    """Controls of a player and of the pictures at its time."""

    def __init__(self, player: Player, pictures: Pictures) -> None:
        super().__init__()
        self._player = player
        self._pictures = pictures
        self._icons: dict[QToolButton, str] = {}
        # A click on a button of it leads the keyboard to the picture.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._counted = False  # there is no clock: times are numbers of events
        self.previous = self._button(
            "previous",
            say("Previous event"),
            say("Go to the previous event (Left); of the followed row, if there is one"),
        )
        self.play = self._button("run", say("Play"), say("Play (Space)"))
        self.next = self._button(
            "next",
            say("Next event"),
            say("Go to the next event (Right); of the followed row, if there is one"),
        )
        self.loop = self._button("loop", say("Loop"), say("Start over at the end"))
        self.panel = self._button(
            "panel",
            say("Source"),
            say("Show the kernel's source and what is followed beside the animation (K)"),
        )
        self.moment = self._button(
            "moment",
            say("This moment as SVG"),
            say("Save the picture as it is now, with its provenance"),
        )
        film = say("Save a stretch of the animation as GIF or MP4")
        self.film = self._button("film", say("Film"), film)
        dw = say("Show the sums for dw, the gradient of the weight")
        db = say("Show the sums for db, the gradient of the bias")
        self.results = Segments(
            {"dw": ("dw", dw, say("Numbers of dw")), "db": ("db", db, say("Numbers of db"))}
        )
        for button in (self.play, self.loop, self.panel):
            button.setCheckable(True)
        across = Qt.Orientation.Horizontal
        tip = say(
            "Click or drag to any time (Home, End). Z, Shift+Z and 0 zoom rows and time in,"
            " out and to all of them"
        )
        self.scrub = self.write_on(ScrubSlider(across, self), tip=tip, name=say("Time"))
        self.scrub.setMaximum(_SCRUB_STEPS)
        self.scrub.setMinimumWidth(7 * GRID)
        tip = say("GPU time that is shown in one second (+ and −)")
        self.speed = self.write_on(QSlider(across, self), tip=tip, name=say("Speed"))
        self.speed.setRange(-_SLOWER * _STEPS_PER_DECADE, _FASTER * _STEPS_PER_DECADE)
        self.speed.setMinimumWidth(6 * GRID)
        self.speed.setMaximumWidth(12 * GRID)
        self.speed_label = Label(self)
        tip = say(
            "Row that is marked in every picture. Click a row to follow it; L follows its lock"
        )
        self.follow = self.write_on(RowField(self), tip=tip, name=say("Row to follow"))
        self.follow.setMinimum(-1)
        self.follow.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.write(self.follow.setSpecialValueText, say("all rows"))
        self.write(self.follow.setPrefix, say("row "))
        tip = say(
            "Rows in the order of their starts, of each lock, of each SM, or all together (G)"
        )
        self.grouping = self.write_on(Choice(), tip=tip, name=say("Rows grouped"))
        self.grouping.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for grouping, text in zip(
            GROUPINGS, (say("locks"), say("SMs"), say("starts")), strict=True
        ):
            self.grouping.offer(grouping, text)
        self._show_speed()
        self._lay_out()
        self._connect()

    def _button(self, name: str, text: Sentence, tip: Sentence) -> QToolButton:
        """Make a button with an icon of this name."""
        button = self.write_on(QToolButton(self), tip=tip, name=text)
        self._icons[button] = name
        return button

    def _lay_out(self) -> None:
        """Lay out the player's controls, and the rest beside or below them."""
        steps = (self.previous, self.play, self.next, self.loop)
        playing, others = QWidget(self), QWidget(self)
        lay_row(playing, *steps, self.scrub, spacing=GRID // 2).setStretch(len(steps), 1)
        chosen = (self.speed, self.speed_label, self.grouping, self.follow)
        more = (self.results, self.panel, self.moment, self.film)
        lay_row(others, *chosen, *more, spacing=GRID // 2).insertStretch(2, 0)
        self.lay_pieces(playing, others, (2 * GRID, 0, 2 * GRID, GRID // 2))

    def _connect(self) -> None:
        player, pictures = self._player, self._pictures
        player.playingChanged.connect(self._show_playing)
        player.speedChanged.connect(self._show_speed)
        self.play.toggled.connect(player.set_playing)
        self.loop.toggled.connect(lambda loop: setattr(player, "loop", loop))
        self.scrub.valueChanged.connect(
            lambda value: player.seek(value / _SCRUB_STEPS * player.end_ns)
        )
        self.speed.valueChanged.connect(
            lambda value: player.set_speed(1000 * 10 ** (value / _STEPS_PER_DECADE))
        )
        self.follow.valueChanged.connect(lambda row: pictures.follow(None if row < 0 else row))
        self.grouping.activated.connect(lambda index: pictures.group(self.grouping.itemData(index)))
        self.results.changed.connect(pictures.canvas.set_result)
        self.panel.clicked.connect(pictures.show_panel)
        pictures.panelPlaced.connect(self.panel.setChecked)
        pictures.groupingChanged.connect(self.grouping.choose)
        pictures.canvas.resized.connect(self.show_result_choice)

    def show_time(self) -> None:
        with QSignalBlocker(self.scrub):
            self.scrub.setValue(round(self._player.share * _SCRUB_STEPS))

    def _show_speed(self) -> None:
        speed = self._player.speed
        with QSignalBlocker(self.speed):
            self.speed.setValue(round(math.log10(speed / 1000) * _STEPS_PER_DECADE))
        time = time_text(speed, counted=self._counted)
        self.write_on(self.speed_label, say("{time} a second", time=time))

    def _show_playing(self) -> None:
        playing = self._player.playing
        with QSignalBlocker(self.play):
            self.play.setChecked(playing)
        self.play.setIcon(icon("pause" if playing else "run", Theme.current.text))
        self.write_on(self.play, tip=say("Pause (Space)") if playing else say("Play (Space)"))

    def show_rows(self, rows: int, followed: int | None) -> None:
        """Show which row is followed, of how many."""
        with QSignalBlocker(self.follow):
            self.follow.setMaximum(rows - 1)
            self.follow.setValue(-1 if followed is None else followed)

    def show_clock(self, *, counted: bool) -> None:
        """Show the speed as time, or as a number of events if they are only counted."""
        self._counted = counted
        self._show_speed()

    def choose_result(self, name: str) -> None:
        """Choose dw or db; another name is passed over."""
        if name in self.results.keys:
            self.results.choose(name)
            self._pictures.canvas.set_result(name)

    def show_result_choice(self) -> None:
        """Show the choice between dw and db if there are numbers, else how rows are grouped."""
        shown = self._pictures.canvas.shows_numbers
        self.results.setVisible(shown)
        self.grouping.setVisible(not shown)

    def apply_theme(self) -> None:
        self.speed_label.setMinimumWidth(with_text(15 * GRID))  # nothing moves as it changes
        for button, name in self._icons.items():
            button.setIcon(icon(name, Theme.current.text))
        self._show_playing()
