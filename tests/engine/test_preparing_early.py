"""What is to be compiled ahead reaches a worker that is not ready yet, and the one that takes its place."""

import queue
import sys
from collections.abc import Iterator

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import EngineEvent, WorkerLost, WorkerReady

# It is ready as soon as it was told what to compile, and not before; with m = 1 it ends instead, the first time.
WORKER = """
import argparse, os, sys
from pathlib import Path
from lnexplorer.protocol.codec import read_frame, write_frame
from lnexplorer.protocol.messages import Prepare, WorkerReady, decode_command, encode_message
from tests.sample_results import make_device

parser = argparse.ArgumentParser()
for name in ("--commands", "--events", "--parent"): parser.add_argument(name, type=int)
parser.add_argument("--device")
options = parser.parse_args()
commands, events = os.fdopen(options.commands, "rb"), os.fdopen(options.events, "wb")
command = decode_command(read_frame(commands))
assert isinstance(command, Prepare), command
mark = Path(os.environ["LNEXPLORER_FAKE_LOG"])
if command.requests[0].m == 1 and not mark.exists():
    mark.touch()
    os._exit(1)
write_frame(events, encode_message(WorkerReady(make_device())))
events.flush()
while read_frame(commands) is not None: pass
"""


@pytest.fixture
def supervised(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Supervisor, "queue.SimpleQueue[EngineEvent]"]]:
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", f"{tmp_path}/lost")
    heard: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    supervisor = Supervisor(heard.put, command=[sys.executable, "-c", WORKER])
    yield supervisor, heard
    supervisor.close()


def kinds_until_ready(heard: "queue.SimpleQueue[EngineEvent]") -> list[type]:
    kinds: list[type] = []
    while WorkerReady not in kinds:
        kinds.append(type(heard.get(timeout=20)))
    return kinds


@pytest.mark.parametrize("before", [True, False], ids=["before the start", "after the start"])
def test_a_worker_hears_what_to_compile_before_it_is_ready(
    supervised: tuple[Supervisor, "queue.SimpleQueue[EngineEvent]"], before: bool
) -> None:
    supervisor, heard = supervised
    if before:
        supervisor.prepare([RunRequest(m=2)])
    supervisor.start()
    if not before:
        supervisor.prepare([RunRequest(m=2)])
    assert WorkerLost not in kinds_until_ready(heard)


def test_the_next_worker_hears_it_too(supervised: tuple[Supervisor, "queue.SimpleQueue[EngineEvent]"]) -> None:
    supervisor, heard = supervised
    supervisor.start()
    supervisor.prepare([RunRequest(m=1)])
    assert WorkerLost in kinds_until_ready(heard)
