"""Has kernels hang, each in a worker of its own, and asks that where they stand."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import lnexplorer
from lnexplorer.domain.experiments.hang import PLANTED, Hangs, PlantedHang
from lnexplorer.domain.jobs import TraceJob
from lnexplorer.protocol.codec import read_frame, write_frame
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    Heartbeat,
    JobEnded,
    JobStands,
    Look,
    decode_event,
    encode_message,
)
from lnexplorer.worker.experiments.work import Work
from lnkernels.launch.source import find_source
from lnkernels.values.timeline import HangSnapshot

BEATS = 6  # of a worker, 0.5 s apart, since its kernel stamped first: then it hangs
PACKAGE = Path(lnexplorer.__file__).parent
FOLDERS = (PACKAGE / "resources" / "hangs", PACKAGE.parent / "resources" / "hangs")


def measure(work: Work) -> Hangs:
    """Run each kernel until it hangs, and tell those that are done."""
    folder = next(filter(Path.is_dir, FOLDERS))
    index = work.torch_device.index
    device = "interpreter" if index is None else f"cuda:{index}"
    work.task.begin("run")
    found = Hangs()
    for number, (name, title) in enumerate(PLANTED.items()):
        work.task.step(title, number, len(PLANTED))
        job = TraceJob(work.problem, find_source(str(folder / f"{name}.py")))
        with work.task.interruptible(prompt=True):
            planted = _planted(name, job, device)
        found = Hangs(planted=(*found.planted, planted))
        work.tell(found)
    return found


def _planted(name: str, job: TraceJob, device: str) -> PlantedHang:
    """Return where a kernel stands that stamps nothing any more; or why it ended."""
    command = [sys.executable, "-m", "lnexplorer.worker", "--device", device]
    command += ["--commands", "0", "--events", "1"]
    pipe, beats = subprocess.PIPE, 0
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as child:
        commands, events = cast("tuple[BinaryIO, BinaryIO]", (child.stdin, child.stdout))
        try:
            write_frame(commands, encode_message(Do(1, job)))  # read once it is ready
            while (frame := read_frame(events)) is not None:
                match decode_event(frame):
                    case Heartbeat():
                        write_frame(commands, encode_message(Look()))
                    case JobStands(HangSnapshot() as hang):
                        beats += 1
                        if beats == BEATS:
                            return PlantedHang(name=name, hang=replace(hang, timeline=None))
                    case JobEnded(outcome=Broken(sentence=reason)):
                        return PlantedHang(name=name, reason=reason)
                    case JobEnded():
                        break
        finally:
            child.kill()
    return PlantedHang(name=name)
