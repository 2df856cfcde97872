"""Provenance of a number: its kind, the machine and its software, and the device's state."""

from dataclasses import asdict, fields, replace
from enum import StrEnum

from lnkernels.launch import DeviceLimits
from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.sentence import Sentence, say

# What the user of another machine calls this one; not set where it is their own.
HOST_VARIABLE = "LNEXPLORER_HOST"


class Kind(StrEnum):
    """Kind of a figure; every number on the screen carries one."""

    MEASURED = "measured"
    INTERPRETED = "interpreted"
    SIMULATED = "simulated"
    RECORDED = "recorded"
    PUBLISHED = "published"


KIND_NAMES = {
    Kind.MEASURED: say("measured"),
    Kind.INTERPRETED: say("interpreted"),
    Kind.SIMULATED: say("simulated"),
    Kind.RECORDED: say("recorded"),
    Kind.PUBLISHED: say("published"),
}
KIND_HELP = {
    Kind.MEASURED: say("Measured on a GPU: results and times are real."),
    Kind.INTERPRETED: say(
        "Computed by Triton's interpreter on the CPU: the results are real, times and contention"
        " mean nothing."
    ),
    Kind.SIMULATED: say("From a model of the schedule; its parameters are on view."),
    Kind.RECORDED: say("Measured before, on the named GPU and date, and replayed."),
    Kind.PUBLISHED: say("A figure from somebody's documentation."),
}


@frozen_by_name
class DeviceState:
    """State of a GPU that changes from one moment to the next. None is "not known"."""

    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    throttle_reasons: tuple[str, ...] = ()  # what holds the clocks down
    other_processes: int | None = None  # on the GPU besides this one
    # In which the clocks were held down since the driver was loaded: what came and went between two
    # looks shows here.
    power_held_ms: float | None = None  # by the power cap
    heat_held_ms: float | None = None  # by the temperature


@frozen_by_name
class Environment(DeviceState):
    """State of machine and software around a run. None is "not known here"."""

    date: str  # ISO 8601, UTC
    python: str
    torch: str
    triton: str
    gpu: str | None = None
    driver: str | None = None
    cuda: str | None = None
    compute_capability: tuple[int, int] | None = None
    peers: str = ""  # packages of other kernels that are here: "quack-kernels 0.6.5, …"
    host: str | None = None  # of another machine than the one that asked, as its user calls it

    @property
    def where(self) -> str:
        """The GPU, or "CPU", with the host if it is another machine: "NVIDIA H200 on rack7"."""
        device = self.gpu or "CPU"
        return device if self.host is None else f"{device} on {self.host}"

    @property
    def named_gpu(self) -> str | None:
        """The same text for a GPU; None for a CPU."""
        return None if self.gpu is None else self.where

    @property
    def stamp(self) -> tuple[str, ...]:
        """Device, versions and date, as they stand in a line of text."""
        versions = {"driver": self.driver, "torch": self.torch, "triton": self.triton}
        return (
            self.where,
            *(f"{name} {version}" for name, version in versions.items() if version),
            self.date,
        )

    @property
    def architecture(self) -> str:
        """Architecture of the GPU, such as "sm_90"; empty where it is not known."""
        return "" if self.compute_capability is None else "sm_{}{}".format(*self.compute_capability)

    @property
    def state(self) -> DeviceState:
        return DeviceState(
            **{field.name: getattr(self, field.name) for field in fields(DeviceState)}
        )

    @property
    def place(self) -> "Environment":
        """Machine and software alone, without the date and the state that changes."""
        return replace(self, date="", **asdict(DeviceState()))


@frozen_by_name
class Provenance:
    kind: Kind
    environment: Environment


@frozen_by_name
class Offered:
    """A LayerNorm of others that could be timed."""

    name: str  # "torch", "liger", …: what requests call it
    label: str  # what people call it
    missing: Sentence | None = None  # why it cannot be timed here; None where it can


@frozen_by_name
class Device:
    """The device of a worker."""

    backend: str  # "cuda" or "interpreter"
    name: str  # "NVIDIA H200", or what the interpreter is
    index: int | None  # of the GPU; None for the interpreter
    # of the GPU; for the interpreter those of the architecture it compiles for
    limits: DeviceLimits
    free_memory_bytes: int
    notes: tuple[Sentence, ...]  # why this device, and what to know about it
    environment: Environment
    # who can be timed beside the project's kernels, and who cannot
    offered: tuple[Offered, ...] = ()
