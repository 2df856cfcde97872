"""Measures launch settings on this machine's GPU, and keeps the best for the user.

    python -m lnkernels.tune --n 1024 4096 --dtype float16 --kind rows forward

What is found is used from then on, see `lnkernels.launch.tuned`, and printed in the form of `lnkernels.launch.settings_table`.
Every candidate is checked against PyTorch before it is timed. Every width's result is kept as soon as there is one, so an
interruption with Ctrl-C loses only what was under way.

Exit status: 0 done, 2 the options are not possible, 3 there is no GPU, nothing could be measured or kept, 130 interrupted.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from lnkernels.launch import DTYPE_BYTES, DeviceLimits
from lnkernels.launch.candidates import candidates
from lnkernels.launch.settings_forward import has_many_rows
from lnkernels.launch.settings_table import ForwardEntry
from lnkernels.launch.tune_options import add_tune_options
from lnkernels.launch.tuned import Entry, TunedFileError, write_tuned

if TYPE_CHECKING:
    import torch

OK, FAILED, INTERRUPTED = 0, 3, 130


@dataclass(frozen=True, slots=True)
class Search:
    """One search: settings of one kind for one width and element type."""

    kind: str
    n: int
    dtype: str

    def __str__(self) -> str:
        return f"{self.kind}, N = {self.n}, {self.dtype}"


# From entries to ms for each M; an entry that could not be timed is left out.
Measure = Callable[[Search, list[Entry]], Sequence[dict[Entry, float]]]


def searches(widths: Sequence[int], dtypes: Sequence[str], kinds: Sequence[str]) -> list[Search]:
    """What there is to do; of two element types of one size the first alone."""
    sizes = {DTYPE_BYTES[dtype]: dtype for dtype in reversed(dtypes)}
    return [Search(kind, n, dtype) for n in dict.fromkeys(widths) for dtype in sizes.values() for kind in dict.fromkeys(kinds)]


def tune(
    wanted: Sequence[Search],
    limits: DeviceLimits,
    measure: Measure,
    until: float | None = None,
    now: Callable[[], float] = time.monotonic,
    *,
    rows: Sequence[int],
) -> Iterator[tuple[Search, Entry, Sequence[float]]]:
    """Search after search, the best entry and its ms for each M.

    Args:
        wanted: what to search.
        limits: the device's.
        measure: times candidates.
        until: time of `now` after which no search begins.
        now: the clock.
        rows: numbers of rows, one for each answer of `measure`. The forward pass gets an entry for few and one for many.
    """
    for search in wanted:
        if until is not None and now() >= until:
            return
        entries = candidates(search.kind, search.n, search.dtype, limits)
        timed = measure(search, entries) if entries else []
        for many_rows, together in _classes(search.kind, rows, timed):
            everywhere = [entry for entry in together[0] if all(entry in times for times in together)]
            if everywhere:
                best = min(everywhere, key=lambda entry: prod(times[entry] for times in together))
                kept = replace(best, many_rows=many_rows) if isinstance(best, ForwardEntry) else best
                yield search, kept, [times[best] for times in together]


def _classes(kind: str, rows: Sequence[int], timed: Sequence[dict[Entry, float]]) -> list[tuple[bool, list[dict[Entry, float]]]]:
    """Times whose product decides together: those of few and of many rows apart, where they have settings of their own."""
    of_each = list(zip(rows, timed, strict=False))  # nothing was timed where there was nothing to try
    if kind != "forward":
        return [(False, [times for _, times in of_each])] if of_each else []
    apart = ((many, [times for m, times in of_each if has_many_rows(m) == many]) for many in (False, True))
    return [(many, together) for many, together in apart if together]


def main(arguments: list[str]) -> int:
    """Measure, keep, print; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lnkernels.tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_tune_options(parser)
    chosen = parser.parse_args(arguments)
    begun = time.monotonic()
    try:
        device = _open(chosen.device)
    except RuntimeError as error:
        return _fail("start", str(error))
    from lnkernels.device import device_limits, environment  # noqa: PLC0415

    limits, stamp = device_limits(device), environment(device)
    print(f"# {stamp}")
    wanted = searches(chosen.n, chosen.dtype, chosen.kind)
    until = None if chosen.minutes is None else begun + 60 * chosen.minutes
    progress = _Progress(len(wanted))
    file: Path | None = None
    try:
        for search, entry, times in tune(
            wanted, limits, _measurement(chosen.m, device, limits, progress, until), until, rows=chosen.m
        ):
            file = write_tuned(limits, stamp.date, [entry])
            progress.clear()
            print(f"{entry},  # {search.dtype}, {' '.join(f'{ms * 1e3:.1f}' for ms in times)} µs", flush=True)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressing it twice says nothing new, and what is kept is yet to be said
        progress.clear()
        kept = "nothing was found yet" if file is None else f"what was found is kept in {file}"
        print(f"interrupted; {kept}", file=sys.stderr)
        return INTERRUPTED
    except (OSError, TunedFileError) as error:
        return _fail("saving", str(error))
    progress.clear()
    if file is None:
        return _fail("run", "no candidate could be measured")
    print(f"Kept in {file}, and used from now on.", file=sys.stderr)
    return OK


def _open(name: str) -> "torch.device":
    """The GPU of a name such as cuda:0, made the current one.

    Raises:
        RuntimeError: it cannot be used; the message says why.
    """
    try:
        import torch  # noqa: PLC0415 - seconds that --help and a typing error can do without
    except ImportError as error:
        raise RuntimeError(f"torch cannot be imported: {error}") from error
    if not torch.cuda.is_available():
        raise RuntimeError("there is no GPU that torch can use, and the interpreter's times mean nothing")
    device = torch.device(name)
    if device.index >= torch.cuda.device_count():
        raise RuntimeError(f"device = {name} is not there: the last GPU is cuda:{torch.cuda.device_count() - 1}")
    torch.cuda.set_device(device)
    return device


def _measurement(
    rows: Sequence[int], device: "torch.device", limits: DeviceLimits, progress: "_Progress", until: float | None
) -> Measure:
    from lnkernels.tune_trial import Trial  # noqa: PLC0415

    def enough() -> bool:
        return until is not None and time.monotonic() >= until

    def measure(search: Search, entries: list[Entry]) -> list[dict[Entry, float]]:
        progress.begin(search)
        timed: list[dict[Entry, float]] = []
        tried = entries
        for m in rows:
            trial = Trial(m, search.n, search.dtype, device, limits)
            # What the first M had no time for, no other needs.
            timed.append(trial.times(tried, lambda text, m=m: progress.tell(f"M = {m}, {text}"), enough if not timed else _never))  # type: ignore[misc]
            tried = list(timed[0])
        return timed

    return measure


def _never() -> bool:
    return False


class _Progress:
    """One changing line on a terminal, and a line a search elsewhere, all on stderr."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._search = total, 0, ""
        self._on_terminal = sys.stderr.isatty()

    def begin(self, search: Search) -> None:
        self._done += 1
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
