"""Measures launch settings on this machine's GPU, and keeps the best for the user.

    python -m lnkernels.tune --n 1024 4096 --dtype float16 --kind rows forward

What is found is used from then on, see `lnkernels.launch.tuned`, and printed in the form of
`lnkernels.launch.measured`. Every candidate is checked by the kernels' own policy before it is timed. Every width's
result is kept as soon as there is one, so an interruption with Ctrl-C loses only what was under way.

    python -m lnkernels.tune --table

measures at the widths of the built-in table in place, prints the whole table anew, and keeps nothing.

Exit status: 0 done, 2 the options are not possible, 3 there is no GPU, nothing could be measured or kept, 130
interrupted.
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lnkernels.launch import DTYPE_BYTES, DeviceLimits
from lnkernels.launch.tuned import Entry, Kept, StrategyEntry, TunedFileError, write_tuned
from lnkernels.launch.tuning import add_tune_options, fill_in, table_source, table_widths
from lnkernels.tune_search import (
    COMPARED,
    DeviceLostError,
    Measure,
    Search,
    Times,
    searches,
    table_searches,
    tune,
    with_candidates,
)

if TYPE_CHECKING:
    import torch

OK, FAILED, INTERRUPTED = 0, 3, 130


def main(arguments: list[str]) -> int:
    """Measure, keep, print; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lnkernels.tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_tune_options(parser)
    chosen = parser.parse_args(arguments)
    fill_in(chosen)
    begun = time.monotonic()
    try:
        device = _open(chosen.device)
    except RuntimeError as error:
        return _fail("start", str(error))
    from lnkernels.device import device_limits, environment

    limits, stamp = device_limits(device), environment(device)
    print(f"# {stamp}")
    wanted = table_searches(chosen.dtype, chosen.kind) if chosen.table else searches(chosen.n, chosen.dtype, chosen.kind)
    wanted = with_candidates(wanted, limits)
    until = None if chosen.minutes is None else begun + 60 * chosen.minutes
    progress = _Progress(len(wanted))
    results: _Table | _File = _Table() if chosen.table else _File(limits, stamp.date)
    try:
        for search, entry, times in tune(wanted, limits, _measurement(chosen.m, device, limits, progress), until):
            progress.clear()
            results.take(search, entry, times)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressing it twice says nothing new, and what is kept is yet to be said
        progress.clear()
        print(f"interrupted; {results.so_far()}", file=sys.stderr)
        return INTERRUPTED
    except (OSError, TunedFileError) as error:
        progress.clear()
        return _fail("saving", str(error))
    except DeviceLostError as error:
        progress.clear()
        return _fail("run", f"{error}; {results.so_far()}")
    progress.clear()
    if results.empty:
        return _fail("run", "no candidate could be measured")
    results.end()
    return OK


class _File:
    """Results that are kept for the user as they come."""

    def __init__(self, limits: DeviceLimits, date: str) -> None:
        self._limits, self._date = limits, date
        self._file: Path | None = None

    @property
    def empty(self) -> bool:
        return self._file is None

    def take(self, search: Search, entry: Kept, times: Sequence[float]) -> None:
        self._file = write_tuned(self._limits, self._date, [entry])
        print(f"{entry},  # {search.dtype}, {_microseconds(times)}", flush=True)

    def so_far(self) -> str:
        return "nothing was found yet" if self._file is None else f"what was found is kept in {self._file}"

    def end(self) -> None:
        print(f"Kept in {self._file}, and used from now on.", file=sys.stderr)


class _Table:
    """Results that make a table, which is printed at the end."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    @property
    def empty(self) -> bool:
        return not self._entries

    def take(self, search: Search, entry: Kept, times: Sequence[float]) -> None:
        assert not isinstance(entry, StrategyEntry), "no width of the table is measured with both strategies"
        up_to_n = table_widths(search.kind, DTYPE_BYTES[search.dtype])[search.n]
        self._entries.append(replace(entry, up_to_n=up_to_n))
        print(f"# {search}: {_microseconds(times)}", flush=True)

    def so_far(self) -> str:
        if self.empty:
            return "nothing was found yet"
        print(table_source(self._entries))
        return "the tables hold what was found, and no more"

    def end(self) -> None:
        print(table_source(self._entries))


def _microseconds(times: Sequence[float]) -> str:
    return f"{' '.join(f'{ms * 1e3:.1f}' for ms in times)} µs"


def _open(name: str) -> "torch.device":
    """The GPU of a name such as cuda:0, made the current one.

    Raises:
        RuntimeError: it cannot be used; the message says why.
    """
    try:
        import torch
    except ImportError as error:
        raise RuntimeError(f"torch cannot be imported: {error}") from error
    if not torch.cuda.is_available():
        raise RuntimeError("there is no GPU that torch can use, and the interpreter's times mean nothing")
    device = torch.device(name)
    if device.index >= torch.cuda.device_count():
        raise RuntimeError(f"device = {name} is not there: the last GPU is cuda:{torch.cuda.device_count() - 1}")
    torch.cuda.set_device(device)
    return device


def _measurement(rows: Sequence[int], device: "torch.device", limits: DeviceLimits, progress: "_Progress") -> Measure:
    from lnkernels.failures import free_what_was_left, in_one_line
    from lnkernels.tune_trial import Trial, raise_if_lost

    def measure(search: Search, entries: list[Entry], deadline: float | None) -> dict[int, Times]:
        progress.begin(search)
        begun = time.monotonic()
        # The first M compiles; what it has no time for, no other needs.
        until = None if deadline is None else begun + (deadline - begun) / len(rows)
        timed: dict[int, Times] = {}
        for m in rows:
            tried = entries if not timed else list(next(iter(timed.values())))

            def enough(first: bool = not timed) -> bool:
                return first and until is not None and time.monotonic() >= until

            try:
                trial = Trial(m, search.n, search.dtype, device, limits)
            except Exception as error:  # noqa: BLE001 - mostly memory that is not there: it costs this shape
                raise_if_lost(error)
                progress.tell(f"M = {m} left out: {in_one_line(error)}\n")
                free_what_was_left(error)
                continue
            timed[m] = trial.times(tried, lambda text, m=m: progress.tell(f"M = {m}, {text}"), enough)  # type: ignore[misc]
            del trial  # the next one needs its memory
        return timed

    return measure


class _Progress:
    """One changing line on a terminal, and a line a search elsewhere, all on stderr."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._search = total, 0, ""
        self._on_terminal = sys.stderr.isatty()

    def begin(self, search: Search) -> None:
        self._done += search.kind != COMPARED
        self._search = f"{self._done}/{self._total} {search}"
        if not self._on_terminal:
            print(self._search, file=sys.stderr, flush=True)

    def tell(self, text: str) -> None:
        stays = text.endswith("\n")
        if self._on_terminal:
            print(f"\r\x1b[K{self._search}, {text}", end="", file=sys.stderr, flush=True)
        elif stays:
            print(f"  {text}", end="", file=sys.stderr)

    def clear(self) -> None:
        if self._on_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _fail(phase: str, cause: str) -> int:
    print(f"tuning failed in phase {phase}: {cause}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
