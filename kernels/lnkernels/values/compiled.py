"""Facts about compiled kernels."""

from dataclasses import field

from lnkernels.launch import Occupancy
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import Sentence


@frozen_by_name
class KernelFacts:
    """Facts about one compiled kernel. None is "not known"."""

    name: str  # "forward", "backward_stage1", "backward_stage2", as in `lnkernels.launch.grids`
    architecture: str  # such as sm_90
    grid: tuple[int, ...]  # programs; empty where a launch is not known
    num_warps: int  # 0 where a launch decides it, as with CUDA
    registers: int | None  # a thread
    # a thread: its stack frame, which in these kernels holds nothing but spilled registers
    spill_bytes: int | None
    shared_bytes: int | None  # a program
    occupancy: Occupancy | None
    instructions: int | None = None  # of the machine code
    # On what was compiled: its autotuner's configuration, libraries that have no code for this.
    remarks: tuple[Sentence, ...] = ()
    # By stage of the compiler, those that were asked for.
    texts: dict[str, str] = field(default_factory=dict, hash=False)
    # What each parameter that is a tensor is: "x", "y", "statistics", "sums", "locks" …
    tensors: dict[str, str] = field(default_factory=dict, hash=False)


@frozen
class LaunchedKernels:
    """Kernels that a user's file launched in both passes."""

    sentence: Sentence
    # By an autotuned kernel's name, the configuration that it chose by time. The interpreter times
    # nothing, so none is chosen there.
    tuned: tuple[tuple[str, str], ...] = ()
    own: bool = True  # False where the file surely launched none of its own


@frozen
class CompiledKernels:
    """Facts about the kernels of a run."""

    kernels: tuple[KernelFacts, ...]
