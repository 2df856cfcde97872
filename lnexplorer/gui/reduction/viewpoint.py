"""How the timeline on show is looked at: taken down for a file, and taken again when that timeline is on show."""

from collections.abc import Callable

from lnexplorer.domain.simulation import ScheduleModel
from lnexplorer.domain.views import ReductionView
from lnexplorer.gui.reduction.canvas import Canvas
from lnexplorer.gui.reduction.comparison import Comparison
from lnexplorer.gui.reduction.player import Player
from lnexplorer.gui.reduction.transport import Transport
from lnkernels.values.timeline import ReductionTimeline


class Viewpoint:
    """Reads the parts of the pane, and sets them.

    Args:
        canvas: the picture.
        player: the time.
        transport: whose buttons say which result is shown.
        comparison: the model beside the timeline.
        follow: marks a row or a lock everywhere.
    """

    def __init__(
        self,
        canvas: Canvas,
        player: Player,
        transport: Transport,
        comparison: Comparison,
        follow: Callable[[int | None, int | None], None],
    ) -> None:
        self._canvas, self._player, self._transport, self._comparison = canvas, player, transport, comparison
        self._follow = follow
        self._wished: tuple[ReductionTimeline, ReductionView] | None = None
        self._awaited: ReductionView | None = None  # whose model is on its way
        comparison.modelChanged.connect(self._on_model)  # after the pane's own slot, which sets the time axis

    def view(self, model: ScheduleModel | None) -> ReductionView:
        """As it is now.

        Args:
            model: what the timeline was simulated with.
        """
        scene = self._canvas.scene
        if scene is None:
            return ReductionView(model=model)
        scale = scene.indexed().scale
        stretch = (scale.true(scene.begin_ns), scale.true(scene.end_ns)) if self._canvas.zoomed else None
        return ReductionView(
            time_ns=float(self._player.time_ns),
            stretch_ns=stretch,
            row=scene.followed,
            lock=scene.followed_lock,
            result=scene.result,
            model=model,
            fitted=self._comparison.fitted,
        )

    def wish(self, timeline: ReductionTimeline, view: ReductionView) -> None:
        """Look at a timeline so whenever it is shown from now on; at another one nothing changes."""
        self._wished = (timeline, view)

    def model_of(self, timeline: ReductionTimeline) -> ScheduleModel | None:
        """What a wished timeline was simulated with."""
        return self._wished[1].model if self._wished is not None and self._wished[0] is timeline else None

    def take(self, timeline: ReductionTimeline) -> None:
        """A timeline is on show."""
        self._awaited = None
        if self._wished is None or self._wished[0] is not timeline:
            return
        view = self._wished[1]
        self._follow(_within(view.row, timeline.m), _within(view.lock, timeline.group_size_m))
        if view.result in self._transport.results:
            self._transport.results[view.result].setChecked(True)
            self._canvas.set_result(view.result)
        self._look(view)
        if view.fitted is not None:
            self._awaited = view
            self._comparison.show_fitted(view.fitted)

    def _on_model(self, model: object) -> None:
        """The model that was wished stands beside the timeline: the time axis may be longer now."""
        if model is not None and self._awaited is not None:
            self._look(self._awaited)
            self._awaited = None

    def _look(self, view: ReductionView) -> None:
        if view.stretch_ns is not None:
            self._canvas.set_stretch(*view.stretch_ns)
        self._player.seek(view.time_ns)


def _within(place: int | None, count: int) -> int | None:
    """A row or lock that was followed, where there is such a one: a file may name any."""
    return place if place is not None and 0 <= place < count else None
