"""The pane of the user's own kernel: a verdict on its newest version, and every version before."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QPushButton, QWidget

from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.views import OwnKernelView
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, Theme
from lnexplorer.gui.kit.widgets import (
    Badge,
    ElidedLabel,
    Label,
    Notice,
    WrappedLabel,
    fill_with_stack,
    lay_column,
    lay_row,
    restyle,
)
from lnexplorer.gui.panes.own_kernels.versions import VersionsView
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say

TRUST = say("A file that you trust: its code is run")


class OwnKernelsPane(Retranslated, QWidget):
    """A file, the verdict on it, and its versions."""

    View = OwnKernelView

    def __init__(self) -> None:
        super().__init__()
        self.notice = Notice()
        self.open = QPushButton()
        self.new = QPushButton()
        self.save = QPushButton()
        self.code = QPushButton()
        self.phases = QPushButton()
        self.hard = QPushButton()
        self.path = ElidedLabel()
        self.badge = Badge()
        self.state = Label()
        self.verdict = WrappedLabel()
        self.hard_inputs = WrappedLabel()
        self.views = VersionsView()
        # A kernel of a session; none of its code runs before the user agrees.
        self.offered: OwnKernelView | None = None
        self.busy = False
        self._source: KernelSource | None = None
        self._problem: Sentence | None = None
        self._build()
        self._write()
        self.show_file("")

    def view(self) -> OwnKernelView | None:
        source = self._source
        if source is None:
            return self.offered  # where nobody has agreed to one, it is offered again
        return OwnKernelView(place=source.place, sha256=source.sha256)

    def show_view(self, view: OwnKernelView) -> None:
        """Ask whether the kernel of a session is to be watched again."""
        self._source = None
        self._show_place("")
        # The path says what would be run, wherever the session is from.
        self.offered = replace(view, place=str(Path(view.place).absolute()))
        self.notice.set_text(
            say("The session had a kernel of somebody's own"),
            say(
                "{path}\nsha256 {sha256}\n\nTo check it is to run its code. Open it only if you"
                " trust it.",
                path=self.offered.place,
                sha256=view.sha256,
            ),
            say("Open it, and run its code"),
            TRUST,
        )

    def show_file(self, place: str) -> None:
        """Show a file that is watched from now on; the empty text for none."""
        self.offered = None
        self._source = None
        self._problem = None
        self.busy = False
        self.views.clear()
        self._show_place(place)
        self.show_hard_inputs(None)
        self.notice.set_text(
            say("A kernel of your own"),
            say(
                "Open a Python file with a LayerNorm, drop one here, or write a new one to begin"
                " from. It is checked as every kernel is, timed where there is a GPU, and again"
                " each time that you save it."
            ),
        )

    def show_source(self, source: KernelSource) -> None:
        """Show that the file can be read."""
        self._source = source
        self._problem = None
        self._refresh()

    def show_hard_inputs(self, sentence: Sentence | None) -> None:
        """Show the verdict on hard inputs."""
        self.write_on(self.hard_inputs, sentence or "")
        self.hard_inputs.setVisible(sentence is not None)
        self._refresh()

    def set_busy(self, *, busy: bool) -> None:
        """Take whether a version is being checked; the verdict before stays on show."""
        self.busy = busy
        self._refresh()

    def show_problem(self, problem: Sentence | None, text: str = "") -> None:
        """Show why what was saved last is no version; its text, where the problem is in a line."""
        self._problem = problem
        if problem is not None and text:
            self.views.show_text(text, text, problem)
        self._refresh()

    def show_versions(self, versions: list[KernelVersion]) -> None:
        """Show all versions of the file, oldest first."""
        self.views.table.show_versions(versions)
        self._refresh()

    def show_text(self, version: int, text: str) -> None:
        file = f"{self.path.text()} {version}"
        self.views.show_text(file, text, self.views.table.refused(version))

    def apply_theme(self, theme: Theme) -> None:
        self.views.apply_theme(theme)

    def _show_place(self, place: str) -> None:
        self.path.setText(place)
        self.state.setVisible(bool(place))
        self._stack.setCurrentIndex(1 if place else 0)

    def _refresh(self) -> None:
        newest, source = self.views.table.newest, self._source
        self.write_on(self.state, say("checking …") if self.busy else say("checked at every save"))
        kind = None
        if newest is not None:
            kind = Kind.MEASURED if newest.device else Kind.INTERPRETED
        self.badge.show_kind(kind)
        wrong = self._problem is not None or (newest is not None and newest.refused is not None)
        look = "refusal" if wrong else "muted" if newest is None else "strong"
        restyle(self.verdict, "look", look)
        self.write_on(self.verdict, self._problem or _verdict(newest))
        ready = not self.busy and newest is not None and source is not None
        self.hard.setEnabled(ready)
        self.code.setEnabled(ready)
        self.phases.setEnabled(ready and source is not None and bool(source.stamps))
        self.save.setEnabled(newest is not None)

    def _write(self) -> None:
        self.write_on(self, name=say("Your kernel"))
        self.write_on(self.open, say("Open …"), TRUST)
        self.write_on(
            self.new,
            say("New …"),
            say("Write a file with a plain Triton LayerNorm to begin from"),
        )
        self.write_on(
            self.code,
            say("Machine code"),
            say("Its Triton kernels in every form of the compiler, in Compiled"),
        )
        self.write_on(
            self.phases,
            say("Phases"),
            say(
                "Trace one pass, and show what the kernel stamps in Reduction:"
                " lnkernels.language.stamps.stamp"
            ),
        )
        self.write_on(
            self.hard,
            say("Hard inputs"),
            say("Check it on every kind of data, NaN and infinity among them, and on odd shapes"),
        )
        self.write_on(
            self.save,
            say("Save this version …"),
            say("The text of the chosen version, as it was run"),
        )

    def _build(self) -> None:
        bar = lay_row(
            None, self.open, self.new, (self.path, 1), self.state, self.badge, spacing=GRID
        )
        buttons = (self.hard, self.phases, self.code, self.save)
        below = QWidget()
        self._stack, page = fill_with_stack(below, self.notice)
        lay_column(
            page,
            self.verdict,
            lay_row(None, 1, self.views.choice, *buttons),
            self.hard_inputs,
            (self.views, 1),
            spacing=GRID,
        )
        lay_column(self, bar, (below, 1), margins=GRID, spacing=GRID)


def _verdict(newest: KernelVersion | None) -> Sentence:
    if newest is None:
        return say("not checked yet")
    if newest.refused is None:
        return say(
            "{name}, version {version}: all results are within tolerance",
            name=newest.name,
            version=newest.version,
        )
    return say(
        "{name}, version {version}: {why}",
        name=newest.name,
        version=newest.version,
        why=newest.refused,
    )
