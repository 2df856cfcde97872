"""What a worker does before every job."""

from types import SimpleNamespace
from typing import Any, cast

import lnexplorer.worker.dispatch as module
import pytest
from lnexplorer.worker.dispatch import Dispatch

from lnexplorer.protocol.messages import Inspect, Rejected


def test_before_a_job_it_looks_for_settings_that_were_tuned_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr(module, "use_what_was_tuned", lambda: order.append("looked"))
    monkeypatch.setattr(module, "impossible", lambda *_: order.append("job") or ["nothing was run yet"])
    dispatch = Dispatch.__new__(Dispatch)
    dispatch._last = None
    task = cast("Any", SimpleNamespace(number=1, check=lambda: None))
    inspect = Inspect(job=1, tensor="y", row_start=0, row_stop=1, column_start=0, column_stop=1)
    assert isinstance(dispatch._answer(task, inspect), Rejected)
    assert order == ["looked", "job"]
