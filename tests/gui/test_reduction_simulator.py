import threading

import pytest

from lnexplorer.domain.simulation import simulate
from lnexplorer.gui.reduction.simulator import Simulator
from tests.domain.timelines import model


def simulated(rows):
    return simulate(rows, 8, 2, 32, 128, model())


@pytest.fixture
def simulator(qapp):
    made = Simulator()
    yield made
    made.cancel()
    made.deleteLater()


def test_a_timeline_comes_back_on_the_thread_of_the_window(simulator, qtbot):
    threads = []
    simulator.ready.connect(lambda _timeline: threads.append(threading.current_thread()))

    def work():
        threads.append(threading.current_thread())
        return simulated(4)

    with qtbot.waitSignal(simulator.ready) as came:
        simulator.wish(work)
    assert came.args[0].m == 4
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()


def test_of_several_wishes_only_the_last_comes(simulator, qtbot):
    came, may_go_on = [], threading.Event()
    simulator.ready.connect(lambda timeline: came.append(timeline.m))

    def slow():
        may_go_on.wait(10)
        return simulated(1)

    simulator.wish(slow)
    simulator.wish(lambda: simulated(2))
    simulator.wish(lambda: simulated(3))
    may_go_on.set()
    qtbot.waitUntil(lambda: came == [3])


def test_nothing_comes_of_what_is_cancelled(simulator, qtbot):
    came = []
    simulator.ready.connect(lambda timeline: came.append(timeline.m))
    simulator.wish(lambda: simulated(1))
    simulator.cancel()
    simulator.wish(lambda: simulated(2))
    qtbot.waitUntil(lambda: came != [])
    assert came == [2]
