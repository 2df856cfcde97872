import pytest
import torch

from lnexplorer.worker.jobs import failed

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ValueError("x is wrong."), "ValueError: x is wrong."),
        (KeyError(), "KeyError: no message."),
        (RuntimeError("first\nsecond"), "RuntimeError: first."),
        (RuntimeError("at 1:28:\n  source\nname is not defined"), "RuntimeError: name is not defined."),
        (MemoryError("no room"), "The machine's memory ran out: no room."),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), "The machine's memory ran out: "),
    ],
)
def test_an_error_is_told_in_one_sentence(error: Exception, cause: str) -> None:
    message = failed(7, "run", error, CPU)
    assert message.cause.startswith(cause)
    assert message.cause.endswith(".")
    assert "\n" not in message.cause
    assert (message.job, message.phase, message.device_lost) == (7, "run", False)
    assert type(error).__name__ in message.detail
