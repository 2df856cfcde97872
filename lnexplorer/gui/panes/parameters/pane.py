"""The form of a request: each parameter is automatic until a value is given."""

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QFrame,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from lnexplorer.domain.parameters import GROUPS, PARAMETERS
from lnexplorer.domain.request import PRESETS, ResolvedRequest, RunPlan, RunRequest, plan_run
from lnexplorer.domain.wording import KERNELS, bytes_text
from lnexplorer.gui.kit import (
    GRID,
    Arranged,
    Choice,
    Label,
    Retranslated,
    Theme,
    Veil,
    WrappedLabel,
    allowed_instead,
    icon,
    lay_column,
    lay_row,
    on_accent,
    scroll_area,
    translate_message,
    with_text,
)
from lnexplorer.gui.panes.parameters.rows import (
    KernelSection,
    ParameterRow,
    ParameterSection,
    Value,
)
from lnkernels.launch import (
    CATALOGUE,
    SETTING,
    LaunchWish,
    belongs,
    grids,
    masked_lanes,
    memory_estimate,
    partial_buffer_bytes,
)
from lnkernels.values import Sentence, join_sentences, say, verbatim
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device

COMPILED = say(
    "Of the last run: registers a thread, and the share of an SM's warps that fit at once"
    " (occupancy)."
)
# The label of each line, and its tooltip.
LINES = {
    "grids": (
        say("launch grids"),
        say("Programs of the forward pass, of stage 1 and of stage 2."),
    ),
    "lanes": (
        say("masked lanes"),
        say("Lanes of a row's last block that hold no column: they wait, forward and in stage 1."),
    ),
    "buffers": (
        say("partial sums"),
        say(
            "Bytes of the partial sums of dw and db. Within the L2 cache, additions to them are"
            " fast."
        ),
    ),
    "memory": (say("memory"), say("Estimate of what the run with its check and timing needs.")),
    **{name: (label, COMPILED) for name, label in KERNELS.items()},
}


BETWEEN = " · "  # parts of a line


class PartsLabel(WrappedLabel):
    """A label whose lines break between its parts alone: "forward 64 · stage 1 64"."""

    def setText(self, text: str) -> None:
        whole = (part.replace(" ", "\N{NO-BREAK SPACE}") for part in text.split(BETWEEN))
        super().setText(BETWEEN.join(whole) if BETWEEN in text else text)


class ConsequencesBox(ParameterSection):
    """Launch grids, masked lanes, bytes of the partial buffers, memory, registers and occupancy."""

    def __init__(self) -> None:
        super().__init__()
        self.show_title(say("What this launch means"))
        self.values: dict[str, Label] = {}
        form = QFormLayout(horizontalSpacing=GRID, verticalSpacing=GRID // 2)
        for line, (text, tip) in LINES.items():
            name = self.write_on(Label(self.body, look="muted"), text, tip)
            self.values[line] = self.write_on(PartsLabel(parent=self.body), tip=tip)
            form.addRow(name, self.values[line])
        self.of = Label(self.body, look="muted")  # the setting that registers are of, if another
        form.addRow(self.of)
        self.veils = [Veil(self.values[name], says=False) for name in KERNELS]
        self.rows.addLayout(form)
        self.show_request(None, None)
        self.show_compiled(())

    def show_request(self, resolved: ResolvedRequest | None, device: Device | None) -> None:
        """Show the consequences of a request; None where it cannot be run."""
        texts = dict.fromkeys(("grids", "lanes", "buffers", "memory"), verbatim("–"))
        if resolved is not None:
            texts = _consequences(resolved, device)
        for line, text in texts.items():
            self.write(self.values[line].setText, text)

    def show_compiled(self, compiled: tuple[KernelFacts, ...]) -> None:
        facts = {fact.name: fact for fact in compiled}
        for name in KERNELS:
            text = _facts(facts[name]) if name in facts else say("known after a run")
            self.write(self.values[name].setText, text)
            self.values[name].setEnabled(name in facts)

    def show_other(self, setting: Sentence | None) -> None:
        """Dim what the compiler said of another setting, and name that; None for this one."""
        self.write(self.of.setText, setting or "")
        for veil in self.veils:
            veil.show_other(setting)


def _consequences(resolved: ResolvedRequest, device: Device | None) -> dict[str, Sentence]:
    m, n, dtype, launch = resolved.m, resolved.n, resolved.dtype, resolved.launch
    programs = grids(m, n, launch)
    # Of a row's last block, forward and in stage 1; and all of its lanes.
    a, c = masked_lanes(n, launch.block_size), masked_lanes(n, launch.block_size_n)
    size = partial_buffer_bytes(m, n, dtype, launch)
    buffers = verbatim(bytes_text(size))
    memory = verbatim(bytes_text(memory_estimate(m, n, dtype, launch, resolved.norm).total))
    if device is not None:
        share = _per_cent(size / device.limits.l2_bytes)
        buffers = say("{size}, {share} of L2", size=buffers, share=share)
        free = bytes_text(device.free_memory_bytes)
        memory = say("{size} of {free} free", size=memory, free=free)
    return {
        "grids": join_sentences(
            [
                join_sentences([label, str(prod(programs[name]))], " ")
                for name, label in KERNELS.items()
            ],
            BETWEEN,
        ),
        "lanes": say("forward {a} of {b} · stage 1 {c} of {d}", a=a, b=n + a, c=c, d=n + c),
        "buffers": buffers,
        "memory": memory,
    }


def _facts(fact: KernelFacts) -> Sentence:
    parts = []
    if fact.registers is not None:
        parts.append(say("{count} registers", count=fact.registers))
    if fact.spill_bytes:
        parts.append(say("{count} B spilled", count=fact.spill_bytes))
    if fact.occupancy is not None:
        share = _per_cent(fact.occupancy.share_of_warps)
        parts.append(say("{share} of warps", share=share))
    return join_sentences(parts, " · ") if parts else verbatim("–")


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "< 1 %"


WIDTH = 48 * GRID  # as much as its part has before it is there, too
# px at usual text; in a lower pane what the launch means is folded, until somebody unfolds it, and
# what the strategy does stands in a tooltip
LOW = 640
OPEN_AT_FIRST = ("problem", "reduction", "forward")


class ParametersPane(Retranslated, Arranged, QWidget):
    """Shows a request and reports every change of it. It never runs anything."""

    requestChanged = Signal(object)  # RunRequest, also one that cannot be run
    settled = Signal()  # a parameter has its value: what comes now is another change

    def __init__(self) -> None:
        super().__init__(minimumWidth=WIDTH)
        self._request = RunRequest()
        self._device: Device | None = None
        self._plan = plan_run(self._request, "interpreter")
        self._resolved = self._plan.resolved
        self._aside: dict[
            str, Value
        ] = {}  # taken over, of settings that the strategy does not have
        self.write_on(self, name=say("Parameters"))
        self.presets = self.write_on(
            Choice(), tip=say("Requests worth one click"), name=say("Presets")
        )
        own = say("Presets of your own")
        self.own_presets = self.write_on(
            QToolButton(self, popupMode=QToolButton.ToolButtonPopupMode.InstantPopup),
            tip=own,
            name=own,
        )
        self.own_presets.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        run, stop, live = say("Run"), say("Stop"), say("Live")
        self.run = self.write_on(
            QPushButton(self), run, say("Run the kernels with these parameters (F5)"), run
        )
        self.stop = self.write_on(QPushButton(self), stop, say("Stop the run (Esc)"), stop)
        self.live = self.write_on(
            QCheckBox(self), live, say("Run whenever a parameter moves (Ctrl+L)"), live
        )
        self.faster = self.write_on(
            QPushButton(self),
            say("Faster?"),
            say("Try every setting one step away: what would make it faster, and what limits it"),
        )
        self.sections: dict[str, ParameterSection] = {}
        self.rows: dict[str, ParameterRow] = {}
        self._scroll, form = self._make_scroll()
        # Tab goes the way in which widgets are made: a heading, what is under it, the next heading
        for group in GROUPS:
            section = self.sections[group] = ParameterSection(open_at_first=group in OPEN_AT_FIRST)
            section.show_title(GROUPS[group])
            rows = [ParameterRow(parameter) for parameter in PARAMETERS if parameter.group == group]
            self.rows.update((row.parameter.name, row) for row in rows)
        self.kernel = KernelSection()
        self.box = ConsequencesBox()
        self._opened = False  # or closed, by the user
        self._lay_out(form)
        self._connect()
        self.stop.setEnabled(False)
        self.offer_presets({})

    def show_plan(self, plan: RunPlan, device: Device | None = None) -> None:
        """Show a request, without reporting it, and what it means on a device."""
        if plan is self._plan and device == self._device:
            return
        if plan.request != self._request:
            self._request = plan.request
            self._aside = {}
        if plan.backend != self._plan.backend:  # which decides how far the sliders reach
            for row in self.rows.values():
                row.slider.set_backend(plan.backend)
        self._plan = plan
        self._device = device
        self._show()

    def offer_presets(self, own: Mapping[str, RunRequest]) -> None:
        """Offer presets of the user's own, by name, before those that are there for everybody."""
        self.presets.clear()
        self.presets.offer(None, say("Own settings"))
        for name, request in own.items():
            self.presets.offer(request, name)
        self.presets.offer(RunRequest(), say("Default experiment"))
        for preset in PRESETS:
            self.presets.offer(preset.request, preset.name, preset.help)
        self._show()

    def set_live(self, live: bool) -> None:
        with QSignalBlocker(self.live):
            self.live.setChecked(live)

    def show_row(self, name: str) -> QWidget:
        """Scroll to the row of a parameter and return it; the pane where the row is hidden."""
        row = self.rows[name]
        if row.isHidden():
            return self
        self.sections[row.parameter.group].heading.setChecked(True)
        self._scroll.ensureWidgetVisible(row)
        return row

    def arrange(self) -> None:
        high = self.height() >= with_text(LOW)
        for row in self.rows.values():
            row.set_room(high)
        if not self._opened:
            self.box.heading.setChecked(high)

    def apply_theme(self) -> None:
        theme = Theme.current
        self.run.setIcon(icon("run", on_accent(theme), theme.muted))
        self.stop.setIcon(icon("stop", theme.bad, theme.line))
        self.own_presets.setIcon(icon("more", theme.text))
        self.setMinimumWidth(with_text(WIDTH))
        self._fit_text()

    def retranslate(self) -> None:
        self._show()
        for row in self.rows.values():  # they hear of the language after this
            row.write_again()
        self._fit_text()

    def _fit_text(self) -> None:
        rows = self.rows.values()
        for group, section in self.sections.items():
            section.fit_text([row for row in rows if row.parameter.group == group])

    def _make_scroll(self) -> tuple[QScrollArea, QWidget]:
        """Return the scroll area and the empty form in it.

        A widget that is put into another one later is styled anew, with all that it holds.
        """
        scroll = scroll_area(self, sideways=False)
        # One of our own, which is not filled: PySide would make 57 of its classes to tell what kind
        # of widget Qt's is.
        scroll.setViewport(QWidget(scroll))
        form = QWidget(scroll)
        form.setObjectName("scrolled")
        scroll.setWidget(form)
        return scroll, form

    def _lay_out(self, form: QWidget) -> None:
        self.run.setProperty("look", "primary")
        buttons = lay_row(
            None, (self.run, 2), (self.stop, 1), (self.faster, 1), self.live, spacing=GRID
        )
        inner = lay_column(
            form, *self.sections.values(), self.kernel, margins=(0, 0, GRID, 0), spacing=0
        )
        for row in self.rows.values():
            self.sections[row.parameter.group].rows.addWidget(row)
        inner.addStretch(1)
        rule = QFrame(self)
        rule.setObjectName("rule")
        lay_column(
            self,
            lay_row(None, (self.presets, 1), self.own_presets, spacing=GRID),
            buttons,
            (self._scroll, 1),
            rule,
            self.box,
            margins=GRID,
            spacing=GRID,
        )

    def _connect(self) -> None:
        for row in self.rows.values():
            row.edited.connect(self._on_edited)
            row.settled.connect(self.settled)
        self.presets.activated.connect(self._on_preset)
        self.box.heading.clicked.connect(lambda: setattr(self, "_opened", True))

    def _on_edited(self, name: str, value: Value | None) -> None:
        if name == "strategy":
            self._change(self._with_strategy(str(value)))
            return
        # A value that is None or of the parameter's type: the field saw to that.
        self._change(self._request.changed(**{name: value}))

    def _on_preset(self, index: int) -> None:
        request = self.presets.itemData(index)
        if isinstance(request, RunRequest):
            self._aside = {}
            self.settled.emit()
            self._change(request)
            self.settled.emit()

    def _with_strategy(self, strategy: str) -> RunRequest:
        """Return the request with another strategy.

        Settings that it does not have are put aside, and those that it has come back.
        """
        taken = {**self._aside, **self._request.launch.given()}
        self._aside = {name: value for name, value in taken.items() if not belongs(name, strategy)}
        kept = {name: value for name, value in taken.items() if belongs(name, strategy)}
        return replace(self._request, launch=LaunchWish(strategy=strategy, **kept))

    def _change(self, request: RunRequest) -> None:
        if request != self._request:
            self._request = request
            self.requestChanged.emit(request)  # which comes back as a plan

    def _show(self) -> None:
        plan = self._plan
        self._resolved = plan.launched or self._resolved
        reasons = {problem.field: allowed_instead(problem) for problem in plan.problems}
        for name, row in self.rows.items():
            row.show_refusal(reasons.get(name, ""))
            row.show_value(self._request.value(name), self._effective(name))
            row.setVisible(
                name not in SETTING or belongs(name, self._request.strategy) or name in reasons
            )
        shown = {row.parameter.group for row in self.rows.values() if not row.isHidden()}
        for group, section in self.sections.items():
            section.setVisible(group in shown)
        summary = CATALOGUE[self._request.strategy].summary
        self.rows["strategy"].show_note(translate_message(summary))
        self.box.show_request(None if plan.problems else self._resolved, self._device)
        presets = range(self.presets.count())
        same = (place for place in presets if self.presets.itemData(place) == self._request)
        self.presets.setCurrentIndex(next(same, 0))

    def _effective(self, name: str) -> Value:
        source = self._resolved if hasattr(self._resolved, name) else self._resolved.launch
        value: Value = getattr(source, name)
        return value
