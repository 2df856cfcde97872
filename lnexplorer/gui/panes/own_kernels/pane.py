"""The pane of the user's own kernel: a verdict on its newest version, and every version before."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QPushButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.kernel_versions import RIGHT, KernelVersion, hard_sentence, line_in
from lnexplorer.domain.views import OwnKernelView
from lnexplorer.gui.kit import (
    GRID,
    Badge,
    ElidedLabel,
    FoldedRow,
    Label,
    Notice,
    Retranslated,
    Veil,
    WrappedLabel,
    fill_with_stack,
    lay_column,
    lay_row,
    restyle,
)
from lnexplorer.gui.kit.code import Text
from lnexplorer.gui.panes.own_kernels.versions import VersionsView
from lnkernels.launch.source import KernelSource
from lnkernels.values import Sentence, join_sentences, say
from lnkernels.values.environment import Kind

CHECKED = say("checked at every save")
TRUST = say("A file that you trust: its code is run")
# The text and the tooltip of each.
BUTTONS = {
    "open": (say("Open …"), TRUST),
    "new": (say("New …"), say("Write a file with a plain Triton LayerNorm to begin from")),
    "edit": (
        say("Edit"),
        say(
            "Open the file at the line of the verdict, with $VISUAL or $EDITOR, else with the"
            " desktop's program"
        ),
    ),
    "again": (
        say("Check again"),
        say("Check the newest text with M, N and dtype of the parameters, however long it takes"),
    ),
    "shapes": (
        say("Several shapes"),
        say("Check it from 1×1 to rows of more than 12,000 columns"),
    ),
    "hard": (
        say("Hard inputs"),
        say(
            "Check it on every kind of data, NaN and infinity among them, on odd shapes, and on"
            " tensors with strides, offsets and other types"
        ),
    ),
    "phases": (
        say("Phases"),
        say(
            "Trace one pass, and show what the kernel stamps in Reduction:"
            " lnkernels.language.stamps.stamp"
        ),
    ),
    "code": (
        say("Machine code"),
        say("Its Triton kernels in Compiled, beside those of the version before the chosen one"),
    ),
    "save": (say("Save this version …"), say("The text of the chosen version, as it was run")),
}


class OwnKernelsPane(Retranslated, QWidget):
    """A file, the verdict on it, and its versions."""

    View = OwnKernelView

    def __init__(self) -> None:
        super().__init__()
        self.notice = Notice()
        self.buttons = {name: self.write_on(QPushButton(), *BUTTONS[name]) for name in BUTTONS}
        self.left = WrappedLabel()  # what is still to be checked, and how long that takes
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
        self._is_wrong = True  # what the problem is about
        self._shape: tuple[int, int, str, str] | None = None  # in force: M, N, dtype, norm
        self.veils = [Veil(each, says=False) for each in (self.verdict, self.hard_inputs)]
        self.write_on(self, name=say("Your kernel"))
        self._build()
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
        self.show_left(None)
        self.notice.set_text(
            say("A kernel of your own"),
            say(
                "Open a Python file with a LayerNorm or RMSNorm, drop one here, or write a new one"
                " to begin from. It is checked as every kernel is, timed where there is a GPU, and"
                " again each time that you save it."
            ),
        )

    def show_source(self, source: KernelSource) -> None:
        """Show that the file can be read."""
        self._source = source
        self._problem = None
        self._refresh()

    def set_shape(self, shape: tuple[int, int, str, str]) -> None:
        """Take M, N, dtype and norm in force, with which those of the verdict are compared."""
        if shape != self._shape:
            self._shape = shape
            self.show_left(None)
            self._refresh()

    def show_hard_inputs(self, sentence: Sentence | None) -> None:
        """Show the verdict on hard inputs."""
        self.write_on(self.hard_inputs, sentence or "")
        self.hard_inputs.setVisible(sentence is not None)
        self._refresh()

    def show_left(self, sentence: Sentence | None) -> None:
        """Show what is still to be checked; None where all is."""
        self.write_on(self.left, sentence or "")
        self.left.setVisible(sentence is not None)

    def set_busy(self, *, busy: bool) -> None:
        """Take whether a version is being checked; the verdict before stays on show."""
        self.busy = busy
        self._refresh()

    def show_problem(
        self, problem: Sentence | None, text: str = "", *, is_wrong: bool = True
    ) -> None:
        """Show why what was saved last is no version, or is not checked yet where nothing is wrong;
        its text, where the problem is in a line.
        """
        self._problem = problem
        self._is_wrong = is_wrong
        if problem is not None and text:
            self.views.show_text(text, text, problem)
        self._refresh()

    def show_versions(self, versions: list[KernelVersion]) -> None:
        """Show all versions of the file, oldest first."""
        self.views.table.show_versions(versions)
        newest = self.views.table.newest
        if newest is not None and newest.hard is not None and not self.busy:
            told = hard_sentence(newest.hard)
            self.show_hard_inputs(say("hard inputs: {told}", told=told))
        self._refresh()

    @property
    def line(self) -> int:
        """The line that the verdict names; 1 where it names none."""
        newest = self.views.table.newest
        about = self._problem or (None if newest is None else newest.refused)
        return (None if about is None else line_in(about)) or 1

    def show_text(self, version: int, text: str, changes: Text | None = None) -> None:
        """Show the text of a version, and what it changed in the one before."""
        file = f"{self.path.text()} {version}"
        self.views.show_text(file, text, self.views.table.refused(version))
        self.views.show_changes(changes)

    def _show_place(self, place: str) -> None:
        self.path.setText(place)
        for part in (self.state, self.buttons["again"], self.buttons["edit"]):
            part.setVisible(bool(place))
        self._stack.setCurrentIndex(1 if place else 0)

    def _refresh(self) -> None:
        newest, source = self.views.table.newest, self._source
        other = self._other()
        self.write_on(self.state, say("checking …") if self.busy else other or CHECKED)
        for veil in self.veils:
            veil.show_other(other)
        self._show_whose_errors()
        timed = Kind.MEASURED if newest is not None and newest.device else Kind.INTERPRETED
        self.badge.show_kind(None if newest is None else timed)
        wrong = self._is_wrong
        if self._problem is None:
            wrong = newest is not None and newest.refused is not None and other is None
        look = "refusal" if wrong else "muted" if newest is None else "strong"
        restyle(self.verdict, "look", look)
        self.write_on(self.verdict, self._problem or _verdict(newest))
        can_check = not self.busy and source is not None
        ready = can_check and newest is not None
        possible = {
            "again": can_check,
            **dict.fromkeys(("shapes", "hard", "code"), ready),
            "phases": ready and source is not None and bool(source.stamps),
            "save": newest is not None,
        }
        for name, enabled in possible.items():
            self.buttons[name].setEnabled(enabled)

    def _other(self) -> Sentence | None:
        """Say of which text or problem the verdict is, where that is not the one in force."""
        newest, source = self.views.table.newest, self._source
        if newest is None or self._problem is not None:
            return None
        if source is not None and newest.sha256 != source.sha256:
            return say("of version {version}", version=newest.version)
        shape = newest.problem[:4]
        if self._shape is None or shape == self._shape:
            return None
        return say("of {setting}", setting=wording.shape(*shape))

    def _show_whose_errors(self) -> None:
        """Dim the errors, which are the newest version's, where another one is chosen."""
        table, other = self.views.table, self._other()
        if table.newest is not None and table.chosen != table.newest.version:
            other = say("of version {version}", version=table.newest.version)
        self.views.show_other(other)

    def _build(self) -> None:
        self.views.table.selectionModel().selectionChanged.connect(self._show_whose_errors)
        bar = lay_row(
            None,
            *(self.buttons[name] for name in ("open", "new", "edit")),
            *((self.path, 1), self.state, self.badge, self.buttons["again"]),
            spacing=GRID,
        )
        views, buttons, row = QWidget(), QWidget(), FoldedRow()
        lay_row(views, 1, self.views.choice)
        each = (self.buttons[name] for name in ("shapes", "hard", "phases", "code", "save"))
        lay_row(buttons, 1, *each, spacing=GRID)
        row.lay_pieces(views, buttons)
        below = QWidget()
        self._stack, page = fill_with_stack(below, self.notice)
        lay_column(
            page,
            self.verdict,
            self.left,
            row,
            self.hard_inputs,
            (self.views, 1),
            spacing=GRID,
        )
        lay_column(self, bar, (below, 1), margins=GRID, spacing=GRID)


def _verdict(newest: KernelVersion | None) -> Sentence:
    if newest is None:
        return say("not checked yet")
    why = [newest.refused or newest.remark or RIGHT]
    ran = newest.launched
    why += [ran.sentence] if ran and ran.own else []
    return say(
        "{name}, version {version}: {why}",
        name=newest.name,
        version=newest.version,
        why=join_sentences(why),
    )
