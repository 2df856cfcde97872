"""The line above the parts of a workspace: title and parameters, or verdict and speeds."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QToolButton

from lnexplorer.domain import wording
from lnexplorer.gui.kit import (
    GRID,
    RESULT_COLOURS,
    Arranged,
    Badge,
    ElidedLabel,
    Label,
    Retranslated,
    Theme,
    Veil,
    lay_column,
    lay_row,
    translate_message,
    with_text,
)
from lnexplorer.gui.window.beside import BesideStrip
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.environment import KIND_NAMES, Kind

if TYPE_CHECKING:
    from lnexplorer.domain.request import ResolvedRequest
    from lnexplorer.gui.session.state import ShownRun
    from lnkernels.values.accuracy import Correctness, TensorCheck
    from lnkernels.values.figures import Figure


NARROW = 860  # px at usual text; in a narrower one errors stand in Correctness alone
NARROWEST = 560  # px; in a narrower one speeds stand in Throughput alone
DIRECTIONS = ("forward", "backward")
MODES = ("kernel_cold", "kernel_warm", "autograd")  # the first that was measured is shown


class Metric(Label):
    """A caption over a number, with a sentence about them as tooltip and for screen readers."""

    def show_figure(self, caption: str, value: str, about: str) -> None:
        self.set_markup(f"{caption}<br>{value}")
        self.setToolTip(about)
        self.setAccessibleDescription(about)


class Heading(Retranslated, QFrame):
    """A title, and a line with the values of the parameters or with what is shown."""

    def __init__(self, title: Sentence | None, *, uses_parameters: bool) -> None:
        super().__init__(objectName="headline")
        self._parameters: Words = ""
        self._about = ""
        self.title = self.write_on(Label(self, look="title", visible=title is not None), title)
        self.line = ElidedLabel(self, look="muted")
        self.change = self.write_on(QToolButton(self), say("Change …"), say("Go to the parameters"))
        self.change.setProperty("look", "link")
        self.change.setVisible(uses_parameters)
        margins = (2 * GRID, GRID, GRID, GRID)
        self._row = lay_row(
            self, self.title, (self.line, 1), self.change, margins=margins, spacing=2 * GRID
        )
        self._uses_parameters = uses_parameters

    def add_action(self, action: QAction) -> None:
        """Add a button for an action at the right end."""
        button = QToolButton(self)
        button.setDefaultAction(action)
        self._row.addWidget(button)

    def show_parameters(self, resolved: "ResolvedRequest", given: Iterable[str] = ()) -> None:
        if self._uses_parameters:
            self._parameters = say("Parameters: {values}", values=resolved.setting_line(given))
            self.show_about(self._about)

    def show_about(self, about: str) -> None:
        """Name what is shown, which may be another problem; the empty text names the parameters."""
        self._about = about
        if not about:
            self.write_on(self.line, self._parameters, self._parameters)
            return
        shown = say("On show: {about}", about=about)
        lines = [shown, self._parameters] if isinstance(self._parameters, Sentence) else [shown]
        self.write_on(self.line, shown, join_sentences(lines, "\n"))


class Headline(Retranslated, Arranged, QFrame):
    """The verdict and speeds of a run, and a badge for where the numbers come from."""

    def __init__(self) -> None:
        super().__init__(objectName="headline")
        self._run: ShownRun | None = None
        self._traced = self._fitting = False
        self.verdict = Label(self, look="title")
        self.badge = Badge()
        self.shape = ElidedLabel(self, look="muted")
        self.results = {name: Metric(self) for name in RESULT_COLOURS}
        self.speeds = {name: Metric(self) for name in DIRECTIONS}
        top = lay_row(None, self.verdict, self.badge, 1, spacing=2 * GRID)
        left = lay_column(None, top, self.shape, spacing=0)
        metrics = (*self.results.values(), *self.speeds.values())
        self.pin = QToolButton(self)
        self.beside = BesideStrip()
        row = lay_row(None, (left, 1), *metrics, self.pin, spacing=2 * GRID)
        margins = (2 * GRID, GRID, 2 * GRID, GRID)
        lay_column(self, row, self.beside, margins=margins, spacing=GRID // 2)
        self.veils = [Veil(part, says=False) for part in (self.verdict, self.badge, *metrics)]
        self._other: Sentence | None = None
        self.write(self.setAccessibleName, say("Result"))
        self.retranslate()

    def show_run(self, run: "ShownRun", *, traced: bool = False) -> None:
        """Show a run as far as it has come, or a launch that was traced without a run."""
        self._run = run
        self._traced = traced and run.correctness is None
        self.retranslate()

    def show_other(self, setting: Sentence | None) -> None:
        """Dim the result, which is of another setting; None where it is of the one in force."""
        self._other = setting
        for veil in self.veils:
            veil.show_other(setting)
        self.retranslate()

    def minimumSizeHint(self) -> QSize:
        return QSize(
            with_text(NARROWEST) * 2 // 3, super().minimumSizeHint().height()
        )  # the window may be narrower than all of it

    def retranslate(self) -> None:
        self._show_verdict()
        self._show_figures()

    apply_theme = arrange = retranslate

    def _show_figures(self) -> None:
        checks = self._correctness.checks if self._correctness is not None else ()
        for name, metric in self.results.items():
            check = next((each for each in checks if each.name == name), None)
            metric.show_figure(*self._error(name, check))
        for direction, metric in self.speeds.items():
            metric.show_figure(*self._speed(direction))
        self._fit()

    def _fit(self) -> None:
        """Show the speeds, and the errors, where there is room beside the whole verdict."""
        if self._fitting:  # Qt lays out while it shows a part, and would show what was hidden
            return
        self._fitting, width = True, -1
        beside = (self.verdict, self.badge, self.pin)
        while width != self.width():
            gap, width = 2 * GRID, self.width()
            room = width - gap
            room -= sum(part.sizeHint().width() + gap for part in beside if not part.isHidden())
            for least, metrics in ((NARROWEST, self.speeds), (NARROW, self.results)):
                room -= sum(metric.sizeHint().width() + gap for metric in metrics.values())
                for metric in metrics.values():
                    metric.setVisible(room >= 0 and width >= with_text(least))
        self._fitting = False

    @property
    def _correctness(self) -> "Correctness | None":
        return None if self._run is None else self._run.correctness

    def _show_verdict(self) -> None:
        run, correctness, traced = self._run, self._correctness, self._traced
        known = run is not None and (correctness is not None or traced)
        self.badge.show_kind(run.kind if run is not None and known else None)
        given = run.result.request.launch.given() if run is not None and run.result else ()
        shape: Words = (
            "" if run is None or run.resolved is None else run.resolved.setting_line(given)
        )
        if self._other is not None:
            shape = self._other
        self.write_on(self.shape, shape, shape)
        if correctness is None:
            waiting = self.tr("No result yet")
            self.verdict.setText(self.tr("A trace without results") if traced else waiting)
            return
        failed = [check.name for check in correctness.checks if not check.passed]
        colour, text = Theme.current.good, self.tr("✓ Within tolerance")
        if failed:
            colour = Theme.current.bad
            text = translate_message(say("✗ Beyond tolerance: {names}", names=failed))
        self.verdict.set_markup(f'<span style="color:{colour}">{text}</span>')

    def _error(self, name: str, check: "TensorCheck | None") -> tuple[str, str, str]:
        """Return caption, figure and sentence of the error of a result."""
        dot = f'<span style="color:{RESULT_COLOURS[name]}">●</span>'
        word = self.tr("error")
        caption = f"{dot} {name} {self._muted(word)}"
        if check is None:
            about = self.tr("Largest error of {name} against the float64 truth").format(name=name)
            return caption, "–", about
        colour = Theme.current.text if check.passed else Theme.current.bad
        worst = wording.error(check.kernel_vs_truth.largest)
        allowed = wording.error(check.tolerance)
        about = self.tr(
            "{name}: largest error {kernel} against the float64 truth, PyTorch's own {torch};"
            " elements are allowed up to {tolerance}, each what is argued for it"
        ).format(
            name=name,
            kernel=worst,
            torch=wording.error(check.torch_vs_truth.largest),
            tolerance=allowed,
        )
        return caption, f'<b style="color:{colour}">{worst}</b>', about

    def _speed(self, direction: str) -> tuple[str, str, str]:
        """Return caption, figure and sentence of a pass."""
        name = {"forward": self.tr("forward"), "backward": self.tr("backward")}[direction]
        kind = None if self._run is None else self._run.kind
        figure = self._figure(direction)
        if kind is None or figure is None:
            about = self.tr("Throughput of the kernels")
            text = "–"
            if kind is Kind.INTERPRETED:
                text = self.tr("not measured")
                about = self.tr(
                    "Without a GPU there is no speed to measure: the interpreter's times mean"
                    " nothing."
                )
            return self._muted(name), self._muted(text), about
        share = self.tr("{share} of ceiling").format(share=wording.share(figure.share_of_ceiling))
        gbps = wording.figure(figure.gbps)
        about = self.tr("{direction}, {mode}, {kind}: {gbps} GB/s, median {time}").format(
            direction=name,
            mode=figure.mode,
            kind=translate_message(KIND_NAMES[kind]),
            gbps=gbps,
            time=wording.milliseconds(figure.p50_ms),
        )
        shown = f"<b>{gbps}</b> GB/s"
        if figure.verdict == "wrong":
            shown = translate_message(wording.with_verdict(shown, figure.verdict))
            shown = f'<span style="color:{Theme.current.bad}">{shown}</span>'
        return self._muted(name), shown, f"{about} · {share}"

    def _figure(self, direction: str) -> "Figure | None":
        """Return the newest figure of the strategy in the first mode that has one."""
        if self._run is None or self._run.resolved is None:
            return None
        provider = self._run.resolved.launch.strategy
        newest = {
            figure.mode: figure
            for figure in self._run.figures
            if (figure.provider, figure.direction) == (provider, direction)
        }
        return next((newest[mode] for mode in MODES if mode in newest), None)

    def _muted(self, text: str) -> str:
        return f'<span style="color:{Theme.current.muted}">{text}</span>'
