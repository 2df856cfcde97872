"""What an exception says about the one who raised it: too much asked of the device, not possible, or an error."""

import gc

import torch

from lnkernels.compiled.wording import causes
from lnkernels.values.figures import RefusalKind


def kind_of(error: BaseException) -> RefusalKind:
    """The kind of refusal that an exception means."""
    for one in causes(error):
        # By its name: Triton's OutOfResources has moved between modules, and others have their own.
        if isinstance(one, torch.OutOfMemoryError) or type(one).__name__ == "OutOfResources":
            return "out_of_resources"
    return "invalid" if isinstance(error, ValueError) else "failed"


def free_what_was_left(error: BaseException) -> None:
    """After memory ran out: give back what the failed one kept through its traceback and the allocator's cache."""
    if kind_of(error) != "out_of_resources":
        return
    for one in causes(error):
        one.__traceback__ = None
    gc.collect()
    torch.cuda.empty_cache()


def device_is_lost() -> bool:
    """Whether the device does not answer any more: a CUDA error that stays makes every later time meaningless."""
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False
