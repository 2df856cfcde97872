"""A sweep over the Dask workers of a cluster: each row once, whatever dies."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import check_cluster
from lnexplorer.engine import cluster, cluster_host
from lnexplorer.engine.cluster import SEATS
from lnexplorer.engine.sources import MOST_TOGETHER
from lnexplorer.engine.sweep_events import CellFinished, DeviceLost, DeviceReady, WorkerReplaced
from lnexplorer.protocol.codec import DecodeError, FramingError, encode
from tests.cli.conftest import Command
from tests.cli.sweep.conftest import table, wait_for_rows
from tests.engine.listener import Hearing, wait_until
from tests.engine.sweep.conftest import FAKE_WORKER, Asked, Start, groups, hold_after
from tests.engine.sweep.fake_worker import DIES, HANGS, HOST_DIES

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install '.[cluster]'")
psutil = pytest.importorskip("psutil", reason="comes with Dask")

# A scheduler with a Dask worker, in one process that is killed.
SCHEDULER = f"""
import distributed, time
from lnexplorer.engine import spawn
spawn.WORKER_COMMAND = {FAKE_WORKER!r}
options = {{"processes": False, "protocol": "tcp", "resources": {{"GPU": 1}}, "dashboard_address": ":0", "silence_logs": 60}}
with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **options) as cluster:
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    log = tmp_path_factory.mktemp("cluster") / "asked"
    log.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LNEXPLORER_FAKE_LOG", str(log))
        patch.setenv("LNEXPLORER_FAKE_SECONDS", "0.02")
        yield log


@pytest.fixture(scope="module")
def workers(log: Path) -> Iterator[Any]:
    """Two Dask workers, each a process with a GPU, that are there again where they are killed."""
    del log
    options = {
        "threads_per_worker": 1,
        "resources": {"GPU": 1},
        "dashboard_address": ":0",
        "silence_logs": 60,
    }
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def asked(log: Path) -> Asked:
    log.write_text("")
    return lambda: log.read_text().splitlines()


@pytest.fixture
def start(sweep_of: Start, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.setattr(cluster, "ALONE_SECONDS", 20.0)
    return lambda sweep, address, **options: sweep_of(
        sweep, devices=("auto",), cluster=address, **options
    )


def numbers(hearing: Hearing) -> list[int]:
    return sorted(row.cell.number for row in hearing.rows())


def test_workers_that_hang_or_die_cost_their_row_and_no_dask_worker(
    start: Start, workers: Any, asked: Asked
) -> None:
    before = set(workers.run(os.getpid).values())
    hearing = start(
        groups(64, HANGS, 65, DIES, *range(100, 120)), workers.scheduler.address, step_seconds=1.0
    )
    assert hearing.end().how == "finished"
    status = {row.cell.request.launch.group_size_m: row.status for row in hearing.rows()}
    assert (status.pop(HANGS), status.pop(DIES)) == ("timed_out", "failed")
    assert set(status.values()) == {"ok"}
    assert numbers(hearing) == list(range(24))
    assert len(asked()) == 24, "nothing was measured twice"
    assert {row.device for row in hearing.rows()} == {f"{os.uname().nodename}/cuda:0"}
    assert len(hearing.of(DeviceReady)) == 1, "one of each name"
    assert hearing.of(WorkerReplaced)
    assert set(workers.run(os.getpid).values()) == before


def test_a_dask_worker_that_is_killed_loses_no_row(
    start: Start, workers: Any, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    del asked
    monkeypatch.setenv("LNEXPLORER_FAKE_SECONDS", "0.1")
    hearing = start(groups(*range(100, 140)), workers.scheduler.address)
    hearing.wait_for(CellFinished)
    os.kill(next(iter(workers.run(os.getpid).values())), signal.SIGKILL)
    lost = hearing.wait_for(DeviceLost)
    assert str(lost.sentence) == f"The Dask worker on {os.uname().nodename} is gone."
    assert hearing.end().how == "finished"
    assert numbers(hearing) == list(range(40))
    assert {row.status for row in hearing.rows()} == {"ok"}


def test_a_setting_that_takes_its_dask_worker_along_is_tried_once_more_and_no_oftener(
    start: Start, workers: Any, asked: Asked
) -> None:
    hearing = start(groups(64, HOST_DIES, 128), workers.scheduler.address)
    assert hearing.end().how == "finished"
    rows = {row.cell.request.launch.group_size_m: row for row in hearing.rows()}
    assert {group: row.status for group, row in rows.items()} == {
        64: "ok",
        HOST_DIES: "failed",
        128: "ok",
    }
    assert "is gone" in str(rows[HOST_DIES].reason)
    assert sum("GROUP_SIZE_M = 17" in line for line in asked()) == 2, "and no other one was blamed"


def test_without_its_scheduler_a_sweep_ends_with_a_sentence_and_is_resumed_with_each_row_once(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("lnexplorer.engine.spawn.WORKER_COMMAND", FAKE_WORKER)
    monkeypatch.setattr(
        "lnexplorer.engine.cluster.CONNECT_SECONDS", 3.0
    )  # Dask lets go of one that is gone no sooner
    rows = tmp_path / "rows.csv"
    hold = hold_after(1, tmp_path, monkeypatch)
    scheduler = subprocess.Popen(
        [sys.executable, "-P", "-c", SCHEDULER], stdout=subprocess.PIPE, text=True
    )
    try:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()

        def end_scheduler() -> None:
            wait_for_rows(rows, 2)
            scheduler.kill()
            hold.unlink()

        with ThreadPoolExecutor() as beside:
            ending = beside.submit(end_scheduler)
            sweep = f"sweep --m 4096 --n 1024 --group-size-m 100:159 --cluster {address} --csv"
            said = lnexplorer(sweep, rows, status=3).err
            ending.result()
        assert f"The Dask scheduler at {address} does not answer any more." in said
        assert f"lnexplorer sweep --resume {rows} goes on" in said
        assert 2 <= len(table(rows)) < 60
        lnexplorer("sweep --resume", rows, "--device", "cuda:0")
        assert [(row["cell"], row["status"]) for row in table(rows)] == [
            (str(cell), "ok") for cell in range(60)
        ]
        assert len(asked()) - 60 <= SEATS * MOST_TOGETHER, (
            "no more than what was under way came again"
        )
    finally:
        scheduler.kill()
        scheduler.communicate()


def test_local_dask_workers_come_with_the_sweep_and_go_with_it(
    start: Start, asked: Asked, log: Path
) -> None:
    hearing = start(groups(*range(100, 104)), "local:2")
    assert hearing.end().how == "finished"
    assert len(asked()) == 4
    assert wait_until(lambda: not _started_with(log))


def test_each_local_dask_worker_has_a_gpu_of_its_own_and_there_are_no_more_than_those(
    start: Start, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    del asked
    driver = SimpleNamespace(visible=("GPU-a", "GPU-b"))
    monkeypatch.setattr("lnexplorer.engine.local_cluster.find_driver", lambda: driver)
    hearing = start(groups(*range(100, 140)), "local:2")
    assert hearing.end().how == "finished"
    host = os.uname().nodename
    assert {row.device for row in hearing.rows()} == {f"{host}/cuda:0", f"{host}/cuda:1"}
    assert "There are 2 GPUs here, so local:3 is too many." in str(
        start(groups(64), "local:3").end().sentence
    )


def test_no_stranger_reaches_local_dask_workers(start: Start, asked: Asked) -> None:
    """Who connects to a scheduler of Dask may have it run code."""
    del asked
    before = _listening()
    hearing = start(groups(*range(100, 140)), "local:2")
    hearing.wait_for(CellFinished)
    for port in _listening() - before:
        with pytest.raises(HTTPError, match="404"):  # no page, and no scheduler's protocol
            urlopen(f"http://127.0.0.1:{port}/", timeout=10)
    lines = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it may end meanwhile
            lines += process.cmdline()
    assert not [line for line in lines if "://" in line]
    assert hearing.end().how == "finished"


def _listening() -> set[int]:
    return {
        each.laddr.port
        for each in psutil.Process().net_connections()
        if each.status == psutil.CONN_LISTEN
    }


def _started_with(log: Path) -> list[str]:
    """Command lines of the worker processes that the Dask workers of `local` started."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.environ().get("LNEXPLORER_FAKE_LOG") == str(log):
                found += [line for line in process.cmdline() if line.endswith("fake_worker.py")]
        except psutil.Error:
            continue
    return found


def test_a_scheduler_of_another_dask_version_is_refused_with_both_versions(
    start: Start, workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = distributed.__version__
    monkeypatch.setattr(distributed, "__version__", "1999.1.0")
    address = workers.scheduler.address
    end = start(groups(64), address).end()
    assert end.how == "failed"
    assert (
        str(end.sentence)
        == f"The scheduler at {address} has Dask {theirs}, and this side 1999.1.0: both need the"
        f" same. pip install 'distributed=={theirs}'"
    )


def test_a_dask_worker_of_another_version_of_ours_or_without_a_gpu_is_refused(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "UNUSABLE_SECONDS", 0.5)
    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp", dashboard_address=":0"
    ) as local:
        end = start(groups(64), local.scheduler_address).end()
        assert end.how == "failed"
        assert "has no resource GPU: start it with --resources GPU=1" in str(end.sentence)
        monkeypatch.setattr(cluster_host, "__version__", "0.0.1")
        end = start(groups(64), local.scheduler_address).end()
        assert "It has lnexplorer 0.0.1, and this side" in str(end.sentence)


@pytest.mark.parametrize(
    "address",
    ["", "local:0", "local:257", "tcp://host", "tcp://host:99999", "ftp://h:1"],
)
def test_an_address_that_is_none_is_refused_with_what_is_allowed(address: str) -> None:
    (problem,) = check_cluster(address)
    assert problem.field == "cluster"
    assert "tcp://HOST:PORT" in str(problem.allowed)


@pytest.mark.parametrize(
    "frames", [b"\x05", b"\x02\0\0\0\0\0\0\0ab", encode(replace(RunRequest(), m=3))]
)
def test_bytes_of_somebody_else_are_no_answer(frames: bytes) -> None:
    with pytest.raises((DecodeError, FramingError)):
        cluster_host.unpack(frames)
