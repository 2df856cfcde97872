"""A box beside the parameters: the consequences of a request before it is run."""

from math import prod

from PySide6.QtWidgets import QFormLayout, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.wording import bytes_text
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.widgets import Label, lay_column
from lnexplorer.gui.panes.parameters.rows import ParameterSection
from lnkernels.launch import grids, masked_lanes, memory_estimate, partial_buffer_bytes
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

COMPILED = say(
    "Of the last run: registers a thread, and the share of an SM's warps that fit at once"
    " (occupancy)."
)
KERNELS = {
    "forward": say("forward"),
    "backward_stage1": say("stage 1"),
    "backward_stage2": say("stage 2"),
}
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


class ConsequencesBox(Retranslated, QWidget):
    """Launch grids, masked lanes, bytes of the partial buffers, memory, registers and occupancy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.section = ParameterSection(self)
        self.section.show_title(say("What this launch means"))
        lay_column(self, self.section)
        self.names = {line: Label(self.section.body) for line in LINES}
        self.values = {line: Label(self.section.body) for line in LINES}
        form = QFormLayout()
        form.setHorizontalSpacing(GRID)
        form.setVerticalSpacing(GRID // 2)
        for line, (name, tip) in LINES.items():
            self.names[line].setProperty("look", "muted")
            self.values[line].setWordWrap(True)
            form.addRow(self.names[line], self.values[line])
            self.write_on(self.names[line], name, tip)
            self.write_on(self.values[line], tip=tip)
        self.section.rows.addLayout(form)
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


def _consequences(resolved: ResolvedRequest, device: Device | None) -> dict[str, Sentence]:
    m, n, dtype, launch = resolved.m, resolved.n, resolved.dtype, resolved.launch
    programs = grids(m, n, launch)
    # Of a row's last block, forward and in stage 1; and all of its lanes.
    a, c = masked_lanes(n, launch.block_size), masked_lanes(n, launch.block_size_n)
    size = partial_buffer_bytes(m, n, dtype, launch)
    buffers = verbatim(bytes_text(size))
    memory = verbatim(bytes_text(memory_estimate(m, n, dtype, launch).total))
    if device is not None:
        share = _per_cent(size / device.limits.l2_bytes)
        buffers = say("{size}, {share} of L2", size=buffers, share=share)
        free = bytes_text(device.free_memory_bytes)
        memory = say("{size} of {free} free", size=memory, free=free)
    return {
        "grids": verbatim("  ·  ".join(str(prod(programs[name])) for name in KERNELS)),
        "lanes": say("{a} of {b}  ·  {c} of {d}", a=a, b=n + a, c=c, d=n + c),
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
    return join_sentences(parts, verbatim(" · ")) if parts else verbatim("–")


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "< 1 %"
