"""The derivation of dx, dw and db, each term with the lines of the kernels that compute it."""

import ast
from functools import cache

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTextBrowser

from lnexplorer.gui.kit import Retranslated, Theme, translate_message
from lnexplorer.gui.timeline.source import kernel_text, statement_lines
from lnkernels.values import Sentence, frozen, say


@frozen
class Term:
    """A formula with its explanation, and where the kernels compute it."""

    formula: str  # HTML
    about: Sentence
    where: tuple[str, str]  # file and function
    begins: tuple[str, ...]  # any of which the statements begin with


_FORWARD, _ROW = ("passes/forward.py", "forward_kernel"), ("passes/locked.py", "row_gradients")
_ADDING, _SUM = ("passes/locked.py", "added_in_one_trip"), ("passes/locked.py", "sum_buffers")
# Named as in the kernels, so that each name is found in the text beside it.
TERMS = (
    Term("mean = Σ x / N", say("The mean of the row."), _FORWARD, ("mean = ",)),
    Term(
        "rstd = 1 / √(Σ (x − mean)² / N + eps)",
        say("One over the spread of the row."),
        _FORWARD,
        ("rstd = ",),
    ),
    Term(
        "y = w · xhat + b,&nbsp; xhat = (x − mean) · rstd",
        say("The forward pass."),
        _FORWARD,
        ("y = ", "y += ", "y *= "),
    ),
    Term(
        "xhat = (x − mean) · rstd",
        say("The backward pass computes xhat again rather than keep it."),
        _ROW,
        ("xhat = ",),
    ),
    Term(
        "wdy = ∂L/∂xhat = w · dy",
        say("The chain rule through y = w · xhat + b."),
        _ROW,
        ("wdy = ",),
    ),
    Term(
        "c<sub>1</sub> = Σ xhat · wdy / N",
        say(
            "rstd depends on every x of the row: ∂rstd/∂x = −rstd² · xhat / N. This sum is what"
            " comes through rstd."
        ),
        _ROW,
        ("c1 = ",),
    ),
    Term(
        "c<sub>2</sub> = Σ wdy / N",
        say(
            "The mean depends on every x of the row, too: ∂mean/∂x = 1 / N. This sum is what comes"
            " through the mean."
        ),
        _ROW,
        ("c2 = ",),
    ),
    Term(
        "dx = (wdy − (xhat · c<sub>1</sub> + c<sub>2</sub>)) · rstd",
        say("All three ways from x to L: directly, through rstd, and through the mean."),
        _ROW,
        ("dx = ",),
    ),
    Term(
        "dw<sub>row</sub> = dy · xhat,&nbsp; db<sub>row</sub> = dy",
        say("w and b are shared by all rows, so each row has its share of dw and db."),
        _ROW,
        ("return ",),
    ),
    Term(
        "partial dw[row mod G] += dw<sub>row</sub>",
        say("Stage 1 adds the shares into G buffers, each behind its lock; db likewise."),
        _ADDING,
        ("partial_dw += ",),
    ),
    Term(
        "dw = Σ partial dw", say("Stage 2 adds the buffers up; db likewise."), _SUM, ("total += ",)
    ),
)


@cache
def lines_of(term: Term) -> tuple[int, int]:
    """Return the first and last line of the statements that compute a term."""
    file, name = term.where
    (function,) = (
        node
        for node in ast.parse(kernel_text(file)).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    lines = statement_lines(function, term.begins)
    assert lines is not None, "the kernels have a line for each term"
    return lines


class DerivationView(Retranslated, QTextBrowser):
    """All terms, numbered; a click on one chooses it."""

    termChosen = Signal(object)  # Term

    def __init__(self) -> None:
        super().__init__(openLinks=False)
        self._chosen = -1
        self.write_on(self, name=say("How dx, dw and db follow, step by step"))
        self.anchorClicked.connect(lambda url: self._choose(int(url.path())))
        self.retranslate()

    def retranslate(self) -> None:
        bar = self.verticalScrollBar()
        place = bar.value()
        parts = []
        for number, term in enumerate(TERMS):
            weight = "600" if number == self._chosen else "400"
            style = f"color:{Theme.current.accent}; text-decoration:none; font-weight:{weight}"
            about = translate_message(term.about)
            parts.append(
                f'<p style="margin:0 0 6px 0">{number + 1}.&nbsp;'
                f' <a href="term:{number}" style="{style}">{term.formula}</a>'
                f'<br><span style="color:{Theme.current.muted}">{about}</span></p>'
            )
        self.setHtml("".join(parts))
        bar.setValue(place)

    apply_theme = retranslate

    def _choose(self, number: int) -> None:
        self._chosen = number
        self.retranslate()
        self.termChosen.emit(TERMS[number])
