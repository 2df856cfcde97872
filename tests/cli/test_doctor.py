import json
from dataclasses import replace

import pytest

from lnexplorer.cli.main import main
from lnexplorer.doctor import probe
from lnexplorer.doctor.facts import Facts, Torch


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
    here: Facts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, replace(here, missing_libraries={}))
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.endswith("The explorer can be used.\n")


def test_where_something_is_missing_the_doctor_ends_with_status_1(
    here: Facts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, replace(here, missing_libraries={"libEGL.so.1": "libegl1"}))
    assert main(["doctor"]) == 1
    assert "PROBLEM  Qt libraries" in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["usable"] is False
    assert document["facts"]["missing_libraries"] == {"libEGL.so.1": "libegl1"}
