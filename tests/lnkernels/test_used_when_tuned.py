"""A process that is at work uses what another one tuned, from its next job on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from lnkernels.launch.choice import choose
from lnkernels.launch.settings_choice import choose_again

from lnkernels.device import host_limits
from lnkernels.launch.measured import RowsEntry
from lnkernels.launch.settings import RowsSettings
from lnkernels.launch.tuned import write_tuned
from lnkernels.strategies.registry import plan, use_what_was_tuned

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    def forget() -> None:
        choose_again()
        for cache in (choose, plan):
            cache.cache_clear()

    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    forget()
    yield tmp_path
    monkeypatch.undo()
    forget()


def _stages() -> int:
    backward = plan("persistent", 1024, "float16", CPU).backward
    assert isinstance(backward, RowsSettings)
    return backward.num_stages


def test_plans_are_made_anew_after_the_file_changed_and_not_before() -> None:
    before = _stages()
    first = plan("persistent", 1024, "float16", CPU)
    use_what_was_tuned()
    assert plan("persistent", 1024, "float16", CPU) is first
    entry = RowsEntry(element_bytes=2, up_to_n=1024, rows=1, num_warps=4, num_stages=before + 1, programs_per_sm=1)
    write_tuned(host_limits(), "2026-01-01T00:00:00+00:00", [entry])
    assert _stages() == before
    use_what_was_tuned()
    assert _stages() == before + 1
