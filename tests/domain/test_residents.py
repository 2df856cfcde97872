from lnexplorer.domain.request import check
from lnexplorer.domain.simulation.prediction import kernel_of, sample_run, sm_count_of
from lnexplorer.domain.timeline import prepare
from tests.domain.timelines import request, simulated


def seen(rows, residents):
    return prepare(timeline(rows, residents), "a trace")


def timeline(rows, residents):
    return simulated(rows, 64, 2, resident_programs=residents)


def test_a_trace_with_fewer_rows_than_places_tells_nothing_of_more_rows():
    assert seen(40, 8).tells_of(1000)
    all_at_once = seen(8, 100)
    assert all_at_once.programs == 8
    assert all_at_once.tells_of(8)
    assert not all_at_once.tells_of(9)


def test_sms_are_those_seen_where_each_had_its_chance_else_those_of_a_known_card():
    assert sm_count_of(timeline(40, 8), "sm_90") == 4
    assert sm_count_of(timeline(4, 8), "sm_90") == 132
    assert sm_count_of(timeline(4, 8), "sm_1") == 4


def test_a_sample_run_has_the_kernels_of_the_launch_and_another_group_size():
    launched = request(
        m=4096, n=1024, group_size_m=64, num_warps=2, partial_dtype="same", barrier=False
    )
    sample = sample_run(launched, 1)
    assert check(sample, "interpreter") == []
    assert (
        sample.m,
        sample.launch.group_size_m,
        sample.launch.num_warps,
        sample.launch.barrier,
        sample.launch.atomic_count,
    ) == (1, 1, 2, False, True)
    assert kernel_of(request(**sample.flat()), None) == kernel_of(launched, None)
