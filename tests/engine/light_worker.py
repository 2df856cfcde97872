"""A worker without torch: it is there at once, gives an invented result, and has one fault when it
is asked for.

The fault is told as to `tests.engine.faulty_worker`, whose worker is the real one.
"""

import ctypes
import faulthandler
import os
import signal
import sys
import time

from lnexplorer.domain.jobs import RunJob
from lnexplorer.protocol.codec import HEADER
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    Finished,
    Heartbeat,
    JobEnded,
    JobProgress,
    WorkerReady,
    encode_message,
)
from lnexplorer.worker.connection import Connection
from lnkernels.values.sentence import Sentence, verbatim
from tests.engine.stand_in import connect, taken_fault
from tests.sample_results import make_device, make_result


class Worker:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._send = connection.send

    def serve(self) -> None:
        self._commit(taken_fault("start"))
        self._send(WorkerReady(make_device("interpreter")))
        while command := self._connection.next_job():
            if isinstance(command, Do):
                self._do(command)

    def _do(self, command: Do) -> None:
        assert isinstance(command.request, RunJob)
        for phase in ("compile", "run"):
            self._send(JobProgress(command.job, phase, None, 0, 0))
            self._commit(taken_fault(phase), command.job)
        self._send(JobEnded(command.job, Finished(make_result(8, 8))))

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
            case "command-the-terminal":
                self._send(JobProgress(job, "run", verbatim("\x1b[2J\u202egpj.exe"), 1, 2))
            case "format-anything":
                self._send(JobProgress(job, "run", Sentence("{x.__class__}", (("x", 1),)), 1, 2))
            case "lose-the-device":
                sentence = verbatim(
                    "RuntimeError: CUDA error: an illegal memory access was encountered."
                )
                self._send(JobEnded(job, Broken("run", sentence, "", device_lost=True)))
                sys.exit()
            case _:
                self._spoil(fault)

    def _spoil(self, fault: str) -> None:
        payload = encode_message(Heartbeat()) * 4
        events = self._connection._events
        with self._connection._writing:
            match fault:
                case "half-a-message":
                    events.write(HEADER.pack(len(payload)) + payload[: len(payload) // 2])
                case "text-among-messages":
                    events.write(b"Loading checkpoint shards: 100%\n")
                case "close-the-pipe":
                    os.close(events.fileno())
                    time.sleep(3600)
                case _:
                    raise AssertionError(f"no such fault: {fault}")
            events.flush()
            if fault == "half-a-message":
                os._exit(0)


if __name__ == "__main__":
    connection, _ = connect()
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)
    Worker(connection).serve()
