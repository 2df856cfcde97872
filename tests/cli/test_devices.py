"""Which GPUs there are, as the driver says it."""

import pytest

from lnexplorer.cli import commands
from lnexplorer.cli.outcome import gpu_count, missing_devices, without_result
from lnexplorer.doctor.facts import Driver, Gpu
from lnexplorer.protocol.messages import Broken
from lnkernels.sentence import verbatim


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


def show(driver: pytest.MonkeyPatch, gpus: int, *, cards: int = 0, visible: str | None = None) -> None:
    found = tuple(
        Gpu(index=index, name="H200", compute_capability=(9, 0), memory_bytes=1, free_bytes=1, drives_display=False, processes=())
        for index in range(gpus)
    )
    driver.setattr("lnexplorer.doctor.facts.find_driver", lambda: Driver(gpus=found, cards=cards, hidden_by=visible))


@pytest.mark.parametrize(
    ("gpus", "cards", "visible", "count"),
    [(0, 0, None, 0), (4, 4, None, 4), (4, 4, "0,2", 2), (4, 4, "", 0), (0, 2, None, None)],
)
def test_gpus_are_counted_as_programs_see_them(
    gpus: int, cards: int, visible: str | None, count: int | None, driver: pytest.MonkeyPatch
) -> None:
    show(driver, gpus, cards=cards, visible=visible)
    assert gpu_count() == count


def test_one_that_is_not_there_is_named_with_those_that_are(driver: pytest.MonkeyPatch) -> None:
    show(driver, 1)
    assert missing_devices(["auto", "interpreter", "cuda:0"]) == []
    (problem,) = missing_devices(["cuda:0", "cuda:7"])
    assert str(problem) == (
        "device = cuda:7 is not possible: the driver shows 1 NVIDIA GPU; take one of auto, interpreter, cuda:0"
    )


def test_a_job_that_no_worker_came_up_for_says_whose_fault_it_was(driver: pytest.MonkeyPatch) -> None:
    show(driver, 0)
    broken = Broken("start", verbatim("device = cuda:7 cannot be used."), "")
    end = without_result(broken, "cuda:7")
    assert end.status == commands.INVALID
    assert "the driver shows no NVIDIA GPU; take one of auto, interpreter" in str(end)
    assert without_result(broken, "auto").status == commands.FAILED
    assert without_result(Broken("run", verbatim("It fell over."), ""), "cuda:7").status == commands.FAILED
