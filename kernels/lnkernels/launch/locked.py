"""Strategy `locked`: the tutorial's heuristics, and what its kernels cannot do.

Source: Triton's documentation, "Layer Normalization" (tutorial 05).
"""

from lnkernels.launch.limits import DTYPE_BYTES, DeviceLimits, ceil_div, next_power_of_two
from lnkernels.launch.settings import Launch, Problem, Trait
from lnkernels.launch.strategy import Asked, LaunchedStrategy, refused
from lnkernels.values.sentence import say

_MAX_ROW_BYTES = 65536


class Locked(LaunchedStrategy):
    name = "locked"
    summary = say(
        "Rows add into GROUP_SIZE_M buffers, each behind a spin lock; the last bits of dw and db"
        " differ from run to run."
    )
    deterministic = False
    traits = frozenset({Trait.BLOCKS, Trait.BUFFERS})
    main = "group_size_m"

    def choose(self, asked: Asked) -> Launch:
        n = asked.n
        widest = min(self.widest(asked.dtype), next_power_of_two(n))
        block_size = asked.wish.block_size or widest
        return Launch(
            strategy=self.name,
            block_size=block_size,
            # Stage 1 has no loop over columns, so its block covers the row.
            block_size_n=next_power_of_two(n),
            group_size_m=next((buffers for widest, buffers in _BUFFERS if n <= widest), 64),
            reduce_block_size_m=32,
            reduce_block_size_n=128,
            num_warps=min(max(block_size // 256, 1), 8),
            reduce_num_warps=4,
            num_stages=3,
            # Half-precision buffers cost 1e-2 in dw at 4096 rows, float32 ones 1e-6 (H200,
            # float16).
            partial_dtype="float32",
            barrier=True,
            atomic_count=True,
        )

    def widest(self, dtype: str) -> int:
        return _MAX_ROW_BYTES // DTYPE_BYTES[dtype]

    def check(
        self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None
    ) -> list[Problem]:
        if launch.block_size_n >= n:
            return []
        allowed = say(
            "take at least {least}: stage 1 holds a whole row, and columns past its block would be"
            " dropped",
            least=next_power_of_two(n),
        )
        return refused(launch, "block_size_n", allowed)

    def partial_sums(self, m: int, launch: Launch) -> int:
        return min(launch.group_size_m, m)  # no more than there are rows

    def grids(self, m: int, n: int, launch: Launch) -> tuple[tuple[int, ...], ...]:
        return (m,), (m,), (ceil_div(n, launch.reduce_block_size_n),)

    def exchange_bytes(self, m: int, launch: Launch) -> int:
        return 2 * launch.group_size_m * 4  # locks and counts

    def requested_bytes(
        self,
        direction: str,
        m: int,
        n: int,
        dtype: str,
        launch: Launch,
        norm: str = "layer_norm",
    ) -> int:
        """Return the bytes of both passes as they follow from the kernels' loops.

        Forward walks each row three times (mean, variance, write), so x counts three times; w and b
        count once a row.

        Backward adds a row of partial dw and db per row of x: every row stores it, and every row
        but the first of its buffer loads it before; stage 2 loads all buffers that were written. So
        each row is stored once and loaded once.
        Locks and counts are not counted: how often a lock is polled is not known beforehand. Mean
        and rstd are float32. RMSNorm has one of each two: no walk for the mean, no b, no mean, no
        db.
        """
        pair, element = 2 if norm == "layer_norm" else 1, DTYPE_BYTES[dtype]
        matrix, statistics = m * n * element, pair * m * 4
        if direction == "forward":
            return (2 + 2 * pair) * matrix + statistics
        partial = 4 if launch.partial_dtype == "float32" else element
        return 4 * matrix + statistics + pair * n * (2 * m * partial + element)


# Columns of a row at most, and buffers; 64 for wider rows.
_BUFFERS = ((1024, 256), (4096, 128), (8192, 96))
