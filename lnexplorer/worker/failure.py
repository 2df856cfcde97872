"""What went wrong in a job, as one sentence and a traceback, and whether the device survived it."""

import traceback

import torch

from lnexplorer.protocol.messages import Failed


def failed(job: int, phase: str, error: BaseException, device: torch.device) -> Failed:
    """The message about an error that ended a job."""
    return Failed(
        job=job,
        phase=phase,
        cause=_sentence(error, device),
        detail="".join(traceback.format_exception(error)),
        device_lost=device_is_lost(device),
    )


def device_is_lost(device: torch.device) -> bool:
    """Whether a CUDA error stays, as most do: then nothing works in this process any more."""
    if device.type != "cuda":
        return False
    try:
        torch.cuda.synchronize(device)
        torch.zeros(1, device=device).add_(1)
        torch.cuda.synchronize(device)
    except torch.OutOfMemoryError:
        return False
    except RuntimeError:
        return True
    return False


def _sentence(error: BaseException, device: torch.device) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # A compiler's error begins with a place in the source, and ends with what is wrong there.
    first = (lines[-1] if lines[0].endswith(":") else lines[0]).rstrip(".") if lines else "no message"
    if isinstance(error, torch.OutOfMemoryError):
        asked = next((part for part in first.split(". ") if part.startswith("Tried to allocate")), first)
        free, total = torch.cuda.mem_get_info(device)
        return f"GPU memory ran out: {asked[0].lower()}{asked[1:]}, and {_gib(free)} of {_gib(total)} are free."
    if isinstance(error, MemoryError) or "can't allocate memory" in first or "not enough memory" in first:
        return f"The machine's memory ran out: {first}."
    return f"{type(error).__name__}: {first}."


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
