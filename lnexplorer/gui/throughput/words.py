"""What the chart's legend and its readout say."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.peers import in_order
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.legend import LegendEntry
from lnexplorer.gui.charts.shades import shade, symbol
from lnexplorer.gui.charts.throughput_chart import STYLES, groups, provider_colour
from lnexplorer.gui.charts.throughput_points import Group, Point, spread
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.shell.theme import Theme
from lnexplorer.gui.throughput.runs import Run

MOST_SHAPES = 4  # that are named below a picture


class ThroughputWords:
    """Words about points of the chart."""

    def tr(self, text: str) -> str:
        """In the language of the window."""
        return QCoreApplication.translate("ThroughputWords", text)

    def directions(self) -> dict[str, str]:
        """What the passes are called."""
        return {"forward": self.tr("forward"), "backward": self.tr("backward")}

    def legend(self, drawn: list[Point], theme: Theme, *, by_n: bool = False) -> tuple[LegendEntry, ...]:
        """Whose a colour is, the runs' strategies first, and on what GPU; which pass a dash means; the ceiling."""
        own = {point.provider for point in drawn if not point.peer}
        others = {point.provider for point in drawn} - own
        within = groups(drawn, by_n=by_n)
        there = {(point.provider, point.group(by_n=by_n)) for point in drawn}
        directions = [direction for direction in STYLES if any(point.direction == direction for point in drawn)]
        several, words = len(within) > 1, self.directions()
        entries = [
            LegendEntry(
                " · ".join((provider_label(name), *_group_words(group, within))),
                shade(provider_colour(name), place, theme).name(),
                symbol=symbol(directions[0], place) if several else "",
            )
            for name in (*sorted(own), *in_order(others))
            for place, group in enumerate(within)
            if (name, group) in there
        ]
        entries += [
            # The symbols of a pass are others in each group: there the dashes alone say which pass it is.
            LegendEntry(words[direction], theme.text, STYLES[direction][0], "" if several else STYLES[direction][1])
            for direction in directions
        ]
        below = {point.group(by_n=by_n) for point in drawn if point.ceiling is not None}
        entries += [
            LegendEntry(" · ".join((self.tr("ceiling"), *_group_words(group, within))), shade(theme.muted, place, theme).name())
            for place, group in enumerate(within)
            if group in below
        ]
        return tuple(entries)

    def sources(self, runs: list[Run]) -> tuple[str, ...]:
        """Where the runs on a picture come from: a line for each kind, device and set of versions, then the problems."""
        if not runs:
            return ()
        places: dict[str, list[Run]] = {}
        for run in runs:
            environment = run.environment
            versions = [f"torch {environment.torch}", f"triton {environment.triton}"] if environment is not None else []
            if environment is not None and environment.driver:
                versions.append(self.tr("driver {version}").format(version=environment.driver))
            place = " · ".join((domain_text(run.kind.value), run.device or "?", *versions))
            places.setdefault(place, []).append(run)
        lines = []
        for place, members in places.items():
            dates = sorted(run.date for run in members if run.date)
            when = dates[-1:] if len({date[:10] for date in dates}) < 2 else [f"{dates[0][:10]} – {dates[-1][:10]}"]
            text = self.tr("runs {runs}") if len(members) > 1 else self.tr("run {runs}")
            numbers = str(members[0].number) if len(members) == 1 else f"{members[0].number}–{members[-1].number}"
            which = [text.format(runs=numbers)] if len(places) > 1 and _is_row(members) else []
            lines.append(" · ".join((place, *when, *which)))
        shapes = dict.fromkeys(wording.shape(run.resolved.m, run.resolved.n, run.resolved.dtype) for run in runs)
        shown = list(shapes) if len(shapes) <= MOST_SHAPES else [*list(shapes)[:MOST_SHAPES], "…"]
        strategies = ", ".join(dict.fromkeys(run.strategy for run in runs))
        return (*lines, f"{', '.join(shown)} · {strategies}")

    def point(self, point: Point, on: str = "") -> str:
        """Everything about the point under the cursor, what matters most first; on which GPU, where that is given."""
        text = self.tr(
            "run {run} · {shape} · {provider} {direction} · {gbps} GB/s ({low}–{high}) · p50 {p50}"
            " · {share} of the ceiling's {ceiling} GB/s · {counted} GB/s of counted bytes"
        )
        low, high = spread(point.figure)
        return text.format(
            run=point.run if not on else f"{point.run} · {on}",
            shape=wording.shape(*point.shape),
            provider=provider_label(point.provider),
            direction=self.directions()[point.direction],
            gbps=wording.gbps(point.figure.gbps),
            low=wording.gbps(low),
            high=wording.gbps(high),
            p50=wording.milliseconds(point.figure.p50_ms),
            share=wording.share(point.figure.share_of_ceiling),
            ceiling=wording.gbps(point.ceiling),
            counted=wording.gbps(point.figure.counted_gbps),
        )


def _group_words(group: Group, within: list[Group]) -> list[str]:
    """What of a group is not the same for all: the GPU, the problem."""
    return [part or "?" for part, every in zip(group, zip(*within, strict=True), strict=True) if len(set(every)) > 1]


def _is_row(runs: list[Run]) -> bool:
    """Whether they follow each other, so that the first and the last name them all."""
    return runs[-1].number - runs[0].number == len(runs) - 1
