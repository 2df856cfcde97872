"""The GPUs that the driver shows, for who asks for all of them, or for one that is not there."""

import re
from collections.abc import Sequence

from lnkernels.launch import Problem


def missing_devices(names: Sequence[str], others: Sequence[str] = ("auto", "interpreter")) -> list[Problem]:
    """GPUs of `names` ("cuda:0") that are not there, each with what is; none where the driver does not answer for its cards.

    Devices that can be asked for besides are `others`. To be asked when no worker came up: loading torch finds out more, and
    this says whether the request was at fault.
    """
    indices = {name: int(name.removeprefix("cuda:")) for name in names if re.fullmatch("cuda:[0-9]+", name)}
    count = gpu_count() if indices else None
    if count is None:
        return []
    offered = ", ".join([*others, *(f"cuda:{index}" for index in range(count))])
    there = "the driver shows no NVIDIA GPU" if not count else f"the driver shows {count} NVIDIA GPU{'' if count == 1 else 's'}"
    allowed = f"{there}; take one of {offered}" if offered else f"{there}, and this needs one"
    return [Problem("device", name, allowed) for name, index in indices.items() if index >= count]


def gpus_are_known() -> bool:
    """Whether the driver lists GPUs, or programs are shown none: no more than that is there, and no torch has to be asked."""
    from lnexplorer.doctor.nvidia import find_driver

    driver = find_driver()
    return bool(driver.gpus) or driver.hidden_by == ""


def gpu_count() -> int | None:
    """Number of GPUs that programs see, 0 where there is none; None where there are cards and no driver answers for them."""
    from lnexplorer.doctor.nvidia import find_driver

    driver = find_driver()
    if driver.cards and not driver.gpus:
        return None
    visible = driver.hidden_by
    listed = len(driver.gpus) if visible is None else len([name for name in visible.split(",") if name.strip()])
    return min(len(driver.gpus), listed)
