"""What a workspace is about, in one line above its parts, and the badge that says where its numbers come from."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.gui.charts.theme import DARK, GRID, RESULT_COLOURS, TONES, Theme, with_text
from lnexplorer.gui.charts.widgets import ElidedLabel, Label, lay_column, lay_row, restyle
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.sentence import Sentence
from lnkernels.values.environment import KIND_HELP, Kind

if TYPE_CHECKING:
    from lnexplorer.domain.request import ResolvedRequest
    from lnkernels.values.accuracy import Correctness
    from lnkernels.values.figures import Figure


class Badge(Label):
    """A word in a frame; hidden where there are no numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "badge")
        self.hide()

    def show_kind(self, kind: Kind | None, where: str = "") -> None:
        """Say which kind of numbers stands beside it, and in the tooltip also where they come from."""
        self.setVisible(kind is not None)
        if kind is None:
            return
        self.setText(domain_text(kind.value))
        self.setToolTip("\n".join(filter(None, (domain_text(KIND_HELP[kind]), where))))
        self.setAccessibleName(self.tr("Provenance"))
        self.setAccessibleDescription(domain_text(KIND_HELP[kind]))
        restyle(self, "tone", TONES[kind])


WIDE = 1400  # px; in a narrower window bounds and shares stand in tooltips alone
NARROW = 860  # px; in a narrower one errors stand in Correctness alone
NARROWEST = 560  # px; in a narrower one speeds stand in Throughput alone
DIRECTIONS = ("forward", "backward")
MODES = ("kernel_cold", "kernel_warm", "autograd")  # the first that was measured is shown


class Metric(QWidget):
    """A caption over a number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.caption = Label(self)
        self.value = Label("–", self)
        lay_column(self, self.caption, self.value, spacing=0)

    def explain(self, sentence: str) -> None:
        """Tooltip, also for a screen reader."""
        self.setToolTip(sentence)
        self.setAccessibleDescription(sentence)


class Heading(Retranslated, QFrame):
    """A title, and the values of the parameters in a line where the workspace uses them; or the line alone."""

    def __init__(self, title: Sentence | None, *, uses_parameters: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headline")
        self._title, self._values, self._about = title, "", ""
        self.title, self.line, self.change = Label(self), ElidedLabel(self), QToolButton(self)
        self.title.setProperty("look", "title")
        self.title.setVisible(title is not None)
        self.line.setProperty("look", "muted")
        self.change.setProperty("look", "link")
        self.change.setVisible(uses_parameters)
        margins = (2 * GRID, GRID, GRID, GRID)
        self._row = lay_row(self, self.title, (self.line, 1), self.change, margins=margins, spacing=2 * GRID)
        self._uses_parameters = uses_parameters
        self.retranslate()

    def add_action(self, action: QAction) -> None:
        """A button for an action at the right end."""
        button = QToolButton(self)
        button.setDefaultAction(action)
        self._row.addWidget(button)

    def show_parameters(self, resolved: "ResolvedRequest") -> None:
        if self._uses_parameters:
            self._values = _run(resolved)
            self.retranslate()

    def show_about(self, about: str) -> None:
        """Say what is on show, which may be another problem than that of the parameters; nothing for the parameters."""
        if about != self._about:
            self._about = about
            self.retranslate()

    def retranslate(self) -> None:
        self.title.setText("" if self._title is None else translate_message(self._title))
        parameters = self.tr("Parameters: {values}").format(values=self._values) if self._values else ""
        self.line.setText(self.tr("On show: {about}").format(about=self._about) if self._about else parameters)
        self.line.setToolTip("\n".join(filter(None, (self.line.text(), parameters if self._about else ""))))
        self.change.setText(self.tr("Change …"))
        self.change.setToolTip(self.tr("Go to the parameters"))


class Headline(Retranslated, QFrame):
    """One run's verdict and speeds, and where the numbers come from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headline")
        self._theme: Theme = DARK
        self._is_trace = False
        self._resolved: ResolvedRequest | None = None
        self._kind: Kind | None = None
        self._correctness: Correctness | None = None
        self._figures: tuple[Figure, ...] = ()
        self.verdict = Label(self)
        self.verdict.setProperty("look", "title")
        self.badge = Badge(self)
        self.shape = ElidedLabel(self)
        self.shape.setProperty("look", "muted")
        self.results = {name: Metric(self) for name in RESULT_COLOURS}
        self.speeds = {name: Metric(self) for name in DIRECTIONS}
        self._lay_out()
        self.retranslate()

    def show_run(
        self,
        resolved: "ResolvedRequest | None",
        kind: Kind | None,
        correctness: "Correctness | None",
        figures: "tuple[Figure, ...]",
        *,
        traced: bool = False,
    ) -> None:
        """Show a run as far as it has come, or a launch that was traced without a run: it has no results."""
        self._is_trace = traced and correctness is None
        self._resolved, self._kind, self._correctness, self._figures = resolved, kind, correctness, figures
        self._show()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Result"))
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before, after = event.oldSize().width(), self.width()
        if any((before < with_text(least)) != (after < with_text(least)) for least in (NARROWEST, NARROW, WIDE)):
            self._show()

    def minimumSizeHint(self) -> QSize:
        return QSize(
            with_text(NARROWEST) * 2 // 3, super().minimumSizeHint().height()
        )  # the window may be narrower than all of it

    def _lay_out(self) -> None:
        top = lay_row(None, self.verdict, self.badge, 1, spacing=2 * GRID)
        left = lay_column(None, top, self.shape, spacing=0)
        metrics = (*self.results.values(), *self.speeds.values())
        self._row = lay_row(self, (left, 1), *metrics, margins=(2 * GRID, GRID, 2 * GRID, GRID))

    def _is_wide(self, width: int) -> bool:
        return width >= with_text(WIDE)

    def _show(self) -> None:
        self._row.setSpacing(3 * GRID if self._is_wide(self.width()) else 3 * GRID // 2)
        self.badge.show_kind(self._kind if self._correctness is not None or self._is_trace else None)
        self._show_verdict()
        self._show_errors()
        for direction, metric in self.speeds.items():
            self._show_speed(direction, metric)

    def _show_verdict(self) -> None:
        theme, resolved, correctness = self._theme, self._resolved, self._correctness
        if resolved is not None and self._is_trace:
            self.verdict.setText(self.tr("A trace without results"))
            self.shape.setText(_run(resolved))
            self.shape.setToolTip(self.shape.text())
            return
        if resolved is None or correctness is None:
            self.verdict.setText(self.tr("First run under way …"))
            self.shape.setText(self.tr("The worker loads torch and triton"))
            self.shape.setToolTip("")
            return
        colour = theme.good if correctness.passed else theme.bad
        failed = [check.name for check in correctness.checks if not check.passed]
        text = (
            self.tr("✓ Within tolerance")
            if not failed
            else self.tr("✗ Beyond tolerance: {names}").format(names=", ".join(failed))
        )
        self.verdict.set_markup(f'<span style="color:{colour}">{text}</span>')
        self.shape.setText(_run(resolved))
        self.shape.setToolTip(self.shape.text())

    def _show_errors(self) -> None:
        checks = {check.name: check for check in self._correctness.checks} if self._correctness else {}
        for name, metric in self.results.items():
            metric.setVisible(self.width() >= with_text(NARROW))
            dot = f'<span style="color:{RESULT_COLOURS[name]}">●</span>'
            metric.caption.set_markup(f"{dot} {name}" + self._where_wide(self.tr("error")))
            check = checks.get(name)
            if check is None:
                metric.value.set_markup("–")
                metric.explain(self.tr("Largest error of {name} against the float64 truth").format(name=name))
                continue
            colour = self._theme.text if check.passed else self._theme.bad
            worst = wording.error(check.kernel_vs_truth.max_abs)
            bound = self._where_wide(f"≤ {wording.error(check.tolerance)}")
            metric.value.set_markup(f'<b style="color:{colour}">{worst}</b>{bound}')
            metric.explain(
                self.tr(
                    "{name}: largest error {kernel} against the float64 truth, PyTorch's own {torch}; allowed {tolerance} "
                    "where the error comes closest to its bound"
                ).format(
                    name=name,
                    kernel=worst,
                    torch=wording.error(check.torch_vs_truth.max_abs),
                    tolerance=wording.error(check.tolerance),
                )
            )

    def _show_speed(self, direction: str, metric: Metric) -> None:
        names = {"forward": self.tr("forward"), "backward": self.tr("backward")}
        metric.setVisible(self.width() >= with_text(NARROWEST))
        figure = self._figure(direction)
        if figure is None:
            metric.caption.set_markup(self._muted(names[direction]))
            metric.value.set_markup(self._muted(self.tr("not measured") if self._kind is Kind.INTERPRETED else "–"))
            metric.explain(
                self.tr("Without a GPU there is no speed to measure: the interpreter's times mean nothing.")
                if self._kind is Kind.INTERPRETED
                else self.tr("Throughput of the kernels")
            )
            return
        share = self.tr("{share} of ceiling").format(share=wording.share(figure.share_of_ceiling))
        metric.caption.set_markup(f"{names[direction]}{self._where_wide(share)}")
        metric.value.set_markup(f"<b>{wording.gbps(figure.gbps)}</b> GB/s")
        kind = domain_text(self._kind.value) if self._kind else ""
        sentence = self.tr("{direction}, {mode}, {kind}: {gbps} GB/s, median {time}").format(
            direction=names[direction],
            mode=figure.mode,
            kind=kind,
            gbps=wording.gbps(figure.gbps),
            time=wording.milliseconds(figure.p50_ms),
        )
        metric.explain(f"{sentence} · {share}")

    def _figure(self, direction: str) -> "Figure | None":
        if self._resolved is None:
            return None
        provider = self._resolved.launch.strategy
        for mode in MODES:
            for figure in reversed(self._figures):
                if (figure.provider, figure.direction, figure.mode) == (provider, direction, mode):
                    return figure
        return None

    def _muted(self, text: str) -> str:
        return f'<span style="color:{self._theme.muted}">{text}</span>'

    def _where_wide(self, text: str) -> str:
        return f" {self._muted(text)}" if self._is_wide(self.width()) else ""


def _run(resolved: "ResolvedRequest") -> str:
    setting = wording.main_setting(resolved.launch).replace(" = ", " ")
    return f"M {resolved.m} × N {resolved.n} · {resolved.dtype} · {resolved.launch.strategy} · {setting}"
