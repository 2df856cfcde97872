"""What was found on a machine, as plain values."""

from dataclasses import dataclass

from lnexplorer.doctor.display import Display


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch:
    """What torch and triton say about themselves in a process of their own."""

    version: str | None = None  # None: not installed
    error: str | None = None  # why it cannot be imported
    cuda: str | None = None  # the CUDA version that it is built for; None for a build without CUDA
    gpus: int = 0  # how many it can use
    gpu_error: str | None = None  # why it can use none, in its own words
    triton: str | None = None
    triton_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU as its driver describes it. None is "not known"."""

    index: int
    name: str
    compute_capability: tuple[int, int] | None
    memory_bytes: int | None
    free_bytes: int | None
    drives_display: bool | None
    processes: tuple[str, ...]  # other programs on it, as "python3 (1234)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The NVIDIA driver and its GPUs."""

    version: str | None = None  # None: no driver answers
    cuda: tuple[int, int] | None = None  # the newest CUDA version that it runs
    gpus: tuple[Gpu, ...] = ()
    error: str | None = None  # why the driver does not answer
    cards: int = 0  # NVIDIA display controllers on the PCI bus, with or without a driver
    hidden_by: str | None = None  # the value of CUDA_VISIBLE_DEVICES where it is set


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that the checks look at."""

    system: str  # "Linux"
    python: tuple[int, int, int]
    packages: dict[str, str | None]  # version by name; None: not installed
    torch: Torch
    missing_libraries: dict[str, str]  # package by soname
    qt_error: str | None = None  # why Qt cannot be imported, where it is installed with all its libraries
    display: Display
    chinese_font: str | None  # the name of one
    driver: Driver
