from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import lnexplorer  # noqa: F401  # a fixture
from tests.engine.bench import LIGHT_WORKER, Bench


@pytest.fixture(scope="package")
def fault_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("fault") / "fault"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LNEXPLORER_TEST_FAULT", str(file))
        yield file


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Something that only the processes of this test have in their environment."""
    monkeypatch.setenv("LNEXPLORER_TEST_MARK", str(tmp_path))
    return f"LNEXPLORER_TEST_MARK={tmp_path}"


@pytest.fixture(scope="package")
def shared_bench(fault_file: Path) -> Iterator[Bench]:
    bench = Bench(fault_file)
    bench.supervisor.start()
    yield bench
    bench.supervisor.close()


@pytest.fixture
def bench(shared_bench: Bench, fault_file: Path) -> Iterator[Bench]:
    yield shared_bench
    fault_file.unlink(missing_ok=True)
    _assert_one_end_each(shared_bench)


def _assert_one_end_each(bench: Bench) -> None:
    """Every job so far that ended did so once, whatever a test did to its worker."""
    ends = bench.listener.ends()
    assert all(len(outcomes) == 1 for outcomes in ends.values())


@pytest.fixture(scope="package")
def shared_light(fault_file: Path) -> Iterator[Bench]:
    bench = Bench(fault_file, command=LIGHT_WORKER)
    bench.supervisor.start()
    yield bench
    bench.supervisor.close()


@pytest.fixture
def light(shared_light: Bench, fault_file: Path) -> Iterator[Bench]:
    """A bench whose worker is there at once and computes nothing."""
    yield shared_light
    fault_file.unlink(missing_ok=True)
    _assert_one_end_each(shared_light)


@pytest.fixture
def make_bench(fault_file: Path) -> Iterator[Callable[[], Bench]]:
    made: list[Bench] = []

    def make() -> Bench:
        made.append(Bench(fault_file, command=LIGHT_WORKER))
        return made[-1]

    yield make
    for each in made:
        each.supervisor.close()
    fault_file.unlink(missing_ok=True)
