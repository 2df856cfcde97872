"""Decides, before anything imports Triton, whether its kernels run on a GPU or in its interpreter."""

import ctypes
import importlib.metadata
import os


def _has_usable_gpu() -> bool:
    """Whether torch can use a GPU here, asked without importing torch: many tests do without it."""
    if importlib.metadata.version("torch").endswith("+cpu"):
        return False
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


if not _has_usable_gpu():
    os.environ["TRITON_INTERPRET"] = "1"
