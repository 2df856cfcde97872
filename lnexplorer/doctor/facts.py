"""The facts about a machine as plain values: the display, torch, and the NVIDIA driver with its
GPUs.

The display is tried here, because Qt aborts where none answers. Facts about the driver come through
NVML, else from the PCI bus alone.
"""

import ctypes
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lnkernels.values import Sentence, frozen, frozen_by_name, say
from lnkernels.values.nvml import MISMATCH, NO_DRIVER, ask, opened_nvml

PCI = Path("/sys/bus/pci/devices")
NVIDIA_VENDOR = "0x10de"
DISPLAY_CLASSES = ("0x0300", "0x0302")  # VGA and 3D controllers
# The first driver of each CUDA generation: CUDA Compatibility, "Minimum Required Driver Version".
LEAST_DRIVER = {12: "525.60.13", 13: "580.65.06"}
OLDEST_CUDA = min(LEAST_DRIVER)  # for which there is a torch that is supported
# Older GPUs schedule a warp's threads in lockstep, and have neither the atomics nor the progress
# that the spin lock needs.
LEAST_CAPABILITY = (7, 0)
NO_GPU = ("", "-1", "NoDevFiles")  # in CUDA_VISIBLE_DEVICES


@frozen
class Display:
    """The display on which a window would appear."""

    platform: str | None  # "wayland", "xcb", or what QT_QPA_PLATFORM names
    name: str  # such as ":0"
    why_not: str | None  # a sentence, where no window can appear

    @property
    def usable(self) -> bool:
        return self.why_not is None


def find_display(environment: Mapping[str, str]) -> Display:
    """Return the display that Qt would use."""
    chosen = environment.get("QT_QPA_PLATFORM", "")
    if chosen:
        return Display(chosen, chosen, None)
    if sys.platform != "linux":
        return Display(sys.platform, "the desktop", None)
    wayland, x11 = environment.get("WAYLAND_DISPLAY", ""), environment.get("DISPLAY", "")
    if wayland and _wayland_socket(environment, wayland):
        return Display("wayland", wayland, None)
    if x11:
        return Display(
            "xcb", x11, None if _x11_answers(x11) else f"The display {x11} does not answer."
        )
    if wayland:
        return Display("wayland", wayland, f"The Wayland display {wayland} does not exist.")
    return Display(None, "", "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.")


def _wayland_socket(environment: Mapping[str, str], name: str) -> bool:
    return (Path(environment.get("XDG_RUNTIME_DIR", "/")) / name).is_socket()


def _x11_answers(name: str) -> bool:
    """Connect as Qt will, with the same library; if it is missing, that is reported elsewhere."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(name.encode(), None)
    answers: bool = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return answers


@frozen_by_name
class Torch:
    """Facts about torch and triton, from a process of their own."""

    version: str | None = None  # None: not installed
    error: str | None = None  # why it cannot be imported
    cuda: str | None = None  # the CUDA version that it is built for; None for a build without CUDA
    gpus: int = 0  # how many it can use
    gpu_error: str | None = None  # why it can use none, in its own words
    least_capability: tuple[int, int] | None = None  # of the GPUs that it is built for
    triton: str | None = None
    triton_error: str | None = None


@frozen_by_name
class Gpu:
    """A GPU as its driver describes it. None is "not known"."""

    index: int
    name: str
    compute_capability: tuple[int, int] | None
    memory_bytes: int | None
    free_bytes: int | None
    drives_display: bool | None
    processes: tuple[str, ...]  # other programs on it, as "python3 (1234)"


@frozen_by_name
class Driver:
    """The NVIDIA driver and its GPUs."""

    version: str | None = None  # None: no driver answers
    cuda: tuple[int, int] | None = None  # the newest CUDA version that it runs
    gpus: tuple[Gpu, ...] = ()
    error: str | None = None  # why the driver does not answer
    cards: int = 0  # NVIDIA display controllers on the PCI bus, with or without a driver
    hidden_by: str | None = None  # the value of CUDA_VISIBLE_DEVICES where it is set

    @property
    def visible(self) -> tuple[str, ...]:
        """The GPUs that programs see, by their names in CUDA_VISIBLE_DEVICES."""
        named = (
            map(str, range(len(self.gpus)))
            if self.hidden_by is None
            else map(str.strip, self.hidden_by.split(","))
        )
        return tuple(name for name in named if name not in NO_GPU)[: len(self.gpus)]


@frozen_by_name
class WorkerFacts:
    """Facts that a worker depends on, which may be on another machine."""

    system: str  # "Linux"
    python: tuple[int, int, int]
    packages: dict[str, str | None]  # version by name; None: not installed
    torch: Torch
    driver: Driver


@frozen_by_name
class Facts(WorkerFacts):
    """Facts that a worker and a window depend on."""

    extras: dict[str, str | None]  # version or path by name; None: not here
    missing_libraries: dict[str, str]  # package by soname
    qt_error: str | None = None  # why Qt cannot be imported, though all its libraries are here
    display: Display
    chinese_font: str | None  # the name of one


def find_driver() -> Driver:
    seen = Driver(cards=count_cards(PCI), hidden_by=os.environ.get("CUDA_VISIBLE_DEVICES"))
    nvml, error = opened_nvml()
    if nvml is None:
        return replace(seen, error=error)
    cuda = ask(nvml.nvmlSystemGetCudaDriverVersion)
    return replace(
        seen,
        version=ask(nvml.nvmlSystemGetDriverVersion) or "of an unknown version",
        cuda=None if cuda is None else (cuda // 1000, cuda % 1000 // 10),
        gpus=tuple(_gpu(nvml, index) for index in range(ask(nvml.nvmlDeviceGetCount) or 0)),
    )


def count_cards(bus: Path) -> int:
    def read(file: Path) -> str:
        try:
            return file.read_text().strip()
        except OSError:
            return ""

    if not bus.is_dir():
        return 0
    ours = (device for device in bus.iterdir() if read(device / "vendor") == NVIDIA_VENDOR)
    return sum(read(device / "class").startswith(DISPLAY_CLASSES) for device in ours)


def _gpu(nvml: Any, index: int) -> Gpu:
    device = ask(nvml.nvmlDeviceGetHandleByIndex, index)
    memory = ask(nvml.nvmlDeviceGetMemoryInfo, device)
    active = ask(nvml.nvmlDeviceGetDisplayActive, device)
    processes = {
        process.pid
        for question in (
            nvml.nvmlDeviceGetComputeRunningProcesses,
            nvml.nvmlDeviceGetGraphicsRunningProcesses,
        )
        for process in ask(question, device) or ()
        if process.pid != os.getpid()
    }
    return Gpu(
        index=index,
        name=ask(nvml.nvmlDeviceGetName, device) or "an NVIDIA GPU",
        compute_capability=ask(nvml.nvmlDeviceGetCudaComputeCapability, device),
        memory_bytes=None if memory is None else int(memory.total),
        free_bytes=None if memory is None else int(memory.free),
        drives_display=None if active is None else bool(active),
        processes=tuple(_process(pid) for pid in sorted(processes)),
    )


def _process(pid: int) -> str:
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        name = "a program"
    return f"{name} ({pid})"


def why_silent(driver: Driver) -> tuple[Sentence, Sentence | str]:
    """Explain why no driver answers, in its own words, and what to do about it."""
    if not driver.cards and driver.error in (None, *NO_DRIVER):
        return say("There is no NVIDIA driver here."), ""
    silent = say("The NVIDIA driver does not answer: {error}.", error=driver.error or "")
    if driver.error == MISMATCH:
        return silent, say("It was updated: restart this machine.")
    return silent, say("Install NVIDIA's driver, or load it: sudo modprobe nvidia.")


def why_no_gpu(driver: Driver, torch: Torch) -> tuple[Sentence, Sentence | str]:
    """Explain why torch, which is installed, has no GPU, and what to do about it."""
    version = torch.version or ""
    if driver.version is None:
        return why_silent(driver)
    if not driver.gpus:
        return say("The NVIDIA driver {driver} sees no GPU.", driver=driver.version), ""
    gpu = driver.gpus[0].name
    if torch.cuda is None:
        without = say(
            "There is a GPU ({gpu}), but torch {version} is a build without CUDA: install a build"
            " of torch with CUDA.",
            gpu=gpu,
            version=version,
        )
        return without, say("Install one: pip uninstall torch, then pip install torch.")
    if driver.hidden_by is not None and driver.hidden_by.strip() in NO_GPU:
        value = repr(driver.hidden_by)
        hidden = say(
            "There is a GPU ({gpu}), but CUDA_VISIBLE_DEVICES = {value} hides it.",
            gpu=gpu,
            value=value,
        )
        return hidden, say("Unset CUDA_VISIBLE_DEVICES.")
    built = int(torch.cuda.partition(".")[0])
    # Within a major version every driver since its first serves newer minor versions, too (CUDA
    # minor version compatibility).
    if driver.cuda is not None and driver.cuda[0] < built:
        old = say(
            "There is a GPU ({gpu}), but its driver {driver} serves CUDA {served} at most, and"
            " torch {version} is built for CUDA {built}: install a newer driver.",
            gpu=gpu,
            driver=driver.version,
            served=".".join(map(str, driver.cuda)),
            version=version,
            built=torch.cuda,
        )
        least = LEAST_DRIVER.get(built, f"CUDA {built}")
        return old, say(
            "Install driver {least} or newer, or a torch for CUDA {served}.",
            least=least,
            served=driver.cuda[0],
        )
    unknown = say(
        "There is a GPU ({gpu}), but torch {version} cannot use it.", gpu=gpu, version=version
    )
    error = torch.gpu_error or say("It does not say why")
    return unknown, say("{error}. Restart the machine or reinstall the driver.", error=error)
