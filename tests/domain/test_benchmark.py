from lnexplorer.domain.benchmark import rows
from tests.sample_benchmark import benchmark


def test_every_candidate_and_ceiling_has_a_row_and_a_refused_one_its_reason() -> None:
    made = benchmark(256)
    found = rows(made, made.points[0])
    assert [(row.provider, row.status) for row in found] == [
        ("copy", "ok"),
        ("locked", "ok"),
        ("torch", "incorrect"),
    ]
    assert found[2].gbps is None
    assert found[2].reason == "dw is wrong in 3 elements"


def test_a_low_percentile_of_throughput_comes_from_a_high_one_of_time() -> None:
    made = benchmark(256)
    row = rows(made, made.points[0])[1]
    assert (row.p20_gbps, row.gbps, row.p80_gbps) == (500.0, 1000.0, 2000.0)
    assert row.ceiling_gbps == 2000.0
    assert row.samples == 3
