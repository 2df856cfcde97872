"""Stored snapshots of kernels that hang, which `tests.simulated_hangs` wrote."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from lnkernels.values.timeline import HangSnapshot

STORED = Path(__file__).parent / "domain" / "hangs.json"
ARRAYS = {"row", "program", "last", "since_ns", "holds", "wants"}


def stored() -> dict[str, HangSnapshot]:
    """Return the snapshots of tests/domain/hangs.json by the names of their kernels."""
    return {
        name: HangSnapshot(**{key: _restored(key, value) for key, value in plain.items()})
        for name, plain in json.loads(STORED.read_text()).items()
    }


def _restored(key: str, value: Any) -> Any:
    if key in ARRAYS:
        return np.array(value, np.int64)
    if key == "lines":
        return tuple(map(tuple, value))
    return tuple(value) if isinstance(value, list) else value
