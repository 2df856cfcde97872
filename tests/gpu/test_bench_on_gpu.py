"""`lnexplorer bench` on a real GPU, as a program."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lnexplorer.report.benchmark_file import read_benchmark

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]

COMMAND = [
    sys.executable,
    "-m",
    "lnexplorer",
    "bench",
    "--m",
    "512",
    "--strategy",
    "locked,persistent,split",
    "--provider",
    "torch",
]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    return {**kept, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_everything_is_in_the_files(tmp_path: Path) -> None:
    table, document, picture = tmp_path / "b.csv", tmp_path / "b.json", tmp_path / "b.png"
    files = ["--csv", str(table), "--json", str(document), "--picture", str(picture)]
    ran = subprocess.run(
        [
            *COMMAND,
            "--n",
            "512,1024",
            "--l2",
            "cold,warm",
            "--autograd",
            "--seconds",
            "0.3",
            *files,
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
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
    running = subprocess.Popen(
        [*COMMAND, "--n", "512:65024:512", "--json", str(document)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    deadline = time.monotonic() + 200
    while not document.exists() and time.monotonic() < deadline and running.poll() is None:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    kept = json.loads(document.read_text())
    assert kept["finished"] is False
    assert kept["points"]
