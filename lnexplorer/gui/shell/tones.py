"""The tone of the badge that says where numbers come from. Needs no charts, which the first pane must not wait for."""

from lnkernels.values.environment import Kind

TONES = {
    Kind.MEASURED: "good",
    Kind.INTERPRETED: "warning",
    Kind.SIMULATED: "warning",
    Kind.RECORDED: "accent",
    Kind.PUBLISHED: "accent",
}
