"""What the NVIDIA driver says about itself and its GPUs: through NVML, else through nvidia-smi, else from the PCI bus alone."""

import csv
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from lnexplorer.doctor.facts import Driver, Gpu

SMI_SECONDS = 30
SMI_FIELDS = ("index", "name", "compute_cap", "memory.total", "memory.free", "display_active", "driver_version")
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
        return _from_smi(cards, hidden_by)
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return Driver(error=str(error), cards=cards, hidden_by=hidden_by)
    try:
        count = pynvml.nvmlDeviceGetCount()
        cuda = pynvml.nvmlSystemGetCudaDriverVersion()
        return Driver(
            version=_text(pynvml.nvmlSystemGetDriverVersion()),
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


def parse_smi(text: str) -> tuple[str | None, tuple[Gpu, ...]]:
    """Driver version and GPUs from `nvidia-smi --query-gpu=SMI_FIELDS --format=csv,noheader,nounits`."""
    gpus, driver = [], None
    for line in csv.reader(text.splitlines(), skipinitialspace=True):
        if len(line) != len(SMI_FIELDS):
            continue
        index, name, capability, total, free, display, driver = line
        major, _, minor = capability.partition(".")
        gpus.append(
            Gpu(
                index=int(index),
                name=name,
                compute_capability=(int(major), int(minor)) if major.isdigit() and minor.isdigit() else None,
                memory_bytes=int(total) << 20 if total.isdigit() else None,
                free_bytes=int(free) << 20 if free.isdigit() else None,
                drives_display=display == "Enabled",
                processes=(),
            )
        )
    return driver, tuple(gpus)


def _from_smi(cards: int, hidden_by: str | None) -> Driver:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Driver(error="neither nvidia-ml-py nor nvidia-smi is here", cards=cards, hidden_by=hidden_by)
    command = [program, f"--query-gpu={','.join(SMI_FIELDS)}", "--format=csv,noheader,nounits"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=SMI_SECONDS, check=False, errors="replace")
    except (subprocess.TimeoutExpired, OSError) as error:
        return Driver(error=f"nvidia-smi does not answer ({error})", cards=cards, hidden_by=hidden_by)
    version, gpus = parse_smi(run.stdout)
    error_line = next(iter(run.stdout.splitlines()), "nvidia-smi says nothing") if version is None else None
    return Driver(version=version, gpus=gpus, error=error_line, cards=cards, hidden_by=hidden_by)


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
        name=_text(nvml.nvmlDeviceGetName(device)),
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


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
