from dataclasses import replace

from lnexplorer.domain.measuring import MeasureRequest, label
from lnexplorer.domain.request import RunRequest

SHAPE = RunRequest(m=64, n=256)
TWO = MeasureRequest(settings=(SHAPE, SHAPE.changed(group_size_m=8)), providers=("torch",))


def test_a_setting_is_called_by_its_strategy_and_what_is_not_automatic() -> None:
    assert (
        label(SHAPE.changed(group_size_m=8, barrier=False)) == "locked group_size_m=8 barrier=off"
    )


def test_every_candidate_has_a_label_of_its_own() -> None:
    request = MeasureRequest(settings=(SHAPE, SHAPE), providers=("torch", "locked"))
    assert request.labels == ("locked #1", "locked #2", "torch", "locked #3")


def test_the_problem_of_wide_rows_does_not_depend_on_a_strategy_that_refuses_them() -> None:
    assert replace(TWO, settings=(replace(SHAPE, n=65536),)).subject.strategy == "auto"
