"""Threads that leave the event loop its turns."""

import gc
import sys
import threading

from lnexplorer.gui.shell.considerate import SWITCH_SECONDS, considerate, short_turns


def test_everything_is_as_it_was_when_the_last_one_has_ended() -> None:
    before = sys.getswitchinterval()
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with considerate():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with considerate():
        assert not gc.isenabled()
        thread.start()
        assert entered.wait(10)
    assert abs(sys.getswitchinterval() - SWITCH_SECONDS) < 1e-6
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()
    assert abs(sys.getswitchinterval() - before) < 1e-6


def test_short_turns_leave_the_collection_of_garbage_alone() -> None:
    before = sys.getswitchinterval()
    with short_turns():
        assert gc.isenabled()
        with considerate():
            assert not gc.isenabled()
        assert gc.isenabled()
        assert abs(sys.getswitchinterval() - SWITCH_SECONDS) < 1e-6
    assert abs(sys.getswitchinterval() - before) < 1e-6
