"""What the chart's legend and its readout say."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.peers import in_order
from lnexplorer.gui.plots.legend import LegendEntry
from lnexplorer.gui.plots.throughput_chart import STYLES, Point, provider_colour, provider_label, spread
from lnexplorer.gui.theme import Theme


class ThroughputWords:
    """Words about points of the chart."""

    def tr(self, text: str) -> str:
        """In the language of the window."""
        return QCoreApplication.translate("ThroughputWords", text)

    def directions(self) -> dict[str, str]:
        """What the passes are called."""
        return {"forward": self.tr("forward"), "backward": self.tr("backward")}

    def legend(self, drawn: list[Point], theme: Theme) -> tuple[LegendEntry, ...]:
        """Whose a colour is, the runs' strategies first; which pass a dash and a symbol mean; the ceiling."""
        own = {point.provider for point in drawn if not point.peer}
        others = {point.provider for point in drawn} - own
        entries = [LegendEntry(provider_label(name), provider_colour(name)) for name in (*sorted(own), *in_order(others))]
        directions = {point.direction for point in drawn}
        words = self.directions()
        entries += [
            LegendEntry(words[direction], theme.text, *STYLES[direction]) for direction in STYLES if direction in directions
        ]
        if any(point.ceiling is not None for point in drawn):
            entries.append(LegendEntry(self.tr("ceiling"), theme.muted))
        return tuple(entries)

    def point(self, point: Point) -> str:
        """Everything about the point under the cursor, what matters most first."""
        text = self.tr(
            "run {run} · {shape} · {provider} {direction} · {gbps} GB/s ({low}–{high}) · p50 {p50}"
            " · {share} of the ceiling's {ceiling} GB/s · {counted} GB/s of counted bytes"
        )
        low, high = spread(point.figure)
        return text.format(
            run=point.run,
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
