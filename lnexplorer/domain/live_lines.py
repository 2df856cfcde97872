"""The lines of a live chart: ceilings and peers, which depend on the problem alone and are not timed at every move. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lnexplorer.domain.peers import SLOW, beside
from lnexplorer.domain.request import ResolvedRequest
from lnkernels.values.figures import CEILINGS, Figure

MOST_PROBLEMS = 64  # of which the newest are remembered; each figure has some hundred samples
Problem = tuple[int, int, str]  # M, N, dtype: what times of peers depend on
Key = tuple[str, str, str]  # provider, direction, mode


@dataclass(slots=True)
class _OfProblem:
    figures: dict[Key, Figure] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)


class LiveLines:
    """Figures of this session's device, by problem."""

    def __init__(self) -> None:
        self._known: dict[Problem, _OfProblem] = {}

    def keep(self, resolved: ResolvedRequest, figures: Iterable[Figure]) -> None:
        """Remember what a measurement of this problem says of everybody but the setting itself."""
        known = self._of(resolved)
        for figure in figures:
            if figure.provider != resolved.launch.strategy:
                known.figures[figure.provider, figure.direction, figure.mode] = figure

    def refuse(self, resolved: ResolvedRequest, names: Iterable[str]) -> None:
        """Remember who cannot be timed on this problem."""
        self._of(resolved).refused.update(names)

    def of(self, resolved: ResolvedRequest, peers: Sequence[str]) -> tuple[Figure, ...]:
        """The ceilings, and those of `peers` that are known here."""
        wanted = {*CEILINGS.values(), *beside(peers, resolved.launch.strategy)}
        return tuple(figure for figure in self._of(resolved).figures.values() if figure.provider in wanted)

    def has_ceilings(self, resolved: ResolvedRequest, mode: str) -> bool:
        """Whether both ceilings of a way of calling are known; the autograd path stands below those of cold kernels."""
        known = self._of(resolved).figures
        return all((name, direction, _ceiling_mode(mode)) in known for direction, name in CEILINGS.items())

    def missing(self, resolved: ResolvedRequest, asked: str, peers: Sequence[str], mode: str) -> tuple[str, ...]:
        """Peers that are to be timed in `mode`, the slow ones left out: they come with the run that follows when nothing moves.

        Args:
            resolved: the setting.
            asked: its strategy as it was asked for, such as "auto".
            peers: who was chosen.
            mode: which way of calling is on the screen.
        """
        known = self._of(resolved)
        timed = {provider for provider, _direction, of_mode in known.figures if of_mode == mode}
        others = beside(peers, resolved.launch.strategy, asked)
        return tuple(name for name in others if name not in SLOW and name not in timed and name not in known.refused)

    def _of(self, resolved: ResolvedRequest) -> _OfProblem:
        problem = (resolved.m, resolved.n, resolved.dtype)
        known = self._known.pop(problem, None) or _OfProblem()
        self._known[problem] = known  # the newest comes last
        for oldest in list(self._known)[:-MOST_PROBLEMS]:
            del self._known[oldest]
        return known


def with_shares(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The same; a figure that was told before its ceiling was known has its share of it."""
    ceilings = {(figure.direction, figure.mode): figure for figure in figures if figure.provider in CEILINGS.values()}

    def shared(figure: Figure) -> Figure:
        ceiling = ceilings.get((figure.direction, _ceiling_mode(figure.mode)))
        if figure.share_of_ceiling is not None or ceiling is None or figure.p50_ms <= 0:
            return figure
        return replace(figure, share_of_ceiling=ceiling.p50_ms / figure.p50_ms)

    return tuple(map(shared, figures))


def _ceiling_mode(mode: str) -> str:
    return "kernel_cold" if mode == "autograd" else mode
