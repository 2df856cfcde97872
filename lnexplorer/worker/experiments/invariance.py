"""Finds out which bits of some rows' results depend on what is around the rows."""

from collections import Counter
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
)
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.worker.candidates import Candidate
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.experiments.work import Work, median_ms
from lnexplorer.worker.trace import interruptible
from lnkernels.check.inputs import Inputs
from lnkernels.check.layouts import called
from lnkernels.check.results import kernel_results
from lnkernels.launch import STRATEGIES, LaunchWish, resolve_launch
from lnkernels.passes.registry import limits_of
from lnkernels.providers.protocol import Case
from lnkernels.triton_internals import launching
from lnkernels.values.figures import DIRECTIONS
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import ExplainedError, verbatim

USUAL = ("persistent", "torch")
ALONE = ("y", "dx")  # results of each row alone; the others are sums of all
WHOLE = {2: torch.int16, 4: torch.int32}  # by bytes of an element
Bits = dict[str, torch.Tensor]


@frozen(eq=False)
class Seen:
    """The results of the compared rows, and the constants of the kernels of Triton behind them."""

    bits: Bits  # as whole numbers, so that a NaN is equal to itself
    launched: dict[str, object]


def measure(work: Work) -> Invariance:
    """Look at the problem's strategy, the named providers and the invariant launch, one by one."""
    own, kernel = work.resolved.launch.strategy, work.request.kernel
    names = dict.fromkeys((own, *(work.request.providers or USUAL)))
    wishes = {name: LaunchWish(strategy=name) for name in names if name in STRATEGIES}
    wishes |= {own: work.problem.launch, INVARIANT: PROMISED}
    theirs = [name for name in names if name not in wishes]
    request = MeasureRequest(
        settings=tuple(replace(work.problem, launch=wish) for wish in wishes.values()),
        providers=(*theirs, *([] if kernel is None else [kernel.name])),
        kernels=() if kernel is None else (kernel,),
        modes=("kernel_cold",) if work.on_gpu else (),
        with_ceilings=False,
    )
    tensors, candidates = work.checked(request)
    work.measurer.time_request(work.task, request, tensors, candidates)
    work.measurer.forget()
    inputs = inputs_of(work.resolved, work.torch_device)
    work.task.begin("run")
    rows, sides = max(work.resolved.m // 4, 1), []
    named = zip((*wishes, *request.providers), candidates, strict=True)
    # The invariant launch comes last.
    for number, (name, each) in enumerate(sorted(named, key=lambda pair: pair[0] == INVARIANT)):
        outcome = each.outcome()
        if each.provider is None:
            why = outcome.reason or ""
            raise ExplainedError("{name} cannot be looked at: {why}", name=name, why=why)
        tell = partial(work.task.step, verbatim(name), number, len(candidates))
        with interruptible(work.task, work.torch_device):
            cells = tuple(_cells(work, inputs, rows, each, tell))
        ms = {f"{way}_ms": median_ms(outcome, way) for way in DIRECTIONS}
        sides.append(BitsSide(name=name, cells=cells, **ms))
        work.tell(Invariance(rows=rows, sides=tuple(sides)))
    return Invariance(rows=rows, sides=tuple(sides))


def _results(work: Work, candidate: Candidate, inputs: Inputs, sms: int | None) -> Bits:
    """Return the results of our kernels, launched as for so many SMs; or a provider's."""
    provider, eps = candidate.provider, work.resolved.eps
    if candidate.setting is None:
        assert provider is not None, "it can be called"
        return called(provider, Case.of(inputs, eps, work.resolved.launch), inputs)
    (m, n), limits = inputs.x.shape, limits_of(inputs.x.device)
    limits = replace(limits, sm_count=sms or limits.sm_count)
    wish = candidate.setting.launch
    found = kernel_results(inputs, eps, resolve_launch(n, work.resolved.dtype, wish, limits, m=m))
    return {name: one for name in RESULTS if (one := getattr(found, name)) is not None}


def _cells(
    work: Work, inputs: Inputs, rows: int, candidate: Candidate, tell: Callable[[], None]
) -> Iterator[BitsCell]:
    """Yield what became of each result in each way; `tell` that a call begins."""
    m = work.resolved.m

    def see(size: int = 0, sms: int | None = None, before: int = 0, **around: Any) -> Seen:
        """Call with the rows among `size`, `before` of them first; 0 for the problem as it is."""
        tell()
        launched: dict[str, object] = {}

        def note(launch: Callable[..., Any], kernel: Any, *given: Any, **named: Any) -> Any:
            launched[kernel.__name__] = "yes"
            for name, value in named.items():
                if isinstance(value, int | str | tuple):
                    launched[f"{kernel.__name__}.{name}"] = value
            return launch(kernel, *given, **named)

        given = _around(inputs, rows, size, before, **around) if size else inputs
        with launching(note):
            found = _results(work, candidate, given, sms)
        part = slice(before, before + rows) if size else slice(None)
        other_sums = 0 < size < rows or before or "nan" in around  # of other rows, or NaN
        bits = {
            name: (one[part] if name in ALONE else one).view(WHOLE[one.element_size()])
            for name, one in found.items()
            if name in ALONE or (name in RESULTS and not other_sums)
        }
        return Seen(bits, launched)

    powers = {1 << power for power in range(m.bit_length())}
    sizes = {size for size in (*powers, *(each + 1 for each in powers), rows, m) if size <= m}
    yield from _compared("size", see, sorted(sizes))
    twice = min(2 * rows, m)
    if twice > rows:
        places = [at for at in (0, 1, 2, 3, 8, rows) if at + rows <= twice]
        yield from _compared("place", lambda at: see(twice, before=at), places)
        yield from _compared("nan", lambda at: see(twice, nan=at > 0), (0, twice - rows))
    yield from _compared("stride", lambda apart: see(rows, apart=apart), (0, 1, 3, 8, 16))
    if candidate.setting is not None:  # others do not say how they would launch on another GPU
        here = limits_of(work.torch_device).sm_count
        # Fewer: programs of `split` wait for each other. The interpreter is one.
        others = (here * 3 // 4, here // 2) if here > 1 else (2, 3)
        yield from _compared("sms", lambda sms: see(sms=sms), (here, *others))
    yield from _compared("run", lambda _: see(), range(1, work.runs + 1))


def _around(
    inputs: Inputs, rows: int, size: int, before: int, *, nan: bool = False, apart: int = 0
) -> Inputs:
    """Return `rows` rows of the inputs among others, which have no gradient.

    With `apart`, rows lie so many elements further from each other than they are long, and begin
    one element further on.
    """
    count, part = min(rows, size), slice(before, before + min(rows, size))

    def among(own: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        others[part] = own[:count]
        return _laid(others, apart) if apart else others

    def rows_of(own: torch.Tensor) -> torch.Tensor:
        return torch.full_like(own[:size], torch.nan) if nan else own.roll(1, 0)[:size]

    return inputs.mapped(
        lambda own: among(own, rows_of(own)), lambda own: among(own, torch.zeros_like(own[:size]))
    )


def _laid(rows: torch.Tensor, apart: int) -> torch.Tensor:
    (m, n), stride = rows.shape, rows.shape[1] + apart
    return rows.new_zeros(m * stride + 1).as_strided((m, n), (stride, 1), 1).copy_(rows)


def _compared(way: str, see: Callable[[int], Seen], places: Iterable[int]) -> Iterator[BitsCell]:
    """Compare what is seen at each place with that at the place before it."""
    runs, found = Counter[str](), dict[str, BitsCell]()
    for (low, before), (at, now) in pairwise((place, see(place)) for place in places):
        for name, share in _changed(before, now).items():
            runs[name] += 1
            if share and name not in found:
                found[name] = _first(way, name, see, (low, before), (at, now))
    for name, count in runs.items():
        yield replace(found.get(name, BitsCell(way=way, result=name, runs=count)), runs=count)


def _first(
    way: str,
    name: str,
    see: Callable[[int], Seen],
    same: tuple[int, Seen],
    changed: tuple[int, Seen],
) -> BitsCell:
    """Return the cell of a change between two places; among sizes, of the first that changes."""
    (low, before), (at, now) = same, changed
    while way == "size" and at - low > 1:
        middle = (low + at) // 2
        seen = see(middle)
        if _changed(before, seen)[name]:
            at, now = middle, seen
        else:
            low, before = middle, seen
    one, other = before.launched, now.launched
    keys = sorted(key for key in one | other if one.get(key) != other.get(key))
    # Kernels first; a grid, which is usually that of the rows, where nothing else differs.
    keys = [key for key in keys if not key.endswith(".grid")] or keys
    keys = sorted(keys, key=lambda key: "." in key)[:3]
    setting = ", ".join(f"{key} {one.get(key, '–')} → {other.get(key, '–')}" for key in keys)
    share = _changed(before, now)[name]
    return BitsCell(way=way, result=name, runs=0, at=at, share=share, setting=setting)


def _changed(before: Seen, now: Seen) -> dict[str, float]:
    """Return the share of elements whose bits differ, of each result and row that both have."""
    both = ((name, one, now.bits[name]) for name, one in before.bits.items() if name in now.bits)
    return {
        name: float((one[: len(other)] != other[: len(one)]).float().mean())
        for name, one, other in both
    }
