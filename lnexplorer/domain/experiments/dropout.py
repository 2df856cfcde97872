"""Dropout with a mask that a seed makes, beside one that is stored."""

from collections.abc import Iterator

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    NO_TIMES,
    Experiment,
    ExperimentResult,
    Findings,
    Table,
)
from lnexplorer.domain.panels import PanelPicture, Text, bar_picture, bytes_panel, time_panel
from lnexplorer.domain.request import RunRequest
from lnkernels.values import Sentence, frozen_by_name, say

WAYS = {
    "seed": say("dropout, seed"),
    "stored": say("dropout, mask"),
    "fused": say("fused, seed"),
    "sequence": say("in steps, mask"),
}


@frozen_by_name
class DropoutRow:
    """A way of dropout: alone, or with the addition and norm behind it."""

    way: str  # of WAYS
    forward_bytes: int  # that the pass has to move at least
    backward_bytes: int
    mask_bytes: int  # kept from the forward to the backward pass
    forward_ms: float | None  # median, kernels alone, cold L2
    backward_ms: float | None


@frozen_by_name
class Dropouts(Findings):
    """Properties of a mask from a seed, and the ways beside each other."""

    experiment: str = "dropout"
    p: float  # probability of a zero
    elements: int
    zeros: int
    fewest: int  # zeros that 99.9 of 100 masks of independent elements have, at least
    most: int  # and at most
    blocks: tuple[int, int]  # elements a program, of two masks from the same seed
    alike: bool  # these two, bit for bit
    alike_fused: bool  # and that of the fused kernel
    correlations: tuple[float, ...]  # of the mask with those of the seeds that follow
    uncorrelated: float  # below which 99.9 of 100 independent masks are, without sign
    rows: tuple[DropoutRow, ...]

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        rows = {row.way: row for row in self.rows}
        parts: list[Sentence] = []
        alone = _speeds(rows["seed"], rows["stored"])
        if alone:
            parts.append(
                say(
                    "Dropout with its mask from a seed: {forward} PyTorch's speed forward,"
                    " {backward} backward.",
                    **alone,
                )
            )
        fused = _speeds(rows["fused"], rows["sequence"])
        if fused:
            parts.append(
                say(
                    "Fused with addition and norm: {forward} the speed of PyTorch's three steps"
                    " forward, {backward} backward.",
                    **fused,
                )
            )
        saved = say("No mask is kept: that saves {bytes}.", bytes=wording.bytes_text(self.elements))
        small, large = self.blocks
        masks = say(
            "Programs of {small} and of {large} elements, or the fused kernel, made other masks.",
            small=small,
            large=large,
        )
        if self.alike and self.alike_fused:
            masks = say(
                "Programs of {small} and of {large} elements and the fused kernel made the same"
                " mask, bit for bit.",
                small=small,
                large=large,
            )
        zeros = say(
            "{zeros:,} of {elements:,} elements are 0, {share} with p = {p}; by chance it would be"
            " {fewest:,} to {most:,} (99.9 %).",
            zeros=self.zeros,
            elements=self.elements,
            share=wording.percent(self.zeros / max(self.elements, 1)),
            p=f"{self.p:g}",
            fewest=self.fewest,
            most=self.most,
        )
        neighbours = say(
            "The masks of the next {count} seeds correlate with it by {largest} at most, by chance"
            " below {bound} (99.9 %).",
            count=len(self.correlations),
            largest=wording.error(max(map(abs, self.correlations), default=0.0)),
            bound=wording.error(self.uncorrelated),
        )
        return [*(parts or [NO_TIMES]), saved, masks, zeros, neighbours]

    def table(self, result: ExperimentResult) -> Table:
        """Return times, and GB/s of the bytes that the way without a stored mask moves.

        So speeds compare as times do.
        """
        least = {row.way: row for row in self.rows}
        titles: list[Text] = [say("way"), say("forward ms"), "GB/s", say("backward ms"), "GB/s"]
        titles += [say("forward bytes"), say("backward bytes"), say("mask")]
        lines = [titles]
        for row in self.rows:
            useful = least["seed" if row.way in ("seed", "stored") else "fused"]
            line: list[Text] = [WAYS[row.way]]
            for ms, moved in (
                (row.forward_ms, useful.forward_bytes),
                (row.backward_ms, useful.backward_bytes),
            ):
                line += [wording.figure(ms), wording.figure(moved / ms * 1e-6 if ms else None)]
            sizes = (row.forward_bytes, row.backward_bytes, row.mask_bytes)
            lines.append([*line, *map(wording.bytes_text, sizes)])
        return lines

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        rows = self.rows
        colours = ["orange" if row.way in ("seed", "fused") else "sky" for row in rows]
        moved = [row.forward_bytes + row.backward_bytes for row in rows]
        panels = (
            time_panel(say("forward pass, ms"), [row.forward_ms for row in rows], colours),
            time_panel(say("backward pass, ms"), [row.backward_ms for row in rows], colours),
            bytes_panel(say("bytes of both passes"), moved, colours),
            bytes_panel(say("mask in memory"), [row.mask_bytes for row in rows], colours),
        )
        return (bar_picture(panels, [WAYS[row.way] for row in rows], columns=2),)

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        ways = [row.way for row in self.rows]
        if ways != list(WAYS):
            yield say("its ways of dropout are {ways}", ways=", ".join(ways)[:80] or say("none"))


def _speeds(one: DropoutRow, other: DropoutRow) -> dict[str, str]:
    """Return how many times as fast `one` is in each pass; nothing where times are not known."""
    if not (one.forward_ms and one.backward_ms and other.forward_ms and other.backward_ms):
        return {}
    return {
        "forward": wording.ratio(other.forward_ms / one.forward_ms),
        "backward": wording.ratio(other.backward_ms / one.backward_ms),
    }


DROPOUT = Experiment(
    name="dropout",
    title=say("A seed instead of a mask"),
    question=say("What does it save to compute dropout's mask again instead of storing it?"),
    findings=Dropouts,
    problems={"cuda": RunRequest(m=8192, n=4096), "interpreter": RunRequest(m=16, n=64)},
    runs={"cuda": 16, "interpreter": 4},  # seeds that follow
    least_runs=2,
)
