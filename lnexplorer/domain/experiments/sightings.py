"""Where rows were seen to be lost without the barrier, and where they were looked for and not seen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One device and shape."""

    device: str
    m: int
    n: int
    group_size_m: int | None  # None where it was not told
    buffers: str  # element type
    wrong: int
    runs: int
    published: str = ""  # who told it, where it was not measured by this program's kernels


SIGHTINGS = (
    Sighting(device="NVIDIA H200", m=8192, n=2048, group_size_m=128, buffers="float16", wrong=247, runs=1000),
    Sighting(device="NVIDIA H200", m=4096, n=8192, group_size_m=96, buffers="float16", wrong=1, runs=6000),
    Sighting(
        device="RTX 4090",
        m=8192,
        n=2048,
        group_size_m=None,
        buffers="float16",
        wrong=99,
        runs=100,
        published="tritonbench pull request 1266",
    ),
)
