"""What the NVIDIA driver says about itself and its GPUs: through NVML, else from the PCI bus alone."""

import os
from pathlib import Path
from typing import Any

from lnexplorer.doctor.facts import Driver, Gpu

PCI = Path("/sys/bus/pci/devices")
NVIDIA_VENDOR = "0x10de"
DISPLAY_CLASSES = ("0x0300", "0x0302")  # VGA and 3D controllers


def find_driver() -> Driver:
    """The driver and its GPUs."""
    hidden_by = os.environ.get("CUDA_VISIBLE_DEVICES")
    cards = count_cards(PCI)
    try:
        import pynvml
    except ImportError:
        return Driver(error="nvidia-ml-py is not installed", cards=cards, hidden_by=hidden_by)
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return Driver(error=str(error), cards=cards, hidden_by=hidden_by)
    try:
        count = pynvml.nvmlDeviceGetCount()
        cuda = pynvml.nvmlSystemGetCudaDriverVersion()
        return Driver(
            version=pynvml.nvmlSystemGetDriverVersion(),
            cuda=(cuda // 1000, cuda % 1000 // 10),
            gpus=tuple(_gpu(pynvml, index) for index in range(count)),
            cards=cards,
            hidden_by=hidden_by,
        )
    except pynvml.NVMLError as error:
        return Driver(error=str(error), cards=cards, hidden_by=hidden_by)
    finally:
        pynvml.nvmlShutdown()


def count_cards(bus: Path) -> int:
    """NVIDIA's display controllers on a PCI bus."""

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
    device = nvml.nvmlDeviceGetHandleByIndex(index)

    def ask(question: Any, *arguments: Any) -> Any:
        try:
            return question(*arguments)
        except nvml.NVMLError:
            return None  # not every GPU answers every question

    memory = ask(nvml.nvmlDeviceGetMemoryInfo, device)
    processes = {
        process.pid
        for question in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses)
        for process in ask(question, device) or ()
        if process.pid != os.getpid()
    }
    return Gpu(
        index=index,
        name=nvml.nvmlDeviceGetName(device),
        compute_capability=ask(nvml.nvmlDeviceGetCudaComputeCapability, device),
        memory_bytes=None if memory is None else int(memory.total),
        free_bytes=None if memory is None else int(memory.free),
        drives_display=None if (active := ask(nvml.nvmlDeviceGetDisplayActive, device)) is None else bool(active),
        processes=tuple(_process(pid) for pid in sorted(processes)),
    )


def _process(pid: int) -> str:
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        name = "a program"
    return f"{name} ({pid})"
