"""What a request means before it is run, as numbers, and the box beside the parameters that shows them."""

from dataclasses import dataclass
from math import prod

from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.charts.theme import GRID, Theme
from lnexplorer.gui.parameters.section import Section
from lnkernels.launch import grids, masked_lanes, memory_estimate, partial_buffer_bytes
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device

LINES = ("grids", "lanes", "buffers", "memory", "forward", "backward_stage1", "backward_stage2")
KERNELS = LINES[4:]


UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """Programs, idle lanes and bytes of one request. Shares are None where the device is not known."""

    forward_programs: int
    stage1_programs: int
    stage2_programs: int
    forward_masked: int  # lanes of a row's last block that hold no column
    forward_lanes: int
    stage1_masked: int
    stage1_lanes: int
    buffer_bytes: int
    l2_share: float | None
    memory_bytes: int
    free_bytes: int | None


def consequences(resolved: ResolvedRequest, device: Device | None) -> Consequences:
    """The consequences of a request that can be run."""
    m, n, launch = resolved.m, resolved.n, resolved.launch
    programs = grids(m, n, launch)
    forward_masked = masked_lanes(n, launch.block_size)
    stage1_masked = masked_lanes(n, launch.block_size_n)
    buffers = partial_buffer_bytes(m, n, resolved.dtype, launch)
    return Consequences(
        forward_programs=prod(programs["forward"]),
        stage1_programs=prod(programs["backward_stage1"]),
        stage2_programs=prod(programs["backward_stage2"]),
        forward_masked=forward_masked,
        forward_lanes=n + forward_masked,
        stage1_masked=stage1_masked,
        stage1_lanes=n + stage1_masked,
        buffer_bytes=buffers,
        l2_share=buffers / device.limits.l2_bytes if device else None,
        memory_bytes=memory_estimate(m, n, resolved.dtype, launch).total,
        free_bytes=device.free_memory_bytes if device else None,
    )


def as_bytes(size: int) -> str:
    """A size with three digits: 1.50 MiB."""
    for unit, factor in UNITS:
        if size >= factor:
            value = size / factor
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{size} B"


class ConsequencesBox(QWidget):
    """Launch grids, masked lanes, bytes of the partial buffers, memory, registers and occupancy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._resolved: ResolvedRequest | None = None
        self._device: Device | None = None
        self._compiled: tuple[KernelFacts, ...] = ()
        self.section = Section(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.section)
        self.names = {line: QLabel(self.section.body) for line in LINES}
        self.values = {line: QLabel(self.section.body) for line in LINES}
        self._place(self.section.grid)
        self.retranslate()

    def show_request(self, resolved: ResolvedRequest | None, device: Device | None) -> None:
        """Consequences of a request; None where it cannot be run."""
        if (resolved, device) != (self._resolved, self._device):
            self._resolved, self._device = resolved, device
            self._show_request()

    def show_compiled(self, compiled: tuple[KernelFacts, ...]) -> None:
        """What the compiler made of the kernels of the last run."""
        self._compiled = compiled
        self._show_compiled()

    def apply_theme(self, theme: Theme) -> None:
        self.section.apply_theme(theme)

    def retranslate(self) -> None:
        self.section.set_title(self.tr("Consequences"))
        texts = {
            "grids": (self.tr("launch grids"), self.tr("Programs of the forward pass, of stage 1 and of stage 2.")),
            "lanes": (
                self.tr("masked lanes"),
                self.tr("Lanes of a row's last block that hold no column: they wait, forward and in stage 1."),
            ),
            "buffers": (
                self.tr("partial sums"),
                self.tr("Bytes of the partial sums of dw and db. Within the L2 cache, additions to them are fast."),
            ),
            "memory": (self.tr("memory"), self.tr("Estimate of what the run with its check and timing needs.")),
            "forward": (self.tr("forward"), self._compiled_help()),
            "backward_stage1": (self.tr("stage 1"), self._compiled_help()),
            "backward_stage2": (self.tr("stage 2"), self._compiled_help()),
        }
        for line, (name, sentence) in texts.items():
            self.names[line].setText(name)
            self.names[line].setToolTip(sentence)
            self.values[line].setToolTip(sentence)
        self._show_request()
        self._show_compiled()

    def _compiled_help(self) -> str:
        return self.tr("Of the last run: registers a thread, and the share of an SM's warps that fit at once (occupancy).")

    def _place(self, grid: QGridLayout) -> None:
        grid.setVerticalSpacing(GRID // 2)
        grid.setColumnStretch(1, 1)
        for row, line in enumerate(LINES):
            self.names[line].setProperty("look", "muted")
            self.values[line].setWordWrap(True)
            grid.addWidget(self.names[line], row, 0)
            grid.addWidget(self.values[line], row, 1)

    def _show_request(self) -> None:
        if self._resolved is None:
            for line in LINES[:4]:
                self.values[line].setText("–")
            return
        c = consequences(self._resolved, self._device)
        self.values["grids"].setText(f"{c.forward_programs}  ·  {c.stage1_programs}  ·  {c.stage2_programs}")
        self.values["lanes"].setText(
            self.tr("{a} of {b}  ·  {c} of {d}").format(
                a=c.forward_masked, b=c.forward_lanes, c=c.stage1_masked, d=c.stage1_lanes
            )
        )
        buffers = as_bytes(c.buffer_bytes)
        if c.l2_share is not None:
            buffers = self.tr("{size}, {share} of L2").format(size=buffers, share=_per_cent(c.l2_share))
        self.values["buffers"].setText(buffers)
        memory = as_bytes(c.memory_bytes)
        if c.free_bytes is not None:
            memory = self.tr("{size} of {free} free").format(size=memory, free=as_bytes(c.free_bytes))
        self.values["memory"].setText(memory)

    def _show_compiled(self) -> None:
        facts = {fact.name: fact for fact in self._compiled}
        for name in KERNELS:
            self.values[name].setText(self._facts(facts[name]) if name in facts else self.tr("known after a run"))
            self.values[name].setEnabled(name in facts)

    def _facts(self, fact: KernelFacts) -> str:
        parts = []
        if fact.registers is not None:
            parts.append(self.tr("{count} registers").format(count=fact.registers))
        if fact.spill_bytes:
            parts.append(self.tr("{count} B spilled").format(count=fact.spill_bytes))
        if fact.occupancy is not None:
            parts.append(self.tr("{share} of warps").format(share=_per_cent(fact.occupancy.share_of_warps)))
        return " · ".join(parts) or "–"


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "< 1 %"
