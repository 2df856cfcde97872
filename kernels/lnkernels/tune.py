"""Measures candidate launch settings on this machine's GPU and prints entries for `lnkernels.launch.settings_table`.

    python -m lnkernels.tune --kind rows --bytes 2 --n 1024 2048 4096 8192

Every candidate is checked against PyTorch before it is timed; candidates of one width and M are timed in turns, kernels alone in
a CUDA graph, cold L2. The entry printed has the least product of times over the Ms. Nothing is written.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import product
from math import prod

import torch

from lnkernels import forward_once, persistent, split
from lnkernels.device import device_limits, environment
from lnkernels.inputs import Inputs, make_inputs
from lnkernels.launch import DeviceLimits, ceil_div, next_power_of_two
from lnkernels.launch.settings import ForwardSettings, RowsSettings, SplitSettings
from lnkernels.launch.settings_choice import reduce_settings
from lnkernels.launch.settings_table import ForwardEntry, RowsEntry, SplitEntry
from lnkernels.reductions import PartialSums
from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch

Entry = RowsEntry | SplitEntry | ForwardEntry
EPS = 1e-5
_DTYPES = {2: torch.float16, 4: torch.float32}
_CLOSE = 0.02  # of the largest value: a candidate's results against PyTorch's, to tell a broken kernel from a good one


def candidates(kind: str, n: int, size: int, limits: DeviceLimits) -> Iterator[Entry]:  # noqa: PLR0912  three lists in one place
    """Settings worth a try for rows of n elements of `size` bytes."""
    block = next_power_of_two(n)
    common = {"element_bytes": size, "up_to_n": n}
    if kind == "rows":
        for rows, warps, stages, programs in product((1, 2, 4, 8, 16), (1, 2, 4, 8, 16), (3, 4, 6), (1, 2, 4)):
            shared = 2 * rows * block * size * (stages - 1) * programs
            a_thread = rows * block // (32 * warps)
            if 8 <= a_thread <= 64 and rows * block <= 8192 and shared <= limits.shared_bytes_per_sm * 0.9:
                for apart in (False, True) if block <= 512 else (False,):
                    yield RowsEntry(
                        **common, rows=rows, num_warps=warps, num_stages=stages, programs_per_sm=programs, sums_per_row=apart
                    )
    elif kind == "split":
        for width, warps, stages in product((2048, 4096, 8192), (4, 8, 16), (3, 4)):
            if width < block and 8 <= width // (32 * warps) <= 32:
                yield SplitEntry(**common, block_n=width, num_warps=warps, num_stages=stages)
    else:
        for rows, warps in product((1, 2, 4), (1, 2, 4, 8, 16)):
            if rows * block <= 16384 and 16 <= rows * block // (32 * warps) <= 64:
                yield ForwardEntry(**common, rows=rows, block_n=0, num_warps=warps, num_stages=1, programs_per_sm=0)
                for stages, programs in product((3, 4), (1, 2, 4, 8)):
                    if rows * block * size * (stages - 1) * programs <= limits.shared_bytes_per_sm * 0.9:
                        walk = {"num_stages": stages, "programs_per_sm": programs}
                        yield ForwardEntry(**common, rows=rows, block_n=0, num_warps=warps, **walk)
        for step, warps in ((4096, 8), (4096, 16), (8192, 16), (8192, 32), (16384, 32)):
            if n >= 8192 and step < block:
                yield ForwardEntry(**common, rows=1, block_n=step, num_warps=warps, num_stages=1, programs_per_sm=0)


class Problem:
    """One shape: inputs, PyTorch's results, and calls of candidates."""

    def __init__(self, m: int, n: int, size: int, limits: DeviceLimits) -> None:
        self.inputs: Inputs = make_inputs(m, n, _DTYPES[size], "normal", 0, "cuda")
        self.limits, self.shape = limits, (m, n)
        x, weight, bias, dy = self.inputs.x, self.inputs.weight, self.inputs.bias, self.inputs.dy
        y, mean, rstd = torch.ops.aten.native_layer_norm(x, [n], weight, bias, EPS)
        self.mean, self.rstd = mean.float().reshape(-1), rstd.float().reshape(-1)
        gradients = torch.ops.aten.native_layer_norm_backward(dy, x, [n], mean, rstd, weight, bias, [True, True, True])
        self.expected: dict[str, torch.Tensor] = dict(zip(("y", "dx", "dw", "db"), (y, *gradients), strict=True))
        self.given = {name: torch.empty_like(tensor) for name, tensor in self.expected.items()}

    def call(self, entry: Entry) -> tuple[Callable[[], None], tuple[str, ...]]:
        """A call that launches the entry's kernels, and the names of what it writes."""
        (m, n), x, weight, given = self.shape, self.inputs.x, self.inputs.weight, self.given
        block, sms, reduce = next_power_of_two(n), self.limits.sm_count, reduce_settings(self.limits)
        gradients = {name: given[name] for name in ("dx", "dw", "db")}
        backward = (x, self.inputs.dy, weight, self.mean, self.rstd)
        if isinstance(entry, ForwardEntry):
            one = ForwardSettings(
                rows=entry.rows,
                block_n=entry.block_n or block,
                num_warps=entry.num_warps,
                num_stages=entry.num_stages,
                programs=entry.programs_per_sm * sms or None,
            )
            out = {"y": given["y"], "mean": torch.empty_like(self.mean), "rstd": torch.empty_like(self.rstd)}
            return lambda: forward_once.launch_forward(x, weight, self.inputs.bias, EPS, one, **out), ("y",)
        if isinstance(entry, RowsEntry):
            rows = RowsSettings(
                rows=entry.rows,
                block_n=block,
                num_warps=entry.num_warps,
                num_stages=entry.num_stages,
                programs=entry.programs_per_sm * sms,
                max_registers=None,
                sums_per_row=entry.sums_per_row,
                reduce=reduce,
            )
            sums = PartialSums.allocate(persistent.programs_for(m, rows), n, "cuda")
            return lambda: persistent.launch_backward(*backward, rows, sums, **gradients), tuple(gradients)
        slices = ceil_div(n, entry.block_n)
        shared = SplitSettings(
            slices=slices,
            block_n=entry.block_n,
            num_warps=entry.num_warps,
            num_stages=entry.num_stages,
            max_registers=None,
            groups=sms // slices,
            reduce=reduce,
        )
        workspace = split.SplitWorkspace.allocate(m, n, shared, "cuda")
        return lambda: split.launch_backward(*backward, shared, workspace, **gradients), tuple(gradients)

    def times(self, entries: list[Entry]) -> dict[Entry, float]:
        """Median ms of every entry that compiles, fits the device and is right."""
        capture, flush = Capture(self.inputs.x.device), Flush(self.inputs.x.device)
        watches: dict[Entry, KernelStopwatch] = {}
        samples: dict[Entry, list[float]] = {}
        for entry in entries:
            try:
                call, written = self.call(entry)
                for name in written:
                    self.given[name].fill_(torch.nan)
                call()
                if all(self._is_close(name) for name in written):
                    watches[entry] = KernelStopwatch(capture(lambda call=call: call), "cold", flush)  # type: ignore[misc]
                    samples[entry] = []
                else:
                    print(f"# wrong: {entry}")
            except RuntimeError as error:
                print(f"# {str(error).splitlines()[0]}: {entry}")
        for _ in range(3):
            for entry, watch in watches.items():
                samples[entry] += watch(10)
        return {entry: sorted(times)[len(times) // 2] for entry, times in samples.items()}

    def _is_close(self, name: str) -> bool:
        error = (self.given[name].float() - self.expected[name].float()).abs().max()
        return bool(error <= _CLOSE * self.expected[name].float().abs().max())  # a NaN is not


def main() -> None:
    """Measure, and print entries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("rows", "split", "forward"), default="rows")
    parser.add_argument("--bytes", type=int, choices=(2, 4), default=2)
    parser.add_argument("--n", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096, 8192])
    parser.add_argument("--m", type=int, nargs="+", default=[4096, 32768])
    chosen = parser.parse_args()
    device = torch.device("cuda", torch.cuda.current_device())
    limits = device_limits(device)
    print(f"# {environment(device)}")
    for n in chosen.n:
        entries = list(candidates(chosen.kind, n, chosen.bytes, limits))
        timed = [Problem(m, n, chosen.bytes, limits).times(entries) for m in chosen.m]
        everywhere = [entry for entry in timed[0] if all(entry in times for times in timed)]
        products = {entry: prod(times[entry] for times in timed) for entry in everywhere}
        for entry in sorted(products, key=products.__getitem__)[:3]:
            print(f"{entry},  # {' '.join(f'{times[entry] * 1e3:.1f}' for times in timed)} µs", flush=True)


if __name__ == "__main__":
    main()
