"""`lnexplorer bench` on a real GPU, as a program."""

import csv
import json
import signal
import time
from pathlib import Path

import pytest

from lnexplorer.report.benchmark_file import read_benchmark
from tests.programs import COMMAND, run_command, start_program

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]

BENCH = "bench --m 512 --strategy locked,persistent,split --provider torch"


def test_everything_is_in_the_files(tmp_path: Path) -> None:
    table, document, picture = tmp_path / "b.csv", tmp_path / "b.json", tmp_path / "b.png"
    files = f"--csv {table} --json {document} --picture {picture}"
    ran = run_command(
        f"{BENCH} --n 512,1024 --timing kernel_cold,kernel_warm,autograd --seconds 0.3 {files}"
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    with table.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    # Four candidates in two passes and three ways of calling, and the ceilings of both states of
    # the cache.
    assert len(rows) == 2 * (4 * 2 * 3 + 2 * 2)
    assert {row["status"] for row in rows} == {"ok"}
    assert all(float(row["gbps"]) > 0 for row in rows)
    assert all(float(row["host_us"]) > 0 for row in rows if row["mode"] == "autograd")
    recorded = read_benchmark(document)
    assert len(recorded.rows) == len(rows)
    assert recorded.environment is not None
    assert recorded.environment.gpu is not None
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_interrupted_it_keeps_what_is_known(tmp_path: Path) -> None:
    document = tmp_path / "b.json"
    words = f"{BENCH} --n 512:65024:512 --json {document}".split()
    with start_program(COMMAND, *words) as running:
        deadline = time.monotonic() + 200
        while not document.exists() and time.monotonic() < deadline and running.poll() is None:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    kept = json.loads(document.read_text())
    assert kept["finished"] is False
    assert kept["points"]
