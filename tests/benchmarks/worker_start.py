"""How long workers take until they are ready, and for their first inputs, several at once, one on each GPU; a script.

    python -m tests.benchmarks.worker_start                 # 1, 2, 4 … workers, as far as there are GPUs
    python -m tests.benchmarks.worker_start --one-visible   # the same where each process sees its own GPU alone

The second tells what it would save that the driver looks at one GPU only. With `--device interpreter` both run without
a GPU.
"""

import argparse
import os
import queue
import time
from collections.abc import Sequence
from functools import partial

from lnexplorer.doctor.facts import find_driver
from lnexplorer.domain.measuring import Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.spawn import WORKER_COMMAND
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, WorkerLost, WorkerReady

Heard = queue.SimpleQueue[tuple[int, float, EngineEvent]]


def start(heard: Heard, number: int, device: str, *, one_visible: bool) -> Supervisor:
    """A worker that starts now, on the GPU of its number unless it is on another device."""
    command: Sequence[str] = WORKER_COMMAND
    wish = f"cuda:{number}" if device == "cuda" else device
    if one_visible and device == "cuda":
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        own = visible.split(",")[number].strip() if visible else str(number)
        command, wish = ("env", f"CUDA_VISIBLE_DEVICES={own}", *command), "cuda:0"
    supervisor = Supervisor(partial(_note, heard, number), device=wish, command=command)
    supervisor.start()
    return supervisor


def _note(heard: Heard, number: int, event: EngineEvent) -> None:
    heard.put((number, time.monotonic(), event))


def measure(count: int, device: str, *, one_visible: bool) -> None:
    """Start so many at one moment, give each a check of one setting as soon as it is ready, and print what they took."""
    heard: Heard = queue.SimpleQueue()
    began = time.monotonic()
    workers = [start(heard, number, device, one_visible=one_visible) for number in range(count)]
    m, n = (4096, 4096) if device == "cuda" else (8, 64)
    setting = RunRequest(m=m, n=n)
    request = MeasureRequest(settings=(setting,), problem=setting, modes=())
    ready: dict[int, float] = {}
    lines: dict[int, str] = {}
    while len(lines) < count:
        number, at, event = heard.get()
        match event:
            case WorkerReady():
                ready[number] = at
                workers[number].submit(request)
            case WorkerLost(sentence=sentence):
                lines[number] = str(sentence)
            case JobEnded(outcome=Finished(value=Measured())):
                checked = f"checked after another {at - ready[number]:.2f} s"
                lines[number] = f"ready after {ready[number] - began:.2f} s, {checked}"
            case JobEnded(outcome=outcome):
                lines[number] = f"it did not measure: {outcome}"
            case _:
                pass
    for worker in workers:
        worker.close()
    for number, line in sorted(lines.items()):
        print(f"{count} at once, worker {number}: {line}", flush=True)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="1,2,4", help="how many at once, by comma")
    parser.add_argument("--one-visible", action="store_true", help="each process sees its own GPU alone")
    parser.add_argument("--device", choices=("cuda", "interpreter"), default="cuda")
    options = parser.parse_args()
    gpus = len(find_driver().gpus)
    for count in (int(number) for number in options.workers.split(",")):
        if options.device == "cuda" and count > gpus:
            print(f"{count} workers: there are {gpus} GPUs")
            continue
        measure(count, options.device, one_visible=options.one_visible)


if __name__ == "__main__":
    main()
