"""Find providers: the project's strategies, peers, and those that packages declare."""

from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points

from lnkernels.launch import STRATEGIES, is_provider_name
from lnkernels.launch.source import SourceError
from lnkernels.providers.file import FileProvider
from lnkernels.providers.own import Own
from lnkernels.providers.peers import PEERS
from lnkernels.providers.protocol import Provider
from lnkernels.values.figures import CEILINGS
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, say

GROUP = "lnkernels.providers"


@frozen
class Found:
    """Providers that are declared here. Each says itself whether it is available."""

    providers: dict[str, Provider]
    broken: dict[str, Sentence]  # declared ones that cannot be used, and why

    def beside(self, kernels: Iterable[FileProvider]) -> "Found":
        """Return these providers and some kernels of the user's.

        Raises:
            SourceError: one takes the name of another provider.
        """
        for one in kernels:
            if one.name in self.providers or one.name in CEILINGS.values():
                raise SourceError(
                    "{entry} takes a name that belongs to another one", entry=one.source.place
                )
        return replace(self, providers=self.providers | {one.name: one for one in kernels})


def discover(declared: Iterable[EntryPoint] | None = None) -> Found:
    """Return the strategies, the peers, and every provider that an installed package declares.

    One that fails to load is reported and keeps no other from loading.

    Args:
        declared: entry points to load in place of those of the installed packages.
    """
    own: dict[str, Provider] = {name: Own(name) for name in STRATEGIES}
    own |= {peer.name: peer for peer in (kind() for kind in PEERS)}
    found = Found(dict(own), {})
    for point in entry_points(group=GROUP) if declared is None else declared:
        if not is_provider_name(point.name):
            reason = say(
                "{entry} is called {name}: take letters, digits, _ . and -, at most 60",
                entry=point.value,
                name=repr(point.name),
            )
        elif point.name in own or point.name in CEILINGS.values():
            reason = say("{entry} takes a name that belongs to this program", entry=point.value)
        else:
            try:
                found.providers[point.name] = _load(point)
                continue
            except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
                words = f"{type(error).__name__}: {error}"
                reason = say("{entry} cannot be loaded: {error}", entry=point.value, error=words)
        found.broken[point.name] = reason
    return found


def _load(point: EntryPoint) -> Provider:
    made = point.load()()
    if not isinstance(made, Provider):
        raise TypeError(
            "it is not a provider: name, label, unavailable, forward, backward and autograd are"
            " needed"
        )
    if made.name != point.name:
        raise ValueError(f"it calls itself {made.name!r}")
    return made
