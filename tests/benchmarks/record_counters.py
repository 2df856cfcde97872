"""Records what the hardware counts in every strategy's default run; a script for a machine with a
GPU and `ncu`.

    python -m tests.benchmarks.record_counters FOLDER              # FOLDER/<gpu>_counters_<strategy>.lnrec, four files
    python -m tests.benchmarks.record_counters FOLDER locked split # of these alone

Each is a run of its own, without other providers, that ncu then launches once more. It prints how
long each took.
"""

import sys
import time
from pathlib import Path

from lnexplorer.cli.compile import counters_text
from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished
from lnexplorer.store.recordings import Recording, write_recording
from lnkernels.launch import LAUNCHED


def main() -> int:
    """Run and record; 1 where a strategy was not counted."""
    folder = Path(sys.argv[1])
    failed = 0
    for strategy in sys.argv[2:] or LAUNCHED:
        began = time.monotonic()
        (outcome,) = run_in_turn([RunJob(RunRequest.of(strategy=strategy), (), counters=True)])
        if (
            not isinstance(outcome, Finished)
            or not isinstance(outcome.value, RunResult)
            or not outcome.value.counters
        ):
            print(f"{strategy}: {outcome}"[:3000])
            failed = 1
            continue
        result = outcome.value
        gpu = (result.provenance.environment.gpu or "gpu").split()[-1]
        resolved = result.resolved
        title = f"{resolved.m}×{resolved.n} {resolved.dtype}, {strategy}, hardware counters, {gpu}"
        path = folder / f"{gpu.lower()}_counters_{strategy}.lnrec"
        write_recording(path, Recording(title=title, result=result, timeline=None))
        print(
            f"{path}: {path.stat().st_size} bytes, {time.monotonic() - began:.1f}"
            f" s\n{counters_text(result)}\n"
        )
    return failed


if __name__ == "__main__":
    sys.exit(main())
