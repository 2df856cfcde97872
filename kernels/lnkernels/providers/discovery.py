"""Finds providers: every strategy of the project, and those that installed packages declare."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from lnkernels.launch import STRATEGIES
from lnkernels.launch.catalogue import is_provider_name
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Provider
from lnkernels.sentence import Sentence, say
from lnkernels.values.figures import CEILINGS

GROUP = "lnkernels.providers"

# The peers, as pyproject.toml declares them. This also serves where the project runs from a checkout that is not installed.
PEERS = {
    "torch": "lnkernels.providers.eager:Eager",
    "torch.compile": "lnkernels.providers.inductor:Inductor",
    "liger": "lnkernels.providers.liger:Liger",
    "quack": "lnkernels.providers.quack:Quack",
    "apex": "lnkernels.providers.apex:Apex",
}
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
    """Load every declared provider; one that fails to load is reported and keeps no other from loading.

    Args:
        declared: entry points to load in place of those of the installed packages.
    """
    points = {name: EntryPoint(name, value, GROUP) for name, value in PEERS.items()}
    broken = []
    for point in entry_points(group=GROUP) if declared is None else declared:
        own = PEERS.get(point.name)
        if not is_provider_name(point.name):
            # It stands in commands, files and tables, which refuse any other.
            broken.append(
                Broken(
                    point.name,
                    say("{entry} is called {name}: {allowed}", entry=point.value, name=repr(point.name), allowed=NAME_ALLOWED),
                )
            )
        elif point.name in CEILINGS.values():
            broken.append(Broken(point.name, say("{entry} takes the name of a ceiling", entry=point.value)))
        elif own is not None and point.value != own:
            broken.append(Broken(point.name, say("{entry} takes a name that belongs to {own}", entry=point.value, own=own)))
        else:
            points[point.name] = point
    providers: dict[str, Provider] = {name: Own(name) for name in STRATEGIES}
    for name, point in points.items():
        try:
            providers[name] = _load(point)
        except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
            words = f"{type(error).__name__}: {error}"
            broken.append(Broken(name, say("{entry} cannot be loaded: {error}", entry=point.value, error=words)))
    return Found(providers, tuple(broken))


def _load(point: EntryPoint) -> Provider:
    made = point.load()()
    if not isinstance(made, Provider):
        raise TypeError("it is not a provider: name, label, unavailable, forward, backward and autograd are needed")
    if made.name != point.name:
        raise ValueError(f"it calls itself {made.name!r}")
    return made
