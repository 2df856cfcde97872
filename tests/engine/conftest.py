import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from tests.engine.listener import Listener

FAULTY_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("faulty_worker.py")))
SMALL = RunRequest(m=4, n=8, group_size_m=2)
DEADLINES = Deadlines(start=60, compile=4, run=5, heartbeat=3, grace=1, superseded_grace=3)


class Bench:
    """A supervisor of a worker that can be given a fault, shared by tests because a worker takes seconds to start."""

    def __init__(self, fault_file: Path) -> None:
        self._fault_file = fault_file
        self.listener = Listener()
        self.supervisor = Supervisor(self.listener, device="interpreter", command=FAULTY_WORKER, deadlines=DEADLINES)

    def fault(self, name: str, phase: str) -> None:
        """Let the worker have a fault when it next comes to a phase."""
        self._fault_file.write_text(f"{name}:{phase}")

    def next_run_works(self) -> None:
        """Run once more, and see a result."""
        assert not self._fault_file.exists(), "the fault did not happen"
        self.listener.finished(self.supervisor.run(SMALL))


@pytest.fixture(scope="session")
def fault_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("fault") / "fault"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LNEXPLORER_TEST_FAULT", str(file))
        yield file


@pytest.fixture(scope="session")
def shared_bench(fault_file: Path) -> Iterator[Bench]:
    bench = Bench(fault_file)
    bench.supervisor.start()
    yield bench
    bench.supervisor.close()


@pytest.fixture
def bench(shared_bench: Bench, fault_file: Path) -> Iterator[Bench]:
    yield shared_bench
    fault_file.unlink(missing_ok=True)


@pytest.fixture
def make_bench(fault_file: Path) -> Iterator[Callable[[], Bench]]:
    made: list[Bench] = []

    def make() -> Bench:
        made.append(Bench(fault_file))
        return made[-1]

    yield make
    for each in made:
        each.supervisor.close()
    fault_file.unlink(missing_ok=True)
