"""Sentences about the rows of a sweep, and what stands below its pictures."""

from collections.abc import Iterator, Sequence

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import concerns, is_doubt
from lnexplorer.domain.request import DEFAULT_SHAPE
from lnexplorer.domain.sweep.best import Best
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Crossing, Overlay
from lnexplorer.domain.sweep.findings import (
    PASSES,
    STATUS_WORDS,
    best_findings,
    count_sentence,
    crossing_sentence,
    place_words,
)
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.views import QUANTITIES, SPEEDS, SweepTable, View, text_of, value_of
from lnexplorer.gui.kit.translate import translate_message
from lnkernels.values.environment import KIND_NAMES, Kind
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

MOST_BESTS = 2  # whose rivals are named
MOST_RUNS = 6  # along an axis, that are named
MOST_CROSSINGS = 3  # that are named
ENDINGS = {
    "cancelled": say("Cancelled; the rows so far are kept."),
    "failed": say("It failed; the rows so far are kept."),
}


def joined(parts: Sequence[Sentence | str], between: str = " · ") -> Sentence:
    known = [verbatim(part) if isinstance(part, str) else part for part in parts if part]
    return join_sentences(known, verbatim(between))


def cell_text(sweep: SweepRequest, result: CellResult, view: View) -> Sentence:
    """Return a cell in one line: its setting, and its value or why there is none."""
    parts: list[Sentence | str] = [
        wording.provider_label(result.cell.provider),
        place_words(sweep, result.cell),
    ]
    found = value_of(result, view)
    if found is not None:
        value, low, high = (text_of(each, view.quantity) for each in found)
        unit = " GB/s" if view.quantity == "gbps" else ""
        parts.append(f"{value}{unit}" + (f" ({low}–{high})" if low != high else ""))
    figure = result.figure(view.direction, view.mode)
    if figure is not None and view.quantity == "gbps":
        parts.append(f"p50 {wording.milliseconds(figure.p50_ms)}")
        parts.append(say("{share} of ceiling", share=wording.share(figure.share_of_ceiling)))
    if result.status != "ok":
        reason = result.reason or ""
        parts.append(say("{status}: {reason}", status=STATUS_WORDS[result.status], reason=reason))
    elif found is None and result.reason:
        parts.append(result.reason)
    way = (view.direction,), view.mode
    parts += [note for note in result.notes if is_doubt(note) and concerns(note, *way)][:1]
    return joined(parts)


def remarks(
    table: SweepTable, view: View, bests: Sequence[Best], crossings: Sequence[Crossing]
) -> Iterator[Sentence]:
    """Yield what is said below a picture: settings without a value, what is best, what overtakes.

    Args:
        table: the rows.
        view: what is looked at.
        bests: of the view.
        crossings: of the view, between values of the axis.
    """
    if table.statuses.total() > table.statuses["ok"]:
        first = next(result for result in table.results.values() if result.status != "ok")
        yield joined((count_sentence(table.statuses), cell_text(table.sweep, first, view)), " ")
    compiled = view.quantity in {"registers", "occupancy"}
    known = any(result.compiled for result in table.results.values()) if compiled else True
    if Kind.INTERPRETED in table.kinds and not known:
        yield say(
            "On the interpreter a sweep has no registers and no occupancy: look at a single run, or"
            " sweep on a GPU."
        )
    if view.quantity in SPEEDS:
        for finding in best_findings(table.sweep, bests, most=MOST_BESTS, most_runs=MOST_RUNS):
            yield finding.sentence
        for crossing in crossings[:MOST_CROSSINGS]:
            sentence = crossing_sentence(table.sweep, crossing)
            several = len(table.hardware) > 1
            yield joined((crossing.hardware, sentence), ": ") if several else sentence


def problem_text(table: SweepTable) -> str:
    """Return what of the problem is the same for every row."""
    base, varied = table.sweep.base, {axis.name for axis in table.sweep.axes}
    usual = dict(zip(("m", "n"), _default_shape(table), strict=True))
    sizes = [
        f"{name.upper()} = {getattr(base, name) or usual[name]}"
        for name in usual
        if name not in varied
    ]
    return ", ".join([*sizes, *([] if "dtype" in varied else [base.dtype])])


def caption_lines(
    table: SweepTable, view: View, beside: Sequence[Overlay] = (), whose: str = ""
) -> tuple[str, ...]:
    """Return the lines below a picture: the view, figures beside it, the device, and the sweep.

    Args:
        table: the rows.
        view: what is looked at.
        beside: figures from elsewhere on the picture.
        whose: strategy or peer, where the picture is of one alone.
    """
    timed = [wording.WAYS[view.mode]] if view.quantity in SPEEDS else []
    shown = joined([whose, PASSES[view.direction,], QUANTITIES[view.quantity], *timed])
    sources = dict.fromkeys(map(overlay_text, beside))  # of a benchmark, M, dtype and device
    lines = [shown, *sources]
    if table.results:
        kinds = joined([KIND_NAMES[kind] for kind in table.kinds], ", ")
        date = max(result.environment.date for result in table.results.values())
        lines.append(joined([kinds, ", ".join(table.hardware), date]))
    return (*map(translate_message, lines), f"lnexplorer sweep {sweep_command(table.sweep)}")


def source_text(
    overlay: Overlay, beside: Sequence[Overlay], table: SweepTable, view: View
) -> Sentence:
    """Return where figures come from, with their problem and way of calling if these are others."""
    kind, base = KIND_NAMES[overlay.kind], table.sweep.base
    parts = []
    if overlay.problem != f"M = {base.m or _default_shape(table)[0]}, {base.dtype}":
        parts = [verbatim(overlay.problem)]
    if len(beside) > 1:
        parts = [overlay.title, *parts]
    if overlay.differs(view.mode) and overlay.mode == "autograd":
        kind = joined([say("autograd"), kind], ", ")
    return say("{source} ({kind})", source=joined(parts, ", "), kind=kind) if parts else kind


def overlay_text(overlay: Overlay) -> Sentence:
    """Return the source of figures, without pass and way of calling, which are those on show."""
    return joined((overlay.title, overlay.problem, KIND_NAMES[overlay.kind]))


def ending_text(how: str, sentence: Sentence | None, wall_seconds: float) -> Sentence:
    finished = say("Finished in {time}.", time=wording.duration(wall_seconds))
    return joined([ENDINGS.get(how, finished), sentence or ""], " ")


def _default_shape(table: SweepTable) -> tuple[int, int]:
    """Return M and N where the sweep leaves them open: they depend on what ran it."""
    return DEFAULT_SHAPE["interpreter" if Kind.INTERPRETED in table.kinds else "cuda"]
