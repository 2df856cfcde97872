"""Who could be timed here beside the project's kernels, and why somebody cannot."""

from lnexplorer.domain.peers import in_order, with_hint
from lnkernels.providers.discovery import Found
from lnkernels.providers.protocol import Provider
from lnkernels.values.environment import Offered


def offered(found: Found) -> tuple[Offered, ...]:
    """Every provider that is declared here, in the order in which they are listed."""
    known = {name: Offered(name=name, label=str(one.label), missing=_missing(one)) for name, one in found.providers.items()}
    known |= {one.name: Offered(name=one.name, label=one.name, missing=one.reason) for one in found.broken}
    return tuple(known[name] for name in in_order(known))


def why_missing(name: str, found: Found) -> str:
    """Why a name that is asked for is no provider here."""
    broken = next((each.reason for each in found.broken if each.name == name), None)
    return broken or f"there is no provider {name}: choose of {', '.join(sorted(found.providers))}"


def _missing(provider: Provider) -> str:
    try:
        return with_hint(provider.name, provider.unavailable() or "")
    except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
        return f"{type(error).__name__}: {error}"
