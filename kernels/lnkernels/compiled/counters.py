"""What the hardware counts while the kernels run, as Nsight Compute (`ncu`) reads it: how busy memory, caches and SMs are,
what warps wait for, and at which instruction.

`python -m lnkernels.compiled.counters CASE` is what runs under ncu: each kernel once to be compiled, once to be read.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from lnkernels.compiled.facts import own_environment
from lnkernels.launch import Launch
from lnkernels.sentence import ExplainedError, Sentence, say

SECTIONS = (
    "SpeedOfLight",
    "MemoryWorkloadAnalysis",
    "SchedulerStats",
    "WarpStateStats",
    "SourceCounters",
    "Occupancy",
    "LaunchStats",
)
POLL_SECONDS = 0.1
MOST_SECONDS = 300.0
_FORBIDDEN = "ERR_NVGPUCTRPERM"


class CountersError(ExplainedError):
    """Counters cannot be read, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountCase:
    """What is to be launched, on which GPU."""

    m: int
    n: int
    dtype: str
    eps: float
    launch: Launch
    device: int = 0


def why_no_counters() -> Sentence | None:
    """Why nothing can be counted here, as far as that is known before it is tried."""
    if shutil.which("ncu") is None:
        return say("Nsight Compute (ncu) is not on the path: install it, or add its folder to PATH")
    return None


def profile(
    case: CountCase, check: Callable[[], None] = lambda: None, tell: Callable[[int], None] = lambda _: None
) -> tuple[str, str]:
    """What ncu writes of the case's kernels, as CSV: a row for each kernel, and its machine code line by line.

    Args:
        case: what is launched.
        check: called now and then; may raise, which ends ncu.
        tell: told how many kernels have been read.

    Raises:
        CountersError: there is no ncu, it may not read counters, or it failed.
    """
    missing = why_no_counters()
    if missing is not None:
        raise CountersError(missing)
    with tempfile.TemporaryDirectory(prefix="lnkernels-ncu-") as folder:
        report = Path(folder) / "report"
        sections = [word for section in SECTIONS for word in ("--section", section)]
        # Clocks stay as they are: they are those that everything else is timed with.
        settings = ["--profile-from-start", "off", "--clock-control", "none", "--export", str(report), *sections]
        inside = [sys.executable, "-P", "-m", __spec__.name, json.dumps(asdict(case))]
        _run(["ncu", *settings, *inside], check, tell)
        file = str(report.with_suffix(".ncu-rep"))
        rows = _run(["ncu", "--import", file, "--csv", "--page", "raw"], check, lambda _: None)
        lines = _run(["ncu", "--import", file, "--csv", "--page", "source", "--print-source", "sass"], check, lambda _: None)
    return rows, lines


def _run(command: list[str], check: Callable[[], None], tell: Callable[[int], None]) -> str:
    """What a command of ncu prints. It is ended, with all that it started, where `check` raises or it takes too long."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=own_environment(), start_new_session=True
    )
    printed: list[str] = []

    def listen() -> None:
        assert process.stdout is not None, "it is a pipe"
        for line in process.stdout:
            printed.append(line)
            if "100%" in line:
                tell(sum("100%" in each for each in printed))

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        waited = 0.0
        while listener.is_alive() and waited < MOST_SECONDS:
            check()
            listener.join(POLL_SECONDS)
            waited += POLL_SECONDS
    finally:
        if listener.is_alive():
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        listener.join()
    text = "".join(printed)
    if _FORBIDDEN in text:
        raise CountersError(
            say(
                "this user may not read the GPU's counters: an administrator allows it with the option "
                "NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia, or runs this as root"
            )
        )
    if status != 0:
        errors = re.findall(r"==ERROR== (.*)", text) or text.strip().splitlines()[-1:] or ["no message"]
        raise CountersError(say("ncu ended with status {status}: {why}", status=status, why=errors[0]))
    return text


def run_case(case: CountCase) -> None:
    """Launch each kernel once to have it compiled, then once to be read."""
    import torch

    from lnkernels.inputs import make_inputs
    from lnkernels.strategies.registry import STRATEGIES

    device = torch.device("cuda", case.device)
    torch.cuda.set_device(device)
    given = make_inputs(case.m, case.n, getattr(torch, case.dtype), "tutorial", 0, device)
    kernels = STRATEGIES[case.launch.strategy]
    y, dx = torch.empty_like(given.x), torch.empty_like(given.x)
    mean, rstd = torch.empty(case.m, device=device), torch.empty(case.m, device=device)
    dw, db = (torch.empty(case.n, dtype=given.x.dtype, device=device) for _ in range(2))
    for read in (False, True):
        if read:
            torch.cuda.cudart().cudaProfilerStart()  # type: ignore[no-untyped-call]
        kernels.run_forward(given.x, given.weight, given.bias, case.eps, case.launch, y=y, mean=mean, rstd=rstd)
        kernels.run_backward(given.x, given.dy, given.weight, mean, rstd, case.launch, dx=dx, dw=dw, db=db)
        torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    written = json.loads(sys.argv[1])
    run_case(CountCase(**{**written, "launch": Launch(**written["launch"])}))
