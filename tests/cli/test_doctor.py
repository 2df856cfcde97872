from dataclasses import replace

import pytest

from lnexplorer.doctor import probe
from lnexplorer.doctor.facts import Facts, Torch
from tests.cli.conftest import Command


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Facts:
    """What is here, looked at once, with a torch that needs no seconds to be asked."""
    monkeypatch.setattr(
        probe, "find_torch", lambda: Torch(version="2.13.0", cuda=None, triton="3.7.1")
    )
    return probe.find_facts()


def give(monkeypatch: pytest.MonkeyPatch, facts: Facts) -> None:
    monkeypatch.setattr(probe, "find_facts", lambda: facts)


def test_where_everything_is_the_doctor_ends_with_status_0(
    here: Facts, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    give(monkeypatch, replace(here, missing_libraries={}))
    assert lnexplorer("doctor").out.endswith("The explorer can be used.\n")


def test_where_something_is_missing_the_doctor_ends_with_status_1(
    here: Facts, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    give(monkeypatch, replace(here, missing_libraries={"libEGL.so.1": "libegl1"}))
    assert "PROBLEM  Qt libraries" in lnexplorer("doctor", status=1).out
    document = lnexplorer("doctor --json", status=1).document
    assert document["usable"] is False
    assert document["facts"]["missing_libraries"] == {"libEGL.so.1": "libegl1"}
