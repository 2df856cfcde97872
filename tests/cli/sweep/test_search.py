"""`--search`: settings that are not listed but looked for."""

import json
import signal
from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from tests.cli.sweep.commands import SEARCH, started, table, wait_for_rows


def test_a_search_begins_with_the_automatic_setting_and_names_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna", reason="the search needs the extra `search`")
    assert main(["sweep", "--m", "4096", "--n", "1024", "--search", "6", "--device", "cuda:0"]) == 0
    out = capsys.readouterr().out
    assert "6 settings: 6 right." in out
    assert "Best forward and backward" in out
    assert "Best backward" not in out, "it looks for one setting, for both passes"


def test_a_killed_search_goes_on_with_what_it_has_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna", reason="the search needs the extra `search`")
    path = tmp_path / "rows.csv"
    with started(*SEARCH, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGKILL)
    before = table(path)
    assert 3 <= len(before) < 12
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 0
    captured = capsys.readouterr()
    assert "of them have a row already" in captured.err
    after = table(path)
    assert [row["cell"] for row in after] == [str(number) for number in range(12)]
    # The kill may have come between the file's newest row and the history's.
    assert [row for row in after if int(row["cell"]) < len(before) - 1] == before[:-1], "what was there was not tried again"
    tried = {(row["group_size_m"], row["num_warps"], row["reduce_block_size_m"], row["reduce_block_size_n"]) for row in after}
    assert len(tried) > 6
    assert json.loads(captured.out)["counts"]["ok"] == 12
