"""What a launch costs before it is run: programs, idle lanes, buffers, memory."""

from dataclasses import dataclass

from lnkernels.launch.config import LaunchConfig
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div

FLUSH_BYTES = 256 << 20  # the buffer that timing writes to empty the L2 cache
CHECK_CHUNK_BYTES = 256 << 20  # the accuracy check walks rows in chunks of about this size


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes of device memory that a run asks for."""

    tensors: int  # x, y, dy, dx, weights, statistics
    partial_buffers: int  # partial sums of dw and db, and what programs tell each other
    check: int  # PyTorch's results, and float64 chunks
    timing: int  # the cache flush

    @property
    def total(self) -> int:
        """Sum of the parts, in bytes."""
        return self.tensors + self.partial_buffers + self.check + self.timing


def grids(m: int, n: int, launch: LaunchConfig) -> dict[str, tuple[int, ...]]:
    """Launch grid of each kernel for x of [m, n], in programs."""
    columns = ceil_div(n, launch.reduce_block_size_n)
    if launch.strategy == "locked":
        return {"forward": (m,), "backward_stage1": (m,), "backward_stage2": (columns,)}
    tiles = ceil_div(m, launch.forward_rows) if launch.block_size >= n else m
    stage1 = m if launch.strategy == "atomic" else buffers_in_use(m, launch) * launch.slices
    return {
        "forward": (min(tiles, launch.forward_programs or tiles),),
        "backward_stage1": (stage1,),
        "backward_stage2": (columns, 2),  # dw and db
    }


def masked_lanes(n: int, block: int) -> int:
    """Lanes of the last block that a mask switches off when rows of `n` columns are walked in steps of `block`."""
    return ceil_div(n, block) * block - n


def even_share(items: int, most: int) -> int:
    """The fewest workers that take no more of the items each than `most` workers would."""
    return ceil_div(items, max(ceil_div(items, max(most, 1)), 1))


def buffers_in_use(m: int, launch: LaunchConfig) -> int:
    """Number of partial sums of dw, and of db, that m rows leave to stage 2."""
    match launch.strategy:
        case "persistent":  # one a program
            return even_share(ceil_div(m, launch.rows), launch.programs)
        case "split":  # one a group of programs that share a row
            return even_share(ceil_div(m, launch.rows), launch.programs // launch.slices)
        case "atomic":
            return min(m, 1)
        case _:  # no more than there are rows
            return min(launch.group_size_m, m)


def partial_buffer_bytes(m: int, n: int, dtype: str, launch: LaunchConfig) -> int:
    """Bytes of the partial sums of dw and db together, [2, buffers_in_use, n]."""
    element = 4 if launch.partial_dtype == "float32" else DTYPE_BYTES[dtype]
    return 2 * buffers_in_use(m, launch) * n * element


def memory_estimate(m: int, n: int, dtype: str, launch: LaunchConfig) -> MemoryEstimate:
    """Device memory for one checked and timed run of x [m, n]."""
    element = DTYPE_BYTES[dtype]
    matrix = m * n * element
    # Locks and counts of locked, 4 bytes each; words of split, 8 bytes a slice of a row, where it has several.
    exchange = 2 * launch.group_size_m * 4 + (m * launch.slices * 8 if launch.strategy == "split" and launch.slices > 1 else 0)
    return MemoryEstimate(
        tensors=4 * matrix + 4 * n * element + 2 * m * 4,
        partial_buffers=partial_buffer_bytes(m, n, dtype, launch) + exchange,
        check=2 * matrix + 4 * min(CHECK_CHUNK_BYTES, 8 * m * n),
        timing=FLUSH_BYTES,
    )
