"""What became of cells and sweeps, in the language of the window."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import LEAST_SAMPLES
from lnexplorer.domain.sweep.best import Best
from lnexplorer.domain.sweep.result import CellResult
from lnexplorer.gui.i18n.doubts import doubt, is_doubt
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.panes.sweep_parts.model import SweepModel
from lnexplorer.gui.panes.sweep_parts.values import text_of, value_of
from lnexplorer.gui.plots.throughput_chart import provider_label

MOST_DOUBTS = 2  # that are told of a whole sweep


class SweepWords:
    """Sentences about one sweep."""

    def tr(self, text: str) -> str:
        """In the language of the window."""
        return QCoreApplication.translate("SweepWords", text)

    def statuses(self) -> dict[str, str]:
        """A short word for each status, for the cells of a map."""
        return {
            "ok": self.tr("right"),
            "incorrect": self.tr("wrong"),
            "invalid": self.tr("refused"),
            "out_of_resources": self.tr("no room"),
            "timed_out": self.tr("too long"),
            "failed": self.tr("failed"),
        }

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
        parts = [provider_label(result.cell.provider), model.place_words(result)]
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
        parts += [doubt(note) for note in result.notes if is_doubt(note)][:1]
        return " · ".join(part for part in parts if part)

    def doubts(self, model: SweepModel) -> list[str]:
        """What makes the figures on show doubtful, of how many rows each; what is rarer stands at the rows alone."""
        total = sum(bool(result.figures) for result in model.results.values())
        text = self.tr("{sentence} (rows: {count} of {total})")
        found = [(sentence, count) for sentence, count in model.doubts() if is_doubt(sentence)]
        said = [text.format(sentence=doubt(sentence), count=count, total=total) for sentence, count in found[:MOST_DOUBTS]]
        return said + ([self.tr("Others stand at their rows.")] if len(found) > MOST_DOUBTS else [])

    def best(self, model: SweepModel, found: Best) -> str:
        """The best setting, and how sure it is."""
        name = f"{provider_label(found.result.cell.provider)}, {model.place_words(found.result)}"
        time = wording.milliseconds(found.time_ms.value)
        if found.next is None or found.advantage is None:
            return self.tr("Best: {setting}, {time}; nothing else was right there.").format(setting=name, time=time)
        # Of a search the trial says enough: all that it chose would be a line of its own.
        place = f"#{found.next.cell.number + 1}" if model.sweep.search else model.place_words(found.next)
        other = f"{provider_label(found.next.cell.provider)}, {place}"
        if not found.advantage.is_known:
            text = self.tr(
                "Best, but not surely: {setting}, {time}; fewer than {least} times say nothing about how far {other} is."
            )
            return text.format(setting=name, time=time, least=LEAST_SAMPLES, other=other)
        if not found.sure:
            text = self.tr("Best, but not surely: {setting}, {time}; its interval overlaps that of {other}.")
            return text.format(setting=name, time=time, other=other)
        low, high = (f"{100 * (ratio - 1):.1f}" for ratio in (found.advantage.low, found.advantage.high))
        text = self.tr("Best: {setting}, {time}; surely faster than {other}, by {low} to {high} %.")
        return text.format(setting=name, time=time, other=other, low=low, high=high)

    def best_so_far(self, model: SweepModel, hardware: str) -> str:
        """The line of a search that rises with each better setting."""
        several = len(model.hardware) > 1
        words = self.tr("best so far, by the time of both passes") if len(model.sweep.directions) > 1 else self.tr("best so far")
        return f"{words} · {hardware}" if several else words

    def crossing(self, x: float, before: str, after: str, axis: str) -> str:
        """Where one curve overtakes another."""
        text = self.tr("{after} overtakes {before} at {axis} = {x}")
        return text.format(after=provider_label(after), before=provider_label(before), axis=axis, x=f"{x:.0f}")

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
