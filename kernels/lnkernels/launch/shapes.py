"""Element types and the integer arithmetic of blocks."""

DTYPES = ("float16", "bfloat16", "float32")
DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4}


def ceil_div(a: int, b: int) -> int:
    """The least number of blocks of `b` that cover `a` elements."""
    return -(-a // b)


def next_power_of_two(n: int) -> int:
    """The least power of two that is at least `n` (1 for n <= 1)."""
    return 1 << max(n - 1, 0).bit_length()


def is_power_of_two(n: int) -> bool:
    """Whether `n` is 1, 2, 4, 8, …"""
    return n > 0 and n & (n - 1) == 0


def masked_lanes(n: int, block: int) -> int:
    """Lanes of the last block that a mask switches off when rows of `n` columns are walked in steps of `block`."""
    return ceil_div(n, block) * block - n
