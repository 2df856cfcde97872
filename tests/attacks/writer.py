"""Writes to the history as a window and a sweep do, and says what it was told is kept: `python -m
tests.attacks.writer [also]`.

Each line of stdout is one answer of the store: a table, two numbers of the row, and its note. With
    `also` a second one writes
beside it.
"""

# ruff: noqa: E402
import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # it is no command: any signal ends it

import subprocess
import sys
from pathlib import Path

from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import read_recorded_sweep, read_recording

RECORDINGS = Path(__file__).parents[2] / "resources" / "recordings"
ROUNDS = 12


def _write(history: History, turn: int) -> None:
    result = read_recording(RECORDINGS / "h200_lecture.lnrec").result
    assert result is not None
    run = history.runs.add(result)
    _say("runs", run, 0)
    history.runs.annotate(run, f"round {turn}")
    _say("runs", run, 0, f"round {turn}")
    recorded = read_recorded_sweep(RECORDINGS / "h200_sweep_group_size.lnsweep")
    sweep = history.sweeps.begin(recorded.sweep)
    for row in recorded.results[:4]:
        history.sweeps.add(sweep, row)
        _say("cells", sweep, row.cell.number)
    history.sweeps.end(sweep, "cancelled")


def _say(*words: object) -> None:
    print(*words, flush=True)


def main() -> None:
    beside = (
        subprocess.Popen([sys.executable, "-m", "tests.attacks.writer"]) if sys.argv[1:] else None
    )
    with open_history(
        find_paths().history, lambda sentence: print(sentence, file=sys.stderr)
    ) as history:
        for turn in range(ROUNDS):
            _write(history, turn)
    if beside is not None:
        beside.wait()


if __name__ == "__main__":
    main()
