"""The files that the tutorial's curve leaves, the same from window and command line."""

from dataclasses import replace
from pathlib import Path

from lnexplorer.domain.sweep.request import PRESETS, TUTORIAL
from lnexplorer.report import files as report_files
from lnexplorer.report.files import write_tutorial_files
from tests.gui.sample_sweeps import invented_rows

GROUPS = PRESETS[2].sweep
NAMES = {"layer-norm-backward.csv", "layer-norm-backward.png"}


def test_window_and_command_line_write_the_same(tmp_path: Path) -> None:
    sweep = replace(TUTORIAL.sweep, directions=("backward",))  # of one pass: drawing takes seconds
    rows = invented_rows(sweep)
    apart = report_files.in_a_process(write_tutorial_files, tmp_path / "window", sweep, rows)
    here = write_tutorial_files(tmp_path / "command", sweep, rows)
    assert apart.complete
    assert here.complete
    assert set(apart.names) == set(here.names) == NAMES
    for name in NAMES:
        data = (tmp_path / "window" / name).read_bytes()
        assert data.startswith(
            b"N,Triton (GB/s),Torch (GB/s)\n1024.000000," if name.endswith(".csv") else b"\x89PNG"
        )
        assert data == (tmp_path / "command" / name).read_bytes()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = write_tutorial_files(
        tmp_path / "file" / "below", TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)[:1]
    )
    assert not found.complete
    assert "cannot be written" in found.remarks[0]
