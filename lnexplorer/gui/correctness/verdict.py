"""The verdict on a run in plain words."""

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from lnexplorer.domain import wording
from lnexplorer.gui.shell.theme import LIGHT, Theme
from lnkernels.values.accuracy import Correctness, TensorCheck


class VerdictLine(QLabel):
    """One or two sentences: whether the results are right, and where the error is largest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._correctness: Correctness | None = None
        self._repeats = 1
        self._brief = False
        self._theme = LIGHT

    def set_correctness(self, correctness: Correctness | None, repeats: int = 1) -> None:
        """Judge this run."""
        self._correctness, self._repeats = correctness, repeats
        self.retranslate()

    def set_brief(self, brief: bool) -> None:
        """Only the verdict itself, where the room is wanted for the pictures; the tooltip says the rest."""
        if brief != self._brief:
            self._brief = brief
            self.retranslate()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.retranslate()

    def retranslate(self) -> None:
        """Say it in the language of the window."""
        correctness = self._correctness
        if correctness is None or not correctness.checks:
            self.setText("")
            self.setAccessibleName("")
            return
        head = self._head(correctness)
        tail = " ".join(sentence for sentence in (self._tail(correctness), self._repeats_sentence()) if sentence)
        colour = self._theme.good if correctness.passed else self._theme.bad
        mark = "✓" if correctness.passed else "✗"
        shown = "" if self._brief and correctness.passed else tail
        self.setText(f'<span style="color:{colour}; font-weight:600">{mark}&nbsp; {head}</span> {shown}')
        told = self.tr("The verdict compares with float64, and asks no more of the kernel than of PyTorch.")
        self.setToolTip(f"{tail}\n{told}")
        self.setAccessibleName(f"{head} {tail}")

    def _head(self, correctness: Correctness) -> str:
        failed = [check.name for check in correctness.checks if not check.passed]
        if not failed:
            return self.tr("All four results are within tolerance.")
        if len(failed) == 1:
            return self.tr("{name} is beyond its tolerance.").format(name=failed[0])
        names = self.tr("{names} and {last}").format(names=", ".join(failed[:-1]), last=failed[-1])
        return self.tr("{names} are beyond their tolerance.").format(names=names)

    def _tail(self, correctness: Correctness) -> str:
        failed = [check for check in correctness.checks if not check.passed]
        worst = max(failed or correctness.checks, key=_closeness)
        sentences = []
        if math.isfinite(worst.kernel_vs_truth.max_abs):
            text = self.tr("The kernel's largest error in {name}: {kernel}, PyTorch's: {torch}.")
            sentences.append(
                text.format(
                    name=worst.name,
                    kernel=wording.error(worst.kernel_vs_truth.max_abs),
                    torch=wording.error(worst.torch_vs_truth.max_abs),
                )
            )
        misplaced = {check.name: check.kernel_vs_truth.misplaced for check in failed if check.kernel_vs_truth.misplaced}
        if misplaced:
            counts = ", ".join(f"{name} {count}" for name, count in misplaced.items())
            text = self.tr("Elements that are NaN or infinite where the truth is not, or the reverse: {counts}.")
            sentences.append(text.format(counts=counts))
        return " ".join(sentences)

    def _repeats_sentence(self) -> str:
        if self._repeats <= 1:
            return ""
        return self.tr("The worst of {repeats} backward passes counts.").format(repeats=self._repeats)


def _closeness(check: TensorCheck) -> float:
    error = check.kernel_vs_truth.max_abs
    return error / check.tolerance if check.tolerance > 0 else math.inf if error > 0 else 0.0
