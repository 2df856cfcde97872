"""What the NVIDIA driver says is there, without torch, so that a torch that sees no GPU can be told why."""

import contextlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver and its GPUs."""

    version: str
    cuda: tuple[int, int]  # the newest CUDA that it serves
    gpus: tuple[str, ...]


def nvidia_driver() -> Driver | None:
    """The driver of this machine; None where there is none that answers."""
    try:
        import pynvml  # noqa: PLC0415 - a missing package is no error here
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        cuda = pynvml.nvmlSystemGetCudaDriverVersion()
        names = [_name(pynvml.nvmlDeviceGetHandleByIndex(index)) for index in range(pynvml.nvmlDeviceGetCount())]
        return Driver(_text(pynvml.nvmlSystemGetDriverVersion()), (cuda // 1000, cuda % 1000 // 10), tuple(names))
    except pynvml.NVMLError:
        return None
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def why_no_gpu(driver: Driver | None, torch_version: str, torch_cuda: str | None, visible: str | None) -> str:
    """One sentence saying why torch has no GPU.

    Args:
        driver: what is there.
        torch_version: such as "2.13.0+cpu".
        torch_cuda: the CUDA that torch was built for, such as "12.8"; None for a build without.
        visible: CUDA_VISIBLE_DEVICES, where it is set.
    """
    if driver is None:
        return "There is no NVIDIA driver here."
    if not driver.gpus:
        return f"The NVIDIA driver {driver.version} sees no GPU."
    gpu = driver.gpus[0]
    if torch_cuda is None:
        return f"There is a GPU ({gpu}), but torch {torch_version} is a build without CUDA: install a build of torch with CUDA."
    if visible is not None and visible.strip() in {"", "-1", "NoDevFiles"}:
        return f"There is a GPU ({gpu}), but CUDA_VISIBLE_DEVICES = {visible!r} hides it."
    major, minor = (int(part) for part in torch_cuda.split(".")[:2])
    served = f"{driver.cuda[0]}.{driver.cuda[1]}"
    # Within a major version every driver since its first serves newer minor versions, too (CUDA minor version compatibility).
    if driver.cuda[0] < major:
        return (
            f"There is a GPU ({gpu}), but its driver {driver.version} serves CUDA {served} at most, and torch {torch_version} "
            f"is built for CUDA {major}.{minor}: install a newer driver."
        )
    return f"There is a GPU ({gpu}), but torch {torch_version} cannot use it."


def _name(handle: object) -> str:
    import pynvml  # noqa: PLC0415

    return _text(pynvml.nvmlDeviceGetName(handle))


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
