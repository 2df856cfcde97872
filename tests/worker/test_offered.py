"""Who is said to be here."""

from lnexplorer.worker.throughput import offered, why_missing
from lnkernels.providers.discovery import Broken, Found, discover
from lnkernels.providers.eager import Eager


class Odd(Eager):
    name = "odd"
    label = "Odd one"

    def unavailable(self) -> str | None:
        raise RuntimeError("no idea")


def test_everybody_is_listed_with_what_is_missing() -> None:
    found = Found({"odd": Odd(), "torch": Eager()}, (Broken("gone", "gone:Provider cannot be loaded: it is not there"),))
    assert [(one.name, one.label, one.missing) for one in offered(found)] == [
        ("torch", "PyTorch", ""),
        ("gone", "gone", "gone:Provider cannot be loaded: it is not there"),
        ("odd", "Odd one", "RuntimeError: no idea"),
    ]
    assert why_missing("gone", found).startswith("gone:Provider")
    assert why_missing("nobody", found) == "there is no provider nobody: choose of odd, torch"


def test_the_projects_own_strategies_and_the_known_peers_are_offered() -> None:
    names = [one.name for one in offered(discover())]
    assert names[:5] == ["torch", "torch.compile", "liger", "quack", "apex"]
    assert {"locked", "persistent", "split", "atomic", "auto"} <= set(names)
    assert all(not one.missing for one in offered(discover()) if one.name in ("torch", "locked", "auto"))
