"""Threads that leave the event loop its turns."""

import gc
import sys
import threading

from lnexplorer.gui.considerate import SWITCH_SECONDS, considerate


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
