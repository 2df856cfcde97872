"""Ctrl-C that comes more than once."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from lnexplorer.cli import interrupts


def _press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_last", float("-inf"))


def test_the_first_of_several_in_a_row_interrupts_and_a_later_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    undo = interrupts.heed_once()
    try:
        with pytest.raises(KeyboardInterrupt):
            _press()
        _press()
        monkeypatch.setattr(interrupts, "_last", time.monotonic() - 2 * interrupts.ONE_PRESS_SECONDS)
        with pytest.raises(KeyboardInterrupt):
            _press()
    finally:
        undo()
    assert signal.getsignal(signal.SIGINT) is before


def test_one_that_is_told_interrupts_nothing_and_neither_does_one_right_after_it() -> None:
    heard: list[int] = []
    undo = interrupts.heed_once()
    try:
        with interrupts.told(lambda: heard.append(1)):
            _press()
            _press()
        _press()
    finally:
        undo()
    assert heard == [1, 1]


def test_a_run_ends_with_status_130_however_often_it_is_pressed() -> None:
    command = [sys.executable, "-m", "lnexplorer", "run", "--m", "4096", "--n", "8", "--device", "interpreter", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    process.stderr.readline()  # the worker starts
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["error"]["kind"] == "interrupted"
    assert "Traceback" not in err
