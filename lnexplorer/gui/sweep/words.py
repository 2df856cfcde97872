"""What became of cells and sweeps, in the language of the window."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.request import DEFAULT_SHAPE
from lnexplorer.domain.restless import narrowed
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Crossing
from lnexplorer.domain.sweep.findings import STATUS_WORDS, best_findings, crossing_sentence, doubt_sentences, place_words
from lnexplorer.domain.sweep.request import sweep_command
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.i18n.doubts import doubt, is_doubt
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.sweep.best_turns import BestTurns
from lnexplorer.gui.sweep.model import SweepModel
from lnexplorer.gui.sweep.overlays import Overlay
from lnexplorer.gui.sweep.values import text_of, value_of
from lnkernels.sentence import say

MOST_BESTS = 2  # whose rivals are named
MOST_RUNS = 6  # along an axis, that are told


class SweepWords:
    """Sentences about one sweep."""

    def __init__(self) -> None:
        self._turns = BestTurns()

    def tr(self, text: str) -> str:
        """In the language of the window."""
        return QCoreApplication.translate("SweepWords", text)

    def statuses(self) -> dict[str, str]:
        """A short word for each status, for the cells of a map."""
        return {status: translate_message(word) for status, word in STATUS_WORDS.items()}

    def quantities(self) -> dict[str, str]:
        """What each quantity is called on an axis."""
        return {
            "gbps": "GB/s",
            "share": self.tr("share of ceiling"),
            "error": self.tr("largest error"),
            "wait": self.tr("mean wait of a row for its lock, µs"),
            "registers": self.tr("registers a thread"),
            "occupancy": self.tr("occupancy"),
        }

    def cell(self, model: SweepModel, result: CellResult) -> str:
        """A cell in one line: what it is, its value, or why there is none."""
        parts = [provider_label(result.cell.provider), place_words(model.sweep, result.cell)]
        found = value_of(result, model.view)
        if found is not None:
            value, low, high = (text_of(each, model.view.quantity) for each in found)
            unit = " GB/s" if model.view.quantity == "gbps" else ""
            parts.append(f"{value}{unit}" + (f" ({low}–{high})" if low != high else ""))
        figure = result.figure(model.view.direction, model.view.mode)
        if figure is not None and model.view.quantity == "gbps":
            parts += [f"p50 {wording.milliseconds(figure.p50_ms)}"]
            parts += [self.tr("{share} of ceiling").format(share=wording.share(figure.share_of_ceiling))]
        if result.status != "ok":
            parts.append(f"{self.statuses()[result.status]}: {told(result.reason)}")
        elif found is None and result.reason:
            parts.append(told(result.reason))
        notes = [narrowed(note, (model.view.direction,), model.view.mode) for note in result.notes]
        parts += [doubt(note) for note in notes if is_doubt(note)][:1]
        return " · ".join(part for part in parts if part)

    def doubts(self, model: SweepModel) -> list[str]:
        """What makes the figures on show doubtful, of how many rows each."""
        said = doubt_sentences(model.doubts(), model.timed, (model.view.direction,), model.view.mode)
        return [
            translate_message(
                say(sentence.template, **{**dict(sentence.values), "sentence": doubt(str(dict(sentence.values)["sentence"]))})
            )
            for sentence in said
        ]

    def ways(self) -> dict[str, str]:
        """How a setting was called and timed."""
        return {
            "kernel_cold": self.tr("kernels alone, cold L2"),
            "kernel_warm": self.tr("kernels alone, warm L2"),
            "autograd": self.tr("through autograd"),
        }

    def looked_at(self, model: SweepModel) -> str:
        """The pass, what is read off it, and how it was called where that matters."""
        view = model.view
        passes = {"forward": self.tr("forward pass"), "backward": self.tr("backward pass")}
        timed = [self.ways()[view.mode]] if view.quantity in {"gbps", "share"} else []
        return " · ".join((passes[view.direction], self.quantities()[view.quantity], *timed))

    def caption(self, model: SweepModel, beside: Sequence[Overlay] = (), whose: str = "") -> tuple[str, ...]:
        """What stands below a picture: which pass, how it was called, what was swept, on what and when.

        Args:
            model: the sweep.
            beside: figures from elsewhere on the picture.
            whose: strategy or peer, where the picture is of one alone.
        """
        kinds = ", ".join(domain_text(kind.value) for kind in model.kinds)
        dates = sorted({result.environment.date for result in model.results.values()})
        when = f" · {dates[-1]}" if dates else ""
        where = f"{kinds} · {', '.join(model.hardware)}{when}"
        shown = " · ".join(filter(None, (whose, self.looked_at(model))))
        return (shown, *self.beside(model, beside), where, f"lnexplorer sweep {sweep_command(model.sweep)}")

    def where(self, overlay: Overlay, beside: Sequence[Overlay], model: SweepModel) -> str:
        """Whose figures these are, as briefly as it can be said, and of what problem and called how where that is another."""
        kind, base = domain_text(overlay.kind.value), model.sweep.base
        own_problem = f"M = {base.m or DEFAULT_SHAPE['cuda'][0]}, {base.dtype}"
        autograd = self.tr("autograd")
        called = f"{autograd}, {kind}" if overlay.differs(model.view) and overlay.mode == "autograd" else kind
        parts = [] if overlay.problem == own_problem else [overlay.problem]
        if len(beside) > 1:
            alike = [each for each in beside if each.brief and (each.brief, each.problem) == (overlay.brief, overlay.problem)]
            parts = [self._editions().get(overlay.brief, overlay.brief or overlay.title), *parts]
            parts += [self._sources()[overlay.source]] if len(alike) > 1 and overlay.source else []
        return f"{', '.join(parts)} ({called})" if parts else called

    def offered(self, overlay: Overlay) -> str:
        """Figures that can be laid beside a sweep, in full but for pass and way of calling, which are those on show."""
        source = self._sources()[overlay.source] if overlay.source else ""
        name = overlay.brief if overlay.source else overlay.title
        return " · ".join(filter(None, (name, source, overlay.problem, domain_text(overlay.kind.value))))

    def _editions(self) -> dict[str, str]:
        return {"English edition": self.tr("English edition"), "Chinese edition": self.tr("Chinese edition")}

    def _sources(self) -> dict[str, str]:
        return {"benchmark": self.tr("benchmark"), "sweep": self.tr("sweep")}

    def beside(self, model: SweepModel, beside: Sequence[Overlay]) -> list[str]:
        """That figures beside the curves were called in another way, where they were."""
        others = list(dict.fromkeys(overlay.mode for overlay in beside if overlay.differs(model.view)))
        text = self.tr("The published figures are {other}; the curves of this sweep are {own}.")
        return [text.format(other=self.ways()[mode], own=self.ways()[model.view.mode]) for mode in others if mode is not None]

    def bests(self, model: SweepModel) -> list[str]:
        """What is best: in full where the problems are few, else from where to where along the axis each setting is."""
        found = model.bests()
        among = found if len(found) <= MOST_BESTS else self._turns.among(model.sweep, found)
        return [
            translate_message(each.sentence)
            for each in best_findings(model.sweep, among, most=MOST_BESTS if among is found else 0, most_runs=MOST_RUNS)
        ]

    def best_so_far(self, model: SweepModel, hardware: str) -> str:
        """The line of a search that rises with each better setting."""
        several = len(model.hardware) > 1
        words = self.tr("best so far, by the time of both passes") if len(model.sweep.directions) > 1 else self.tr("best so far")
        return f"{words} · {hardware}" if several else words

    def crossing(self, model: SweepModel, crossing: Crossing) -> str:
        """Where one curve overtakes another."""
        return translate_message(crossing_sentence(model.sweep, crossing))

    def duration(self, seconds: float) -> str:
        """How long, roughly."""
        if seconds < 90:
            return self.tr("{seconds} s").format(seconds=max(round(seconds), 1))
        minutes = round(seconds / 60)
        if minutes < 90:
            return self.tr("{minutes} min").format(minutes=minutes)
        return self.tr("{hours} h {minutes} min").format(hours=minutes // 60, minutes=minutes % 60)

    def ending(self, how: str, sentence: str, wall_seconds: float) -> str:
        """How a sweep ended."""
        texts = {
            "finished": self.tr("Finished in {time}."),
            "cancelled": self.tr("Cancelled; the rows so far are kept."),
            "failed": self.tr("It failed; the rows so far are kept."),
        }
        return " ".join(filter(None, (texts[how].format(time=self.duration(wall_seconds)), sentence)))
