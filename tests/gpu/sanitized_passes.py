"""Forward and backward passes of every strategy, to be run under NVIDIA's compute-sanitizer.

    compute-sanitizer --tool racecheck python -m tests.gpu.sanitized_passes [STRATEGY ...]

Shapes are small, because a sanitizer makes a kernel hundreds of times slower, and provoke what it
    looks for: rows that
do not fill their tile, more rows than programs, few locks for many rows, rows that several programs
share. Ends with 1 on a wrong sum.
"""

import sys
from typing import Any

import torch

from lnkernels import layer_norm
from lnkernels.launch import LaunchWish

# Of rows in one block, in one block and part of it, in blocks, and of those that only some
# strategies take.
SHAPES = [(300, 256), (300, 1024), (67, 1500), (40, 2560), (67, 5000), (24, 8192), (20, 12800)]
WIDE = [(20, 20000), (5, 65536)]
DTYPES = (torch.float16, torch.float32)
FEW_LOCKS = 4  # for 300 rows
# of the largest value: a lost or doubled row, or a word that was never written, is far more
MOST_OFF = 0.02


def cases(strategy: str) -> list[tuple[int, int, torch.dtype]]:
    """Rows, columns and type of what a strategy is run with."""
    shapes = SHAPES if strategy in ("persistent", "atomic", "locked") else SHAPES + WIDE
    found = [(m, n, dtype) for m, n in shapes for dtype in DTYPES]
    if strategy == "persistent":
        return [case for case in found if case[1] <= 8192 or case[2] is torch.float16]
    return found


def run(strategy: str, m: int, n: int, dtype: torch.dtype) -> list[str]:
    """Both passes, twice, for the second finds memory that the first has used; the names of results
    that are wrong.
    """
    torch.manual_seed(0)
    settings: dict[str, Any] = {"group_size_m": FEW_LOCKS} if strategy == "locked" else {}
    leaves = [
        torch.rand(shape, device="cuda", dtype=dtype).requires_grad_()
        for shape in ((m, n), (n,), (n,))
    ]
    dy = torch.randn((m, n), device="cuda", dtype=dtype)
    wide = [leaf.detach().double().requires_grad_() for leaf in leaves]
    expected = torch.nn.functional.layer_norm(wide[0], (n,), wide[1], wide[2])
    expected.backward(dy.double())
    wrong = []
    for _ in range(2):
        for leaf in leaves:
            leaf.grad = None
        y = layer_norm(
            leaves[0], (n,), leaves[1], leaves[2], launch=LaunchWish(strategy=strategy, **settings)
        )
        y.backward(dy)
        pairs = [
            ("y", y, expected),
            *(
                (name, leaf.grad, one.grad)
                for name, leaf, one in zip("xwb", leaves, wide, strict=True)
            ),
        ]
        for name, found, right in pairs:
            if (
                found is None
                or right is None
                or not bool((found - right).abs().max() <= MOST_OFF * right.abs().max())
            ):
                wrong.append(name)
    return wrong


def main(strategies: list[str]) -> int:
    """Run what was asked for; 1 where anything is wrong."""
    failed = 0
    for strategy in strategies or ["locked", "atomic", "persistent", "split", "auto"]:
        for m, n, dtype in cases(strategy):
            wrong = run(strategy, m, n, dtype)
            print(
                f"{strategy} {m} x {n} {dtype}: {'wrong ' + ' '.join(wrong) if wrong else 'right'}",
                flush=True,
            )
            failed = 1 if wrong else failed
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
