"""Finds out which bits of some rows' results depend on what is around the rows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import torch

from lnexplorer.domain.experiments.invariance import (
    INVARIANT,
    PROMISED,
    RESULTS,
    BitsCell,
    BitsSide,
    Invariance,
    Result,
    Way,
)
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.experiments.work import Work, median_ms
from lnexplorer.worker.trace import interruptible
from lnkernels.check.inputs import Inputs
from lnkernels.check.results import kernel_results
from lnkernels.check.verifier import called
from lnkernels.device import device_limits
from lnkernels.launch import STRATEGIES, LaunchWish, resolve_launch
from lnkernels.providers.protocol import Case, Provider
from lnkernels.triton_internals import launching
from lnkernels.values import ExplainedError, frozen, verbatim
from lnkernels.values.figures import DIRECTIONS

USUAL = ("persistent", "torch")
ALONE: tuple[Result, ...] = ("y", "dx")  # results of each row alone; the others are sums of all
WHOLE = {2: torch.int16, 4: torch.int32}  # by bytes of an element


@frozen(eq=False)
class Seen:
    """The results of the compared rows, and the constants of the kernels of Triton behind them."""

    at: int  # which of the places of a way
    bits: dict[Result, torch.Tensor]  # as whole numbers, so that a NaN is equal to itself
    launched: dict[str, object]

    def changed(self, other: "Seen") -> dict[Result, float]:
        """Return the share of elements whose bits differ, of each result and row that both have."""
        return {
            name: float((one[: len(two)] != two[: len(one)]).float().mean())
            for name, one in self.bits.items()
            if (two := other.bits.get(name)) is not None
        }


def measure(work: Work) -> Invariance:
    """Look at the problem's strategy, the named providers and the invariant launch, one by one."""
    own, kernel = work.resolved.launch.strategy, work.request.kernel
    kernels = () if kernel is None else (kernel,)
    asked = (own, *(work.request.providers or USUAL), *(each.name for each in kernels))
    names = dict.fromkeys((*asked, INVARIANT))
    wishes = {name: LaunchWish(strategy=name) for name in names if name in STRATEGIES}
    wishes |= {own: work.problem.launch, INVARIANT: PROMISED}
    request = MeasureRequest(
        settings=tuple(replace(work.problem, launch=wish) for wish in wishes.values()),
        providers=tuple(name for name in names if name not in wishes),
        kernels=kernels,
        modes=work.modes,
        with_ceilings=False,
    )
    tensors, candidates = work.measurer.checked(work.task, request)
    work.measurer.time_request(work.task, request, tensors, candidates)
    work.measurer.forget()
    work.task.begin("run")
    named = dict(zip((*wishes, *request.providers), candidates, strict=True))
    found = Invariance(rows=max(work.resolved.m // 4, 1))
    for number, name in enumerate(names):
        outcome, provider = named[name].outcome(), named[name].provider
        if provider is None:
            why = outcome.reason or ""
            raise ExplainedError("{name} cannot be looked at: {why}", name=name, why=why)
        tell = partial(work.task.step, verbatim(name), number, len(named))
        with interruptible(work.task, work.torch_device):
            cells = tuple(_cells(work, found.rows, provider, wishes.get(name), tell))
        ms = {f"{way}_ms": median_ms(outcome, way) for way in DIRECTIONS}
        found = replace(found, sides=(*found.sides, BitsSide(name=name, cells=cells, **ms)))
        work.tell(found)
    return found


def _cells(
    work: Work,
    rows: int,
    provider: Provider,
    wish: LaunchWish | None,
    tell: Callable[[], None],
) -> Iterator[BitsCell]:
    """Yield what became of each result in each way; `tell` that a call begins."""
    m, n, resolved = work.resolved.m, work.resolved.n, work.resolved
    inputs, limits = inputs_of(resolved, work.torch_device), device_limits(work.torch_device)
    here = limits.sm_count

    def see(
        at: int, size: int = m, first: int = 0, count: int = rows, sms: int = here, **around: Any
    ) -> Seen:
        """Call with `count` rows among `size`, from the row `first` on; with our kernels launched
        as for so many SMs.
        """
        tell()
        launched: dict[str, object] = {}

        def note(launch: Callable[..., Any], kernel: Any, *given: Any, **named: Any) -> Any:
            for key, value in named.items():
                if isinstance(value, int | str | tuple):
                    launched[f"{kernel.__name__}.{key}"] = value
            return launch(kernel, *given, **named)

        given, part = _around(inputs, count, size, first, **around), slice(first, first + count)
        with launching(note):
            if wish is None:
                found = called(provider, Case.of(given, resolved.eps, resolved.launch), given)
            else:
                seen = replace(limits, sm_count=sms)
                launch = resolve_launch(n, resolved.dtype, wish, seen, m=size)
                results = kernel_results(given, resolved.eps, launch)
                found = {name: getattr(results, name) for name in RESULTS}
        others = size < count or first or around.get("nan")  # sums are of other rows, or NaN
        bits = {
            name: (one[part] if name in ALONE else one).view(WHOLE[one.element_size()])
            for name in (ALONE if others else RESULTS)
            if (one := found.get(name)) is not None
        }
        return Seen(at, bits, launched)

    powers = {1 << power for power in range(m.bit_length())}
    sizes = {size for size in (*powers, *(each + 1 for each in powers), rows, m) if size <= m}
    yield from _compared("size", lambda size: see(size, size), sorted(sizes))
    twice = min(2 * rows, m)
    if twice > rows:
        places = [at for at in (0, 1, 2, 3, 8, rows) if at + rows <= twice]
        yield from _compared("place", lambda at: see(at, twice, at), places)
        yield from _compared("nan", lambda at: see(at, twice, nan=at > 0), (0, twice - rows))
    yield from _compared("stride", lambda apart: see(apart, rows, apart=apart), (0, 1, 3, 8, 16))
    if wish is not None:  # others do not say how they would launch on another GPU
        # Fewer: programs of `split` wait for each other. The interpreter is one.
        fewer = (here * 3 // 4, here // 2) if here > 1 else (2, 3)
        yield from _compared("sms", lambda sms: see(sms, count=m, sms=sms), (here, *fewer))
    # Of all rows: the order of a few that have a gradient may make no difference.
    yield from _compared("run", lambda run: see(run, count=m), range(1, work.runs + 1))


def _around(
    inputs: Inputs, count: int, size: int, first: int, *, nan: bool = False, apart: int = 0
) -> Inputs:
    """Return `count` rows of the inputs among others, which have no gradient.

    With `apart`, rows lie so many elements further from each other than they are long, and begin
    one element further on.
    """
    count = min(count, size)

    def among(rows: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        stride = rows.shape[1] + apart
        memory = rows.new_zeros(size * stride + 1)
        laid = memory.as_strided((size, rows.shape[1]), (stride, 1), min(apart, 1))
        laid.copy_(others[:size])[first : first + count] = rows[:count]
        return laid

    return inputs.mapped(
        lambda rows: among(rows, torch.full_like(rows, torch.nan) if nan else rows.roll(1, 0)),
        lambda rows: among(rows, torch.zeros_like(rows)),
    )


def _compared(way: Way, see: Callable[[int], Seen], places: Iterable[int]) -> Iterable[BitsCell]:
    """Compare what is seen at each place with that at the place before it."""
    cells: dict[Result, BitsCell] = {}
    for before, now in pairwise(map(see, places)):
        for name, share in before.changed(now).items():
            cell = cells.get(name) or BitsCell(way=way, result=name)
            if share and cell.at is None:
                cell = _first(cell, see, before, now)
            cells[name] = replace(cell, runs=cell.runs + 1)
    return cells.values()


def _first(cell: BitsCell, see: Callable[[int], Seen], before: Seen, now: Seen) -> BitsCell:
    """Return the cell with a change between two places; among sizes, with the first change."""
    while cell.way == "size" and now.at - before.at > 1:
        middle = see((before.at + now.at) // 2)
        if before.changed(middle)[cell.result]:
            now = middle
        else:
            before = middle
    one, other = before.launched, now.launched
    mine, theirs = ({key.split(".")[0] for key in each} for each in (one, other))
    if mine != theirs:  # what another kernel has of settings says nothing more
        kernels = (", ".join(sorted(each)) or "–" for each in (mine - theirs, theirs - mine))
        setting = " → ".join(kernels)
    else:
        keys = sorted(key for key in one | other if one.get(key) != other.get(key))
        # A grid, which is usually that of the rows, where nothing else differs.
        keys = [key for key in keys if not key.endswith(".grid")] or keys
        setting = ", ".join(
            f"{key} {one.get(key, '–')} → {other.get(key, '–')}" for key in keys[:3]
        )
    return replace(cell, at=now.at, share=before.changed(now)[cell.result], setting=setting)
