"""A worker without torch: it is there at once, gives an invented result, and has one fault when it is asked for.

The fault is told as to `tests.engine.faulty_worker`, whose worker is the real one.
"""

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time

from lnexplorer.domain.jobs import RunJob
from lnexplorer.protocol.codec import HEADER, read_frame, write_frame
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    Finished,
    Heartbeat,
    JobEnded,
    JobProgress,
    WorkerEvent,
    WorkerReady,
    decode_command,
    encode_message,
)
from lnexplorer.worker.__main__ import die_with_parent
from lnkernels.sentence import verbatim
from tests.engine.faults import taken_fault
from tests.sample_results import make_device, make_result


class Worker:
    def __init__(self, commands: int, events: int) -> None:
        self._commands, self._events = os.fdopen(commands, "rb"), os.fdopen(events, "wb")
        self._writing = threading.Lock()

    def serve(self) -> None:
        self._commit(taken_fault("start"))
        self._send(WorkerReady(make_device("interpreter")))
        threading.Thread(target=self._beat, daemon=True).start()
        while (frame := read_frame(self._commands)) is not None:
            command = decode_command(frame)
            if isinstance(command, Do):
                self._do(command)

    def _do(self, command: Do) -> None:
        assert isinstance(command.request, RunJob)
        for phase in ("compile", "run"):
            self._send(JobProgress(command.job, phase, None, 0, 0))
            self._commit(taken_fault(phase), command.job)
        self._send(JobEnded(command.job, Finished(make_result(8, 8))))

    def _send(self, event: WorkerEvent) -> None:
        with self._writing:
            write_frame(self._events, encode_message(event))

    def _beat(self) -> None:
        while True:
            time.sleep(0.3)
            self._send(Heartbeat())

    def _commit(self, fault: str | None, job: int = 0) -> None:
        match fault:
            case None:
                return
            case "kill" | "freeze":
                os.kill(os.getpid(), signal.SIGKILL if fault == "kill" else signal.SIGSTOP)
            case "crash":
                ctypes.string_at(0)
            case "exit":
                os._exit(5)
            case "sleep":
                time.sleep(3600)
            case "flood":
                for _ in range(800):
                    os.write(1, b"out " * 16384)
                    os.write(2, b"err " * 16384)
            case "a-hundred-megabytes":
                self._send(JobProgress(job, "run", verbatim("x" * 10**8), 1, 2))
            case "lose-the-device":
                sentence = verbatim("RuntimeError: CUDA error: an illegal memory access was encountered.")
                self._send(JobEnded(job, Broken("run", sentence, "", device_lost=True)))
                sys.exit()
            case _:
                self._spoil(fault)

    def _spoil(self, fault: str) -> None:
        payload = encode_message(Heartbeat()) * 4
        with self._writing:
            match fault:
                case "half-a-message" | "half-a-message-and-go-on":
                    self._events.write(HEADER.pack(len(payload)) + payload[: len(payload) // 2])
                case "no-message":
                    self._events.write(HEADER.pack(len(payload)) + payload)
                case "text-among-messages":
                    self._events.write(b"Loading checkpoint shards: 100%\n")
                case "close-the-pipe":
                    os.close(self._events.fileno())
                    time.sleep(3600)
                case _:
                    raise AssertionError(f"no such fault: {fault}")
            self._events.flush()
            if fault == "half-a-message":
                os._exit(0)


if __name__ == "__main__":
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    die_with_parent(int(options["--parent"]))
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)
    Worker(int(options["--commands"]), int(options["--events"])).serve()
