"""What the model of the schedule knows of a device and a kernel."""

from dataclasses import dataclass

ARBITRATIONS = ("random", "fifo", "newest")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationParameters:
    """Times in ns. They belong to a device and to rows of one width and type; GROUP_SIZE_M and the number of rows are
    free.

    What slows a lock down are mostly the tries of those that wait for it. Each is an atomic operation in the L2 cache,
    which answers one after another, so a try of W waiting programs takes sqrt(hand_over² + (spin · W)²): the way there
    and back while few wait, and as long as it takes to answer all of them while many do. Programs that hold a lock add
    to W, and with many locks the work is shared (`congestion.crowding`). A lock that is given back is taken by the
    first of its k waiting programs whose try arrives after that; as their tries are spread over the time that one
    takes, this is the (k + 1)-th part of it later. So a hand-over takes (1 + 1 / (k + 1)) times as long as a try.
    """

    resident_programs: int  # programs of stage 1 on the device at once: SMs × occupancy
    sm_count: int
    compute_ns: float  # from a program's start to its first try for the lock, while few programs compute
    crowd_ns: float = 0.0  # what each program that computes or holds a lock adds to the others' compute time: bandwidth is shared
    hold_ns: float  # from taking the lock to giving it back: load, add, store
    hold_crowd_ns: float = 0.0  # what each of them adds to the others' holds
    first_hold_ns: float | None = None  # the same for a buffer's first row, which only stores; None for hold_ns
    try_ns: float  # a first try that finds the lock free; it waits for the program's own stores, too
    hand_over_ns: float  # a try while few programs wait: the way to the L2 cache and back
    spin_ns: float = 0.0  # how long the L2 cache is busy with one try
    hold_slowdown: float = 0.0  # share of a try's slow-down by spinning that a hold suffers, too: it counts with an atomic
    stagger_ns: float  # between the starts of two programs of the first wave
    exit_ns: float  # from giving the lock back to the start of the next program in its place
    arbitration: str = "random"  # one of ARBITRATIONS: any waiting row, the first to come, or the last to come
    jitter: float = 0.0  # standard deviation of compute and hold times over their mean
    lock_spread: float = 0.0  # standard deviation between locks of their mean hold time over it: some are farther away in L2
    seed: int = 0
    stage2_gap_ns: float = 0.0  # from the last release to the first tile
    tile_base_ns: float = 0.0  # of a tile, whatever its length
    tile_step_ns: float = 0.0  # for each BLOCK_SIZE_M buffers; of fewer in proportion
    tile_jitter: float = 0.0  # standard deviation of a tile's time over its mean

    def __post_init__(self) -> None:
        if self.resident_programs < 1 or self.sm_count < 1:
            raise ValueError("resident_programs and sm_count are at least 1")
        if self.arbitration not in ARBITRATIONS:
            raise ValueError(f"arbitration = {self.arbitration!r} is not one of {', '.join(ARBITRATIONS)}")
