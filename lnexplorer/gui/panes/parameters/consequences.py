"""What a request means before it is run, in a box beside the parameters."""

from math import prod

from PySide6.QtWidgets import QFormLayout, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.wording import bytes_text
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.widgets import Label, lay_column
from lnexplorer.gui.panes.parameters.rows import ParameterSection
from lnkernels.launch import grids, masked_lanes, memory_estimate, partial_buffer_bytes
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device

LINES = ("grids", "lanes", "buffers", "memory", "forward", "backward_stage1", "backward_stage2")
KERNELS = LINES[4:]


class ConsequencesBox(QWidget):
    """Launch grids, masked lanes, bytes of the partial buffers, memory, registers and occupancy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._resolved: ResolvedRequest | None = None
        self._device: Device | None = None
        self._compiled: tuple[KernelFacts, ...] = ()
        self.section = ParameterSection(self)
        lay_column(self, self.section)
        self.names = {line: Label(self.section.body) for line in LINES}
        self.values = {line: Label(self.section.body) for line in LINES}
        self._lay_out()
        self.retranslate()

    def show_request(self, resolved: ResolvedRequest | None, device: Device | None) -> None:
        """Consequences of a request; None where it cannot be run."""
        if (resolved, device) != (self._resolved, self._device):
            self._resolved = resolved
            self._device = device
            self._show_request()

    def show_compiled(self, compiled: tuple[KernelFacts, ...]) -> None:
        self._compiled = compiled
        self._show_compiled()

    def retranslate(self) -> None:
        self.section.set_title(self.tr("What this launch means"))
        compiled = self.tr(
            "Of the last run: registers a thread, and the share of an SM's warps that fit at once"
            " (occupancy)."
        )
        texts = {
            "grids": (
                self.tr("launch grids"),
                self.tr("Programs of the forward pass, of stage 1 and of stage 2."),
            ),
            "lanes": (
                self.tr("masked lanes"),
                self.tr(
                    "Lanes of a row's last block that hold no column: they wait, forward and in"
                    " stage 1."
                ),
            ),
            "buffers": (
                self.tr("partial sums"),
                self.tr(
                    "Bytes of the partial sums of dw and db. Within the L2 cache, additions to them"
                    " are fast."
                ),
            ),
            "memory": (
                self.tr("memory"),
                self.tr("Estimate of what the run with its check and timing needs."),
            ),
            "forward": (self.tr("forward"), compiled),
            "backward_stage1": (self.tr("stage 1"), compiled),
            "backward_stage2": (self.tr("stage 2"), compiled),
        }
        for line, (name, sentence) in texts.items():
            self.names[line].setText(name)
            self.names[line].setToolTip(sentence)
            self.values[line].setToolTip(sentence)
        self._show_request()
        self._show_compiled()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(GRID)
        form.setVerticalSpacing(GRID // 2)
        for line in LINES:
            self.names[line].setProperty("look", "muted")
            self.values[line].setWordWrap(True)
            form.addRow(self.names[line], self.values[line])
        self.section.rows.addLayout(form)

    def _show_request(self) -> None:
        if self._resolved is None:
            for line in LINES[:4]:
                self.values[line].setText("–")
            return
        m, n, dtype, launch = (
            self._resolved.m,
            self._resolved.n,
            self._resolved.dtype,
            self._resolved.launch,
        )
        programs, device = grids(m, n, launch), self._device
        # Of a row's last block, forward and in stage 1; and all of its lanes.
        a, c = masked_lanes(n, launch.block_size), masked_lanes(n, launch.block_size_n)
        lanes = self.tr("{a} of {b}  ·  {c} of {d}").format(a=a, b=n + a, c=c, d=n + c)
        buffer_bytes = partial_buffer_bytes(m, n, dtype, launch)
        buffers, memory = (
            bytes_text(buffer_bytes),
            bytes_text(memory_estimate(m, n, dtype, launch).total),
        )
        if device is not None:
            share = _per_cent(buffer_bytes / device.limits.l2_bytes)
            buffers = self.tr("{size}, {share} of L2").format(size=buffers, share=share)
            memory = self.tr("{size} of {free} free").format(
                size=memory, free=bytes_text(device.free_memory_bytes)
            )
        self.values["grids"].setText("  ·  ".join(str(prod(programs[name])) for name in KERNELS))
        self.values["lanes"].setText(lanes)
        self.values["buffers"].setText(buffers)
        self.values["memory"].setText(memory)

    def _show_compiled(self) -> None:
        facts = {fact.name: fact for fact in self._compiled}
        for name in KERNELS:
            self.values[name].setText(
                self._facts(facts[name]) if name in facts else self.tr("known after a run")
            )
            self.values[name].setEnabled(name in facts)

    def _facts(self, fact: KernelFacts) -> str:
        parts = []
        if fact.registers is not None:
            parts.append(self.tr("{count} registers").format(count=fact.registers))
        if fact.spill_bytes:
            parts.append(self.tr("{count} B spilled").format(count=fact.spill_bytes))
        if fact.occupancy is not None:
            parts.append(
                self.tr("{share} of warps").format(share=_per_cent(fact.occupancy.share_of_warps))
            )
        return " · ".join(parts) or "–"


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "< 1 %"
