"""The wait for locks as a figure of a measurement, and as a column of a sweep.

Times are made up: there may be no GPU.
"""

from dataclasses import replace

import pytest
import torch

from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.table import columns
from lnexplorer.worker import trace as waits
from lnkernels.values.environment import Environment, Kind

NOW = Environment(date="2026-01-02", python="3", torch="2", triton="3")
SETTINGS = (RunRequest(m=8, n=16), RunRequest.of(m=8, n=16, strategy="atomic"), RunRequest.of(m=8, n=16, group_size_m=2))
CPU = torch.device("cpu")


def measured() -> Measured:
    request = MeasureRequest(settings=SETTINGS, providers=("torch",), waits=True)
    found = [
        CandidateOutcome(label=label, status="ok", setting=each) for label, each in zip(request.labels, SETTINGS, strict=False)
    ]
    outcomes = (*found[:2], replace(found[2], status="incorrect"), CandidateOutcome(label="torch", status="ok"))
    return Measured(
        request=request,
        problem=request.subject,
        kind=Kind.MEASURED,
        outcomes=outcomes,
        ceilings=(),
        before=NOW,
        after=NOW,
        warnings=(),
        timing_seconds=0.0,
        total_seconds=0.0,
    )


def test_each_right_setting_is_traced_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[RunRequest] = []

    def wait(_task: object, request: RunRequest, _backend: str, _device: object) -> float | None:
        asked.append(request)
        return 5000.0 if request.strategy == "locked" else None

    monkeypatch.setattr(waits, "mean_wait_ns", wait)
    found = waits.with_waits(None, measured(), "cuda", CPU)  # type: ignore[arg-type]
    assert [outcome.wait_ns for outcome in found.outcomes] == [5000.0, None, None, None]
    assert asked == list(SETTINGS[:2])
    assert [outcome.label for outcome in found.outcomes] == [outcome.label for outcome in measured().outcomes]


def test_the_interpreter_knows_no_wait() -> None:
    assert waits.mean_wait_ns(None, SETTINGS[0], "interpreter", CPU) is None  # type: ignore[arg-type]


def test_a_sweep_has_a_column_of_waits_where_they_are_asked_for() -> None:
    plain, asking = SweepRequest(), SweepRequest(waits=True)
    assert set(columns(asking)) - set(columns(plain)) == {"lock_wait_ns"}
    assert "--waits on" in sweep_command(asking)
    assert "waits" not in sweep_command(plain)
