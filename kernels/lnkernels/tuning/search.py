"""Measures launch settings on this machine's GPU, and keeps the best for the user.

    python -m lnkernels.tuning.search --n 1024 4096 --dtype float16 --kind rows forward

What is found is used from then on, see `lnkernels.launch.tuned`, and printed in the form of
`lnkernels.launch.measured`. Every candidate is checked by the kernels' own policy before it is
timed. Every width's result is kept as soon as there is one, so an interruption with Ctrl-C loses
only what was under way.

Exit status: 0 done, 2 the options are not possible, 3 there is no GPU, nothing could be measured or
    kept, 130
interrupted.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lnkernels.failures import DeviceLostError, free_what_was_left, in_one_line, raise_if_lost
from lnkernels.launch import DTYPE_BYTES, DeviceLimits
from lnkernels.launch.candidates import add_tune_options, candidates, untuned
from lnkernels.launch.forward import has_many_rows
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.persistent import holds_rows
from lnkernels.launch.tuned import Entry, Kept, StrategyEntry, TunedFileError, write_tuned

if TYPE_CHECKING:
    import torch

OK, FAILED, INTERRUPTED = 0, 3, 130
# of the time of what is used untuned: another has to take less, or its gain is taken for noise
_WORTH = 0.99
_KINDS_COMPARED = ("rows", "split")
COMPARED = "strategy"  # kind of the search that compares their best


@dataclass(frozen=True, slots=True)
class TuningTask:
    kind: str
    n: int
    dtype: str

    def __str__(self) -> str:
        return f"{self.kind}, N = {self.n}, {self.dtype}"


Times: TypeAlias = dict[Entry, float]  # ms; without those that could not be timed
# Times for each M that could be measured at all. The number is when no further candidate is to be
# begun.
Measure: TypeAlias = Callable[[TuningTask, list[Entry], float], dict[int, Times]]


def searches(
    widths: Sequence[int], dtypes: Sequence[str], kinds: Sequence[str], limits: DeviceLimits
) -> list[TuningTask]:
    """What there is to try on a device, each once; of two element types of one size the first
    alone.
    """
    of_a_size: dict[int, str] = {}
    for dtype in dtypes:
        of_a_size.setdefault(DTYPE_BYTES[dtype], dtype)
    every = dict.fromkeys(
        TuningTask(kind, n, dtype) for n in widths for dtype in of_a_size.values() for kind in kinds
    )
    return [search for search in every if candidates(search.kind, search.n, search.dtype, limits)]


def tune(
    wanted: Sequence[TuningTask],
    limits: DeviceLimits,
    measure: Measure,
    until: float,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[TuningTask, Kept, list[float]]]:
    """Search after search, the best entry and its ms for each M. The forward pass gets an entry for
    few rows and one for many.

    Where the settings of both strategies of the backward pass were found for a width, they are
    measured once more, in turns, and the faster strategy is an entry, too. No search begins after
    `until` of `now`; until then each has an equal share of what time is left.
    """
    found: dict[tuple[int, str], dict[str, Entry]] = {}
    for done, search in enumerate(wanted):
        begun = now()
        if begun >= until:
            return
        entries = candidates(search.kind, search.n, search.dtype, limits)
        timed = measure(search, entries, begun + (until - begun) / (len(wanted) - done))
        for many_rows, together in _classes(search.kind, timed):
            usual = untuned(search.kind, search.n, search.dtype, limits, many_rows=many_rows)
            best = _best(usual, entries, together)
            if best is not None:
                kept = (
                    replace(best, many_rows=many_rows) if isinstance(best, ForwardEntry) else best
                )
                yield search, kept, [times[best] for times in together]
                found.setdefault((search.n, search.dtype), {})[search.kind] = best
        both = found.get((search.n, search.dtype), {})
        if search.kind in _KINDS_COMPARED and all(kind in both for kind in _KINDS_COMPARED):
            yield from _compared(search, [both[kind] for kind in _KINDS_COMPARED], limits, measure)


def _compared(
    search: TuningTask, entries: list[Entry], limits: DeviceLimits, measure: Measure
) -> Iterator[tuple[TuningTask, Kept, list[float]]]:
    """Which of the best settings of both strategies, persistent first, is the faster."""
    usual = entries[0 if holds_rows(search.n, search.dtype, limits) else 1]
    both = TuningTask(COMPARED, search.n, search.dtype)
    together = list(measure(both, entries, float("inf")).values())
    best = _best(usual, entries, together)
    if best is not None and all(len(times) == len(entries) for times in together):
        strategy = "persistent" if isinstance(best, RowsEntry) else "split"
        entry = StrategyEntry(element_bytes=best.element_bytes, up_to_n=search.n, strategy=strategy)
        yield both, entry, [times[best] for times in together]


def _best(usual: Entry, entries: list[Entry], together: list[Times]) -> Entry | None:
    """The entry with the least product of times, of those timed everywhere; the usual one unless
    another is worth it.
    """
    products = {
        entry: prod(times[entry] for times in together)
        for entry in entries
        if all(entry in times for times in together)
    }
    if not products or not together:
        return None
    best = min(products, key=lambda entry: products[entry])
    return (
        usual
        if usual in products and products[best] > products[usual] * _WORTH ** len(together)
        else best
    )


def _classes(kind: str, timed: dict[int, Times]) -> list[tuple[bool, list[Times]]]:
    """Times whose product decides together: those of few and of many rows apart, where they have
    settings of their own.
    """
    if kind != "forward":
        return [(False, list(timed.values()))]
    apart = (
        (many, [times for m, times in timed.items() if has_many_rows(m) == many])
        for many in (False, True)
    )
    return [(many, together) for many, together in apart if together]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lnkernels.tuning.search",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_tune_options(parser)
    chosen = parser.parse_args(arguments)
    until = time.monotonic() + 60 * chosen.minutes
    try:
        device = _open(chosen.device)
    except RuntimeError as error:
        return _fail("start", str(error))
    from lnkernels.device import device_limits, environment

    limits, stamp = device_limits(device), environment(device)
    print(f"# {stamp}")
    wanted = searches(chosen.n, chosen.dtype, chosen.kind, limits)
    file: Path | None = None
    try:
        for search, entry, times in tune(
            wanted, limits, _measurement(chosen.m, device, limits, wanted), until
        ):
            file = write_tuned(limits, stamp.date, [entry])
            print(
                f"{entry},  # {search.dtype}, {' '.join(f'{ms * 1e3:.1f}' for ms in times)} µs",
                flush=True,
            )
    except KeyboardInterrupt:
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # pressing it twice says nothing new, and what is kept is yet to be said
        print(f"interrupted; {_kept(file)}", file=sys.stderr)
        return INTERRUPTED
    except (OSError, TunedFileError) as error:
        return _fail("saving", str(error))
    except DeviceLostError as error:
        return _fail("run", f"{error}; {_kept(file)}")
    if file is None:
        return _fail("run", "no candidate could be measured")
    print(f"Kept in {file}, and used from now on.", file=sys.stderr)
    return OK


def _kept(file: Path | None) -> str:
    return "nothing was found yet" if file is None else f"what was found is kept in {file}"


def _open(name: str) -> "torch.device":
    """The GPU of a name such as cuda:0, made the current one.

    Raises:
        RuntimeError: it cannot be used; the message says why.
    """
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError(
            "there is no GPU that torch can use, and the interpreter's times mean nothing"
        )
    device = torch.device(name)
    if device.index >= torch.cuda.device_count():
        raise RuntimeError(
            f"device = {name} is not there: the last GPU is cuda:{torch.cuda.device_count() - 1}"
        )
    torch.cuda.set_device(device)
    return device


def _measurement(
    rows: Sequence[int], device: "torch.device", limits: DeviceLimits, wanted: list[TuningTask]
) -> Measure:
    from lnkernels.tuning.trial import trial

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def measure(search: TuningTask, entries: list[Entry], deadline: float) -> dict[int, Times]:
        say(
            f"{wanted.index(search) + 1}/{len(wanted)} {search}"
            if search in wanted
            else f"{search}"
        )
        begun = time.monotonic()
        # The first M compiles; what it has no time for, no other needs.
        until = begun + (deadline - begun) / len(rows)
        timed: dict[int, Times] = {}
        for m in rows:
            tried = entries if not timed else list(next(iter(timed.values())))
            if not tried:
                break

            def enough(first: bool = not timed) -> bool:
                return first and time.monotonic() >= until

            try:
                given = (m, search.n, search.dtype, tried, device, limits)
                timed[m] = trial(*given, lambda text, m=m: say(f"  M = {m}, {text}"), enough)  # type: ignore[misc]
            except DeviceLostError:
                raise
            except Exception as error:  # noqa: BLE001 - mostly memory that is not there: it costs this shape
                raise_if_lost(error)
                say(f"  M = {m} left out: {in_one_line(error)}")
                free_what_was_left(error)
        return timed

    return measure


def _fail(phase: str, cause: str) -> int:
    print(f"tuning failed in phase {phase}: {cause}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
