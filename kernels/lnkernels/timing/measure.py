"""Check providers and time the correct ones in one interleaved run, reporting figures as they
become known.

Each is held against the practical ceiling of a memory-bound kernel: a copy, and an elementwise a +
b -> c, of the same bytes, on this very device. A copy reads and writes one matrix, as LayerNorm's
forward pass does; a + b -> c reads two and writes one, as its backward pass does. Small shapes are
bound by latency, large ones by memory, and the datasheet's bandwidth says neither.
"""

import math
import secrets
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import torch
from torch import Tensor

from lnkernels.check.judging import Judge, Since, judge_of
from lnkernels.check.shuffling import Shuffle
from lnkernels.check.tampering import why_unjudged
from lnkernels.check.verifier import Verifier, named
from lnkernels.failures import free_what_was_left, kind_of, raise_if_lost, reason_of
from lnkernels.providers.protocol import (
    Case,
    Output,
    Provider,
    is_unproven,
    requested_bytes,
)
from lnkernels.timing.cuda import (
    AutogradStopwatch,
    Capture,
    Captured,
    Flush,
    KernelStopwatch,
    require_cuda,
)
from lnkernels.timing.rounds import (
    EVENT_STEP_MS,
    Bytes,
    Effort,
    Sampler,
    Timing,
    interleave,
    make_figure,
    never,
    tutorial_bytes,
)
from lnkernels.values.figures import (
    CEILINGS,
    DIRECTIONS,
    MODES,
    Direction,
    Figure,
    Mode,
    Refusal,
    Subject,
    Throughput,
    Verdict,
)
from lnkernels.values.sentence import Sentence, as_sentence, say

Which: TypeAlias = Sequence[tuple[Direction, Mode]]
Stopwatch: TypeAlias = KernelStopwatch | AutogradStopwatch
# Says what is wrong with a provider's results, or None.
Check: TypeAlias = Callable[[Provider], Sentence | str | None]

# A LayerNorm moves all that a copy, or a + b -> c, of the same bytes does. The fastest of all that
# were measured had 0.995 of its ceiling's speed.
_BEYOND = 0.9
_TRIAL = 10  # repetitions that decide between several ways of reaching a ceiling

EVERYTHING: Which = tuple((direction, mode) for mode in MODES for direction in DIRECTIONS)


# Timings of ceilings whose median has settled, and within which share of it: by device, subject,
# bytes and type.
Ceilings: TypeAlias = dict[tuple[int, Subject, int, torch.dtype], tuple[float, Timing]]
# One for the process: a slider that moves GROUP_SIZE_M changes no ceiling.
MEASURED: Ceilings = {}


def ceiling_calls(direction: Direction, like: Tensor) -> tuple[Callable[[], Tensor], ...]:
    """Return calls that move as many bytes as a pass over `like` [M, N], 2·M·N or 3·M·N elements
    (of x + residual `like` is larger); the fastest is the ceiling.

    They allocate their results, as a provider's calls do. A clone is a copy by the driver, which
    falls behind at some large sizes (on an H200 at 32768 × 8192 in half precision, 2740 GB/s); an
    elementwise kernel that reads and writes the same bytes does not.
    """
    if direction == "forward":
        return like.clone, lambda: torch.neg(like)
    other = like.clone()
    return (lambda: torch.add(like, other),)


def measure(
    case: Case,
    providers: Iterable[Provider],
    *,
    which: Which = EVERYTHING,
    effort: Effort | None = None,
    should_stop: Callable[[], bool] = never,
    on_figure: Callable[[Figure], None] = lambda _: None,
    on_turn: Callable[[Subject], None] = lambda _: None,
    check: Check | None = None,
    ceilings: Ceilings | None = MEASURED,
    referee: Judge | None = None,
    verdicts: Mapping[str, Verdict] = MappingProxyType({}),
) -> Throughput:
    """Time `providers` on `case`, each against the others and against the ceilings.

    Args:
        case: tensors on one CUDA device.
        providers: who is timed. One that is unavailable, fails, or gives wrong results gets a
            refusal and no time.
        which: passes and ways of calling.
        effort: how long to go on.
        should_stop: asked between turns; what is known by then is returned.
        on_figure: told of every figure as it becomes known and again as it gets better.
        on_turn: told whose turn begins, so that somebody who watches knows who was at work when it
            did not end.
        check: says what is wrong with a provider's results on this case, or None; a `Verifier` by
            default.
        ceilings: where settled ceilings are kept; None measures none. Those that are not known yet
            come after the providers, so that no first figure waits for them: it gets its share a
            moment later.
        referee: judges what users' kernels gave in the last repetition; None does it here.
        verdicts: by name, on those that were judged before, and that figures say; what is timed
            though it is wrong is not judged again.

    A user's kernel is given a tensor of its own, some elements of which are others in each
    repetition. Where its last results are wrong, or came sooner than the bytes allow, it loses all
    its figures.

    Raises:
        RuntimeError: the case is not on a CUDA device, or the device is lost (a CUDA error that
            stays).
        ValueError: there is nothing to time, as the case has no element.
    """
    require_cuda(case.x.device)
    if case.x.numel() == 0:
        raise ValueError(f"x of shape {list(case.shape)} has no element to time")
    figures: dict[Subject, Figure] = {}
    refusals: list[Refusal] = []
    with torch.cuda.device(case.x.device):
        session = _Session(
            case, which, check or Verifier(case), ceilings, on_turn, effort or Effort(), verdicts
        )
        for found in session.run(providers, should_stop, referee or judge_of(case)):
            if isinstance(found, Refusal):
                refusals.append(found)
                if found.mode is None:
                    for subject in [one for one in figures if one.provider == found.provider]:
                        del figures[subject]
            else:
                figures[found.subject] = found
                on_figure(found)
    return Throughput(
        figures=tuple(figures.values()),
        refusals=tuple(refusals),
        timing_seconds=session.timing_seconds,
    )


def nothing() -> None:
    """Do nothing, in place of a refresh or a flush."""


def why_not(provider: Provider, check: Check) -> Refusal | None:
    """Return why a provider gets no time: unavailable, failed, or wrong by `check`. None if it is
    right.

    Raises:
        DeviceLostError: the device does not answer any more.
    """
    try:
        missing = provider.unavailable()
        if missing is not None:
            return Refusal(provider=provider.name, reason=as_sentence(missing), kind="unavailable")
        wrong = check(provider)
    except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is the reason
        raise_if_lost(error)
        free_what_was_left(error)
        return Refusal(provider=provider.name, reason=reason_of(error), kind=kind_of(error))
    return (
        None
        if wrong is None
        else Refusal(provider=provider.name, reason=as_sentence(wrong), kind="incorrect")
    )


class _Session:
    """A run of `measure`: graphs, gradients' tensors and results of one case."""

    def __init__(
        self,
        case: Case,
        which: Which,
        check: Check,
        ceilings: Ceilings | None,
        on_turn: Callable[[Subject], None],
        effort: Effort,
        verdicts: Mapping[str, Verdict],
    ) -> None:
        self.timing_seconds = 0.0
        self._on_turn = on_turn
        self._case = case
        self._check = check
        self._which = which
        self._ceilings = ceilings
        self._effort = effort
        self._verdicts = verdicts
        self._flush = Flush(case.x.device)
        self._capture = Capture(case.x.device)
        self._graphs: dict[tuple[str, Direction], Captured] = {}
        self._stopwatches: dict[Subject, Stopwatch] = {}
        self._timings: dict[Subject, Timing] = {}
        self._host_us: dict[Subject, float] = {}
        self._moved: dict[tuple[str, Direction], Bytes] = {}
        self._fresh: dict[tuple[str, Direction], tuple[Case, Shuffle]] = {}  # of users' kernels
        self._seed = secrets.randbits(32)

    def run(
        self,
        providers: Iterable[Provider],
        should_stop: Callable[[], bool],
        referee: Judge,
    ) -> Iterator[Figure | Refusal]:
        """Yield figures and refusals as they come, and at the end every figure again with the final
        ceiling.
        """
        checked = []
        for provider in providers:
            if should_stop():
                return
            refusal = why_not(provider, self._check)
            if refusal is None:
                checked.append(provider)
                self._count(provider)
            else:
                yield refusal
        yield from self._known_ceilings()
        for subject, outcome in interleave(self._candidates(checked), self._effort, should_stop):
            if isinstance(outcome, Timing):
                self._timings[subject] = outcome
                self._keep_ceiling(subject, outcome)
                yield self._figure(subject)
            else:
                raise_if_lost(outcome)
                free_what_was_left(outcome)
                yield Refusal(
                    provider=subject.provider,
                    reason=reason_of(outcome),
                    direction=subject.direction,
                    mode=subject.mode,
                    kind=kind_of(outcome),
                )
        for subject in self._timings:
            yield self._figure(subject)
        for provider in checked:
            wrong = self._verdicts.get(provider.name) == "wrong"
            if is_unproven(provider) and not wrong and not should_stop():
                refusal = why_not(provider, lambda one: self._late_verdict(one.name, referee))
                if refusal is not None:
                    yield refusal

    def _late_verdict(self, name: str, referee: Judge) -> Sentence | None:
        """Return what speaks against the times of a user's kernel, once they are taken."""
        for subject in [one for one in self._timings if one.provider == name]:
            ceiling = self._timings.get(subject.ceiling)
            ms = self._timings[subject].p50_ms + EVENT_STEP_MS
            if ceiling is not None and ms < _BEYOND * ceiling.p50_ms:
                return say(
                    "{direction}, {mode}: its bytes cannot be moved in {ms:.3g} ms: to move as many"
                    " and do nothing else takes {least:.3g} ms",
                    direction=subject.direction,
                    mode=subject.mode,
                    ms=self._timings[subject].p50_ms,
                    least=ceiling.p50_ms,
                )
            wrong = self._late_errors(subject, referee)
            if wrong is not None:
                return say(
                    "{direction}, {mode}: after {count} repetitions with other inputs, {wrong}",
                    direction=subject.direction,
                    mode=subject.mode,
                    count=self._fresh[name, subject.direction][1].calls,
                    wrong=wrong,
                )
        return why_unjudged()

    def _late_errors(self, subject: Subject, referee: Judge) -> Sentence | None:
        """Return what is wrong with the results of one more repetition."""
        watch = self._stopwatches[subject]
        watch(1)
        found = named(watch.results, subject.direction)
        _, shuffle = self._fresh[subject.provider, subject.direction]
        shuffled = "x" if subject.direction == "forward" else "dy"
        since = Since(shuffled=shuffled, seed=self._seed, calls=shuffle.calls)
        return referee(found, since).wrong

    def _inputs_for(self, provider: Provider, direction: Direction) -> tuple[Case, Shuffle | None]:
        """Return the case, for a user's kernel with a tensor of its own and what shuffles it: dy
        for the backward pass, which works on what its forward pass has seen of x.
        """
        if not is_unproven(provider):
            return self._case, None
        key = provider.name, direction
        if key not in self._fresh:
            name = "x" if direction == "forward" else "dy"
            own = getattr(self._case, name).clone()
            self._fresh[key] = replace(self._case, **{name: own}), Shuffle(own, self._seed)
        return self._fresh[key]

    def _count(self, provider: Provider) -> None:
        for direction in DIRECTIONS:
            requested = requested_bytes(provider, self._case, direction)
            self._moved[provider.name, direction] = Bytes(self._tutorial(direction), requested)

    def _tutorial(self, direction: Direction) -> int:
        case = self._case
        return tutorial_bytes(direction, *case.shape, case.dtype, case.named_norm)

    def _candidates(self, providers: Sequence[Provider]) -> dict[Subject, Sampler]:
        """Return candidates in the order of `which`, and then the ceilings."""
        wanted: dict[Subject, Provider | None] = {
            Subject(provider.name, direction, mode): provider
            for direction, mode in self._which
            for provider in providers
        }
        wanted |= {one: None for one in self._wanted_ceilings() if one not in self._timings}
        return {subject: partial(self._sample, subject, wanted[subject]) for subject in wanted}

    def _wanted_ceilings(self) -> list[Subject]:
        if self._ceilings is None:
            return []
        every = (Subject(CEILINGS[direction], direction, mode) for direction, mode in self._which)
        return list(dict.fromkeys(subject.ceiling for subject in every))

    def _sample(
        self, subject: Subject, provider: Provider | None, repetitions: int
    ) -> Sequence[float]:
        """Time one turn. Its stopwatch is made in the first one, so that the first figures do not
        wait for the last provider.
        """
        self._on_turn(subject)
        if subject not in self._stopwatches:
            self._stopwatches[subject] = self._stopwatch(subject, provider)
        began = time.perf_counter()
        samples = self._stopwatches[subject](repetitions)
        self.timing_seconds += time.perf_counter() - began
        return samples

    def _stopwatch(self, subject: Subject, provider: Provider | None) -> Stopwatch:
        if provider is None:
            return self._fastest(subject, ceiling_calls(subject.direction, self._like(subject)))
        if subject.mode == "autograd":
            return self._autograd_stopwatch(provider, subject)
        return self._kernel_stopwatch(provider, subject)

    def _like(self, subject: Subject) -> Tensor:
        """Return what a ceiling copies or adds to move as many bytes as the pass does."""
        x, residual = self._case.x, self._case.residual
        if residual is None:
            return x
        matrices = 2 if subject.direction == "forward" else 3
        size = self._tutorial(subject.direction) // (matrices * x.element_size())
        return torch.cat((x, residual)).view(-1)[:size]

    def _fastest(self, subject: Subject, calls: Sequence[Callable[[], object]]) -> KernelStopwatch:
        """Return the stopwatch of the call that takes the least time. Cold and warm may choose
        differently.
        """
        watches = []
        for number, call in enumerate(calls):
            key = f"{subject.provider} {number}", subject.direction
            if key not in self._graphs:
                self._graphs[key] = self._capture(lambda call=call: call)  # type: ignore[misc]
            watches.append(KernelStopwatch(self._graphs[key], subject.l2, self._flush))
        if len(watches) == 1:
            return watches[0]
        return min(watches, key=lambda watch: statistics.median(watch(_TRIAL)))

    def _kernel_stopwatch(self, provider: Provider, subject: Subject) -> Stopwatch:
        # Cold and warm replay the same graph.
        key = subject.provider, subject.direction
        prepare = provider.forward if subject.direction == "forward" else provider.backward
        case, refresh = self._inputs_for(provider, subject.direction)
        if key not in self._graphs:
            try:
                self._graphs[key] = self._capture(lambda: prepare(case), keep=refresh is not None)
            except RuntimeError as error:
                if not is_unproven(provider):
                    raise
                raise_if_lost(error)
                return self._event_stopwatch(subject, prepare(case), refresh or nothing)
        return KernelStopwatch(self._graphs[key], subject.l2, self._flush, refresh)

    def _event_stopwatch(
        self, subject: Subject, call: Callable[[], object], refresh: Callable[[], None]
    ) -> Stopwatch:
        """Time a call that no graph can hold by events, and keep its launches' cost on the host for
        its figure.
        """
        before = self._flush if subject.l2 == "cold" else nothing
        stopwatch = AutogradStopwatch(call, refresh, before)
        self._host_us[subject] = stopwatch.host_us()
        return stopwatch

    def _autograd_stopwatch(self, provider: Provider, subject: Subject) -> AutogradStopwatch:
        case, refresh = self._inputs_for(provider, subject.direction)
        function = provider.autograd(case)
        leaves = case.leaves

        def forget_gradients() -> None:
            (refresh or nothing)()
            for leaf in leaves:
                leaf.grad = None

        def forward() -> Output:
            return function(*leaves)

        def backward() -> tuple[Tensor | None, ...]:
            torch.autograd.backward(output, case.given_gradients, retain_graph=True)
            return tuple(leaf.grad for leaf in leaves)

        timed: Callable[[], object] = forward
        if subject.direction == "backward":
            output = forward()
            timed = backward
        stopwatch = AutogradStopwatch(timed, forget_gradients, self._flush)
        self._host_us[subject] = stopwatch.host_us()
        return stopwatch

    def _known_ceilings(self) -> Iterator[Figure]:
        for direction in DIRECTIONS:
            moved = self._tutorial(direction)
            self._moved[CEILINGS[direction], direction] = Bytes(moved, moved)
        for subject in self._wanted_ceilings():
            within, timing = (self._ceilings or {}).get(
                self._ceiling_key(subject), (math.inf, None)
            )
            if timing is not None and within <= self._effort.within:
                self._timings[subject] = timing
                yield self._figure(subject)

    def _keep_ceiling(self, subject: Subject, timing: Timing) -> None:
        """Remember a ceiling whose median has settled, unless it is known better."""
        if (
            self._ceilings is None
            or subject.provider != CEILINGS[subject.direction]
            or not timing.settled
        ):
            return
        key = self._ceiling_key(subject)
        within, _ = self._ceilings.get(key, (math.inf, None))
        if self._effort.within <= within:
            self._ceilings[key] = self._effort.within, timing

    def _ceiling_key(self, subject: Subject) -> tuple[int, Subject, int, torch.dtype]:
        x = self._case.x
        return x.get_device(), subject, self._tutorial(subject.direction), x.dtype

    def _figure(self, subject: Subject) -> Figure:
        moved = self._moved[subject.provider, subject.direction]
        ceiling = self._timings.get(subject.ceiling)
        figure = make_figure(
            subject, self._timings[subject], moved, ceiling, self._host_us.get(subject)
        )
        return replace(figure, verdict=self._verdicts.get(subject.provider, "right"))
