"""What became of cells and sweeps, in the language of the window."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import concerns, is_doubt
from lnexplorer.domain.request import DEFAULT_SHAPE
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.findings import PASSES, STATUS_WORDS, place_words
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.views import (
    QUANTITIES,
    SPEEDS,
    SweepTable,
    View,
    text_of,
    value_of,
)
from lnexplorer.gui.kit.translate import translate_message
from lnkernels.values.environment import KIND_NAMES, Kind

translate = QCoreApplication.translate


def cell_text(sweep: SweepRequest, result: CellResult, view: View) -> str:
    """A cell in one line: what it is, its value, or why there is none."""
    parts = [wording.provider_label(result.cell.provider), place_words(sweep, result.cell)]
    found = value_of(result, view)
    if found is not None:
        value, low, high = (text_of(each, view.quantity) for each in found)
        unit = " GB/s" if view.quantity == "gbps" else ""
        parts.append(f"{value}{unit}" + (f" ({low}–{high})" if low != high else ""))
    figure = result.figure(view.direction, view.mode)
    if figure is not None and view.quantity == "gbps":
        parts += [f"p50 {wording.milliseconds(figure.p50_ms)}"]
        parts += [
            translate("SweepWords", "{share} of ceiling").format(
                share=wording.share(figure.share_of_ceiling)
            )
        ]
    if result.status != "ok":
        parts.append(
            f"{translate_message(STATUS_WORDS[result.status])}: {translate_message(result.reason)}"
        )
    elif found is None and result.reason:
        parts.append(translate_message(result.reason))
    notes = [
        note
        for note in result.notes
        if is_doubt(note) and concerns(note, (view.direction,), view.mode)
    ]
    parts += map(translate_message, notes[:1])
    return " · ".join(part for part in parts if part)


def problem_text(table: SweepTable) -> str:
    """What of the problem is the same for every row."""
    base, varied = table.sweep.base, {axis.name for axis in table.sweep.axes}
    usual = dict(zip(("m", "n"), _default_shape(table), strict=True))
    sizes = [
        f"{name.upper()} = {getattr(base, name) or usual[name]}"
        for name in usual
        if name not in varied
    ]
    return ", ".join([*sizes, *([] if "dtype" in varied else [base.dtype])])


def view_text(view: View) -> str:
    """The pass, what is read off it, and how it was called where that matters."""
    timed = [wording.WAYS[view.mode]] if view.quantity in SPEEDS else []
    return " · ".join(
        map(translate_message, (PASSES[view.direction,], QUANTITIES[view.quantity], *timed))
    )


def caption_lines(
    table: SweepTable, view: View, beside: Sequence[Overlay] = (), whose: str = ""
) -> tuple[str, ...]:
    """What stands below a picture: which pass, how it was called, what was swept, on what and when.

    Args:
        table: the sweep.
        view: what is looked at.
        beside: figures from elsewhere on the picture.
        whose: strategy or peer, where the picture is of one alone.
    """
    kinds = ", ".join(translate_message(KIND_NAMES[kind]) for kind in table.kinds)
    dates = sorted({result.environment.date for result in table.results.values()})
    when = f" · {dates[-1]}" if dates else ""
    where = f"{kinds} · {', '.join(table.hardware)}{when}" if table.results else ""
    sources = [overlay_text(overlay) for overlay in beside]  # of a benchmark, M, dtype and device
    shown = " · ".join(filter(None, (whose, view_text(view))))
    lines = (shown, *dict.fromkeys(sources), where)
    return (*filter(None, lines), f"lnexplorer sweep {sweep_command(table.sweep)}")


def source_text(overlay: Overlay, beside: Sequence[Overlay], table: SweepTable, view: View) -> str:
    """Whose figures these are, as briefly as it can be said, and of what problem and called how
    where that is another.
    """
    kind, base = translate_message(KIND_NAMES[overlay.kind]), table.sweep.base
    own_problem = f"M = {base.m or _default_shape(table)[0]}, {base.dtype}"
    autograd = translate("SweepWords", "autograd")
    called = (
        f"{autograd}, {kind}" if overlay.differs(view.mode) and overlay.mode == "autograd" else kind
    )
    parts = [] if overlay.problem == own_problem else [overlay.problem]
    if len(beside) > 1:
        parts = [translate_message(overlay.title), *parts]
    return f"{', '.join(parts)} ({called})" if parts else called


def overlay_text(overlay: Overlay) -> str:
    """Figures that can be laid beside a sweep, in full but for pass and way of calling, which are
    those on show.
    """
    return " · ".join(
        (
            translate_message(overlay.title),
            overlay.problem,
            translate_message(KIND_NAMES[overlay.kind]),
        )
    )


def ending_text(how: str, sentence: str, wall_seconds: float) -> str:
    texts = {
        "finished": translate("SweepWords", "Finished in {time}."),
        "cancelled": translate("SweepWords", "Cancelled; the rows so far are kept."),
        "failed": translate("SweepWords", "It failed; the rows so far are kept."),
    }
    return " ".join(
        filter(
            None,
            (texts[how].format(time=translate_message(wording.duration(wall_seconds))), sentence),
        )
    )


def _default_shape(table: SweepTable) -> tuple[int, int]:
    """M and N where the sweep leaves them open: they depend on what ran it."""
    return DEFAULT_SHAPE["interpreter" if Kind.INTERPRETED in table.kinds else "cuda"]
