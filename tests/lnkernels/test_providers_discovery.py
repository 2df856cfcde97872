"""Providers found through entry points."""

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from lnkernels.launch import STRATEGIES
from lnkernels.providers.discovery import GROUP, PEERS, discover
from lnkernels.providers.protocol import Provider

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


class Extra:
    """A third party's provider."""

    name = "extra"
    label = "Extra"

    def unavailable(self):
        return "it is only an example"

    def forward(self, case):
        return lambda: case.x

    def backward(self, case):
        return lambda: (case.dy, case.weight, case.bias)

    def autograd(self, case):
        return lambda x, weight, bias: x * weight + bias


class Mute:
    """Not a provider: it can do nothing."""

    name = "mute"


class Explosive:
    """Somebody's provider on a bad day."""

    def __init__(self):
        raise OSError("libfast.so.3: cannot open shared object file")


def declare(name, value):
    return EntryPoint(name, value, GROUP)


def here(name):
    return f"{__name__}:{name}"


def test_the_table_of_peers_is_the_one_that_is_installed():
    declared = tomllib.loads(PYPROJECT.read_text())["project"]["entry-points"][GROUP]
    assert declared == PEERS


def test_every_provider_of_the_project_loads_and_goes_by_its_name():
    found = discover([])
    assert list(found.providers) == [*STRATEGIES, *PEERS]
    assert found.broken == ()
    assert all(isinstance(provider, Provider) and provider.label for provider in found.providers.values())


def test_a_third_partys_provider_stands_beside_the_projects_own():
    found = discover([declare("extra", here("Extra"))])
    assert list(found.providers) == [*STRATEGIES, *PEERS, "extra"]
    assert found.providers["extra"].unavailable() == "it is only an example"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("gone", "no_such_package_at_all:Provider", "No module named 'no_such_package_at_all'"),
        ("typo", f"{__name__}:Extar", "Extar"),
        ("explosive", f"{__name__}:Explosive", "libfast.so.3"),
        ("mute", f"{__name__}:Mute", "it is not a provider"),
        ("impostor", f"{__name__}:Extra", "it calls itself 'extra'"),
        ("torch", f"{__name__}:Extra", "takes a name that belongs to"),
        ("locked", f"{__name__}:Extra", "takes the name of a strategy"),
        ("copy", f"{__name__}:Extra", "takes the name of a ceiling"),
        ("my kernels/fast", f"{__name__}:Extra", "is called 'my kernels/fast': take letters, digits, _ . and -, at most 60"),
    ],
)
def test_a_broken_provider_is_reported_and_keeps_no_other_from_loading(name, value, reason):
    found = discover([declare(name, value), declare("extra", here("Extra"))])
    assert set(found.providers) == {*STRATEGIES, *PEERS, "extra"}
    (broken,) = found.broken
    assert broken.name == name
    assert reason in broken.reason


def test_asking_whether_providers_are_available_imports_none_of_them():
    script = (
        "import sys\n"
        "from lnkernels.providers.discovery import discover\n"
        "for provider in discover([]).providers.values(): provider.unavailable()\n"
        "heavy = {'triton', 'liger_kernel', 'quack', 'apex', 'fused_layer_norm_cuda', 'cutlass', 'torch._dynamo'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    root = str(PYPROJECT.parent / "kernels")
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONPATH": root, "PATH": ""}
    )
    assert ran.stdout.strip() == "[]"
