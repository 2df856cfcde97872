"""Finds providers: every strategy of the project, and those that installed packages declare."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from lnkernels.launch import STRATEGIES
from lnkernels.launch.catalogue import is_provider_name
from lnkernels.providers.libraries import Apex, Liger, Quack
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Provider
from lnkernels.providers.pytorch import Eager, Inductor
from lnkernels.sentence import Sentence, say
from lnkernels.values.figures import CEILINGS

GROUP = "lnkernels.providers"

PEERS: tuple[type[Provider], ...] = (Eager, Inductor, Liger, Quack, Apex)
NAME_ALLOWED = "take letters, digits, _ . and -, at most 60"


@dataclass(frozen=True, slots=True)
class Broken:
    """A declared provider that cannot be used, and why."""

    name: str
    reason: Sentence


@dataclass(frozen=True, slots=True)
class Found:
    """All providers that are declared here. Whether one is available is for it to say."""

    providers: dict[str, Provider]
    broken: tuple[Broken, ...]


def discover(declared: Iterable[EntryPoint] | None = None) -> Found:
    """The strategies, the peers, and every provider that an installed package declares.

    One that fails to load is reported and keeps no other from loading.

    Args:
        declared: entry points to load in place of those of the installed packages.
    """
    providers: dict[str, Provider] = {name: Own(name) for name in STRATEGIES}
    providers |= {peer.name: peer for peer in (kind() for kind in PEERS)}
    own = set(providers)
    broken = []
    for point in entry_points(group=GROUP) if declared is None else declared:
        if point.value.startswith("lnkernels."):
            continue  # left by an installation that declared what is listed here
        reason = _refusal(point, own)
        if reason is None:
            try:
                providers[point.name] = _load(point)
            except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
                words = f"{type(error).__name__}: {error}"
                reason = say("{entry} cannot be loaded: {error}", entry=point.value, error=words)
        if reason is not None:
            broken.append(Broken(point.name, reason))
    return Found(providers, tuple(broken))


def _refusal(point: EntryPoint, own: set[str]) -> Sentence | None:
    if not is_provider_name(point.name):
        # It stands in commands, files and tables, which refuse any other.
        return say("{entry} is called {name}: {allowed}", entry=point.value, name=repr(point.name), allowed=NAME_ALLOWED)
    if point.name in CEILINGS.values():
        return say("{entry} takes the name of a ceiling", entry=point.value)
    if point.name in own:
        return say("{entry} takes a name that belongs to this program", entry=point.value)
    return None


def _load(point: EntryPoint) -> Provider:
    made = point.load()()
    if not isinstance(made, Provider):
        raise TypeError("it is not a provider: name, label, unavailable, forward, backward and autograd are needed")
    if made.name != point.name:
        raise ValueError(f"it calls itself {made.name!r}")
    return made
