"""What the pictures of experiments hold."""

from dataclasses import replace

from lnexplorer.gui.charts.experiment_panels import picture_of
from tests.sample_experiments import sample


def test_the_wait_of_each_type_of_buffer_is_a_line_where_it_was_measured() -> None:
    result = sample("group_size")
    wide, same = picture_of(result).panels[1].series
    assert (wide.y > same.y).all()
    assert result.group_size is not None
    older = tuple(replace(point, wait_same_ns=None) for point in result.group_size.points)
    (only,) = picture_of(replace(result, group_size=replace(result.group_size, points=older))).panels[1].series
    assert (only.y == wide.y).all()
