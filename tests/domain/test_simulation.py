import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.moments import locks_in_use
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import ARBITRATIONS, ScheduleModel, simulate
from lnexplorer.domain.timeline import violations
from lnexplorer.domain.timeline_summary import summarize
from tests.domain.timelines import model, request

# Stage 1 as traced on an NVIDIA H200 in float16 with M = 4096: N, G, programs per SM, hold, compute, stage 1, mean wait in µs.
# The programs per SM follow from the registers that the compiler reported for each width.
TRACED = (
    (1024, 256, 10, 0.87, 0.92, 33, 6.4),
    (2048, 128, 5, 1.0, 1.4, 68, 6.7),
    (8192, 96, 2, 2.7, 2.1, 180, 5.2),
    (1024, 16, 10, 1.1, 0.86, 625, 167),
)


@given(
    m=st.integers(0, 80),
    n=st.integers(1, 300),
    group_size_m=st.integers(1, 90),
    residents=st.integers(1, 100),
    arbitration=st.sampled_from(ARBITRATIONS),
    jitter=st.sampled_from((0.0, 0.5)),
    seed=st.integers(0, 5),
)
def test_every_simulated_timeline_can_have_happened(m, n, group_size_m, residents, arbitration, jitter, seed):
    schedule = model(resident_programs=residents, arbitration=arbitration, jitter=jitter, seed=seed)
    timeline = simulate(m, n, group_size_m, 32, 128, schedule)
    assert violations(timeline) == []
    assert timeline.kind is Kind.SIMULATED
    in_flight = _most_in_flight(timeline)
    assert in_flight <= residents
    assert timeline.tile_start_ns.size == -(-n // 128)


def _most_in_flight(timeline):
    times = np.concatenate((timeline.start_ns, timeline.released_ns))
    change = np.repeat((1, -1), timeline.m)
    return np.cumsum(change[np.lexsort((change, times))]).max(initial=0)


def test_one_buffer_lets_one_row_in_at_a_time():
    timeline = simulate(50, 64, 1, 32, 128, model(resident_programs=50))
    held, released = np.sort(timeline.held_ns), np.sort(timeline.released_ns)
    assert (held[1:] >= released[:-1] + 300).all()
    assert summarize(timeline).stage1_ns >= 50 * 800 + 49 * 300


def test_as_many_buffers_as_rows_leave_nothing_to_wait_for_but_the_try():
    timeline = simulate(50, 64, 50, 32, 128, model(resident_programs=50))
    assert (timeline.held_ns - timeline.wanted_ns == 100).all()


@given(m=st.integers(1, 60), group_size_m=st.integers(1, 20), residents=st.integers(1, 40))
def test_more_resident_programs_are_never_slower(m, group_size_m, residents):
    few = simulate(m, 64, group_size_m, 32, 128, model(resident_programs=residents, stagger_ns=0))
    more = simulate(m, 64, group_size_m, 32, 128, model(resident_programs=residents + 1, stagger_ns=0))
    assert more.end_ns <= few.end_ns


def test_equal_seeds_give_equal_timelines_and_others_do_not():
    schedule = model(arbitration="random", jitter=0.3, seed=1)
    first, again = (simulate(100, 64, 4, 32, 128, schedule) for _ in range(2))
    other = simulate(100, 64, 4, 32, 128, dataclasses.replace(schedule, seed=2))
    assert np.array_equal(first.held_ns, again.held_ns)
    assert not np.array_equal(first.held_ns, other.held_ns)


def test_arbitration_decides_who_is_next():
    in_order = simulate(4, 64, 1, 32, 128, model(arbitration="fifo"))
    newest_first = simulate(4, 64, 1, 32, 128, model(arbitration="newest"))
    assert in_order.order.tolist() == [0, 1, 2, 3]
    assert newest_first.order.tolist() == [0, 3, 2, 1]


def test_two_resident_programs_take_the_lecture_s_four_rows_two_at_a_time():
    timeline = simulate(4, 8, 2, 32, 128, model(resident_programs=2))
    assert (timeline.start_ns[2:] > timeline.released_ns[:2].min()).all()
    assert locks_in_use(timeline) == 2


@pytest.mark.parametrize(("n", "group_size_m", "per_sm", "hold", "compute", "stage1", "wait"), TRACED)
def test_the_model_comes_close_to_the_traced_runs(n, group_size_m, per_sm, hold, compute, stage1, wait):
    schedule = dataclasses.replace(
        default_model(request(m=4096, n=n, group_size_m=group_size_m), 132 * per_sm, 132),
        hold_ns=hold * 1000,
        compute_ns=compute * 1000,
    )
    summary = summarize(simulate(4096, n, group_size_m, 32, 128, schedule))
    assert summary.stage1_ns / 1000 == pytest.approx(stage1, rel=0.10)
    assert summary.wait_mean_ns / 1000 == pytest.approx(wait, rel=0.15)


def test_the_default_times_predict_the_default_run():
    schedule = default_model(request(m=4096, n=8192), 264, 132)
    summary = summarize(simulate(4096, 8192, 96, 32, 128, schedule))
    assert summary.stage1_ns / 1000 == pytest.approx(181, rel=0.1)
    assert summary.stage2_ns / 1000 == pytest.approx(5.9, rel=0.3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("partial_dtype", ["float32", "same"])
@pytest.mark.parametrize("n", [1, 8, 3000, 100_000])
def test_the_default_model_has_times_for_every_width_and_type(dtype, partial_dtype, n):
    schedule = default_model(request(m=64, n=n, dtype=dtype, partial_dtype=partial_dtype), 4, 2)
    assert schedule.compute_ns > 0
    assert schedule.hold_ns > 0


def test_a_model_without_programs_is_refused():
    with pytest.raises(ValueError, match="resident_programs"):
        model(resident_programs=0)
    with pytest.raises(ValueError, match="arbitration"):
        ScheduleModel(
            resident_programs=1,
            sm_count=1,
            compute_ns=1,
            hold_ns=1,
            try_ns=0,
            hand_over_ns=0,
            stagger_ns=0,
            exit_ns=0,
            arbitration="priority",
        )
