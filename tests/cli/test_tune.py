"""`lnexplorer tune` where there is no GPU: it says so, and shows and forgets what was kept."""

from pathlib import Path

import pytest

from lnkernels.launch import limits_for_architecture
from lnkernels.launch.measured import SplitEntry
from lnkernels.launch.tuned import read_tuned, write_tuned
from tests.cli.sweep.commands import run
from tests.engine.sweep.conftest import FAKE_WORKER


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Also where there is a GPU: measuring takes minutes, and the test of the GPU does it.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    return tmp_path


def test_without_a_gpu_nothing_is_measured_and_nothing_kept(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("tune --n 1024") == 3
    out, err = capfd.readouterr()
    assert "failed: device = cuda:0 cannot be used." in err
    assert out == ""
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--n 0", "n = 0 (--n) is not possible: take a whole number from 1 to 1048576"),
        ("--dtype fp16,float64", "dtype = float64 (--dtype) is not possible: take float16"),
        ("--minutes soon", "minutes = soon is not possible: take a number of minutes from 0"),
        ("--device interpreter", "device = interpreter is not possible: take cuda:0"),
        ("--device cuda:٣", "device = cuda:٣ is not possible: take cuda:0"),
    ],
)
def test_what_is_not_possible_is_refused_by_name(
    arguments: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"tune {arguments}") == 2
    assert said in capsys.readouterr().err


def test_what_is_found_is_kept_width_by_width_and_printed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lnexplorer.engine.spawn.WORKER_COMMAND", FAKE_WORKER)
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(home / "asked"))
    monkeypatch.setenv("LNEXPLORER_FAKE_SECONDS", "0")
    assert run("tune --n 1024,8192 --kind split,rows --minutes 0.02") == 0
    said = capsys.readouterr()
    assert said.err.startswith("1/3 rows, N = 1024, float16\n")
    assert f"kept in {home / 'tuned.json'}" in said.err
    stamp, *entries = said.out.splitlines()
    assert stamp.startswith("# NVIDIA H200")
    assert entries[0].startswith("RowsEntry(element_bytes=2, up_to_n=1024")
    assert entries[0].endswith(" µs")
    (device,) = read_tuned()
    assert [entry.up_to_n for entry in device.entries][:1] == [1024]


@pytest.mark.usefixtures("home")
def test_what_was_kept_is_shown_and_forgotten(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tune --show") == 0
    assert "Nothing was tuned yet" in capsys.readouterr().out
    entry = SplitEntry(element_bytes=2, up_to_n=16384, block_n=4096, num_warps=8, num_stages=3)
    file = write_tuned(limits_for_architecture("sm_80"), "2026-01-01T00:00:00+00:00", [entry])
    assert run("tune --show") == 0
    shown = capsys.readouterr().out
    assert "NVIDIA A100, compute capability 8.0, 108 SMs" in shown
    assert "split      N 16384    2 bytes: block_n 4096, num_warps 8, num_stages 3" in shown
    assert run("tune --forget") == 0
    assert capsys.readouterr().out == f"{file} is removed.\n"
    assert not file.exists()


def test_a_damaged_file_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "tuned.json").write_text("{")
    assert run("tune --show") == 3
    assert str(home / "tuned.json") in capsys.readouterr().err
    assert run("tune --forget") == 0
