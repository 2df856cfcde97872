import csv

from lnexplorer.domain.sweep.curves import crossings
from lnexplorer.domain.sweep.request import TUTORIAL
from lnexplorer.store.published import NAME, SOURCES, published_curves
from lnexplorer.store.resources import resource


def test_both_published_tables_have_a_line_for_each_provider_on_the_tutorial_s_axis() -> None:
    curves = published_curves()
    assert {curve.hardware for curve in curves} == set(SOURCES.values())
    for source in SOURCES.values():
        assert {"locked", "torch"} <= {curve.provider for curve in curves if curve.hardware == source}
    for curve in curves:
        assert curve.x == TUTORIAL.sweep.axes[0].values
        assert all(0 < speed < 5000 for speed in curve.y)


def test_the_published_kernel_overtakes_pytorch_along_n() -> None:
    english = {curve.provider: curve for curve in published_curves() if curve.hardware == SOURCES["english-docs"]}
    found = crossings(english["locked"], english["torch"])
    assert found
    assert (found[0].ahead_before, found[0].ahead_after) == ("torch", "locked")


def test_every_published_figure_names_its_source_in_the_file() -> None:
    with resource(NAME).open(newline="") as stream:
        sources = {row["published_in"]: row["source"] for row in csv.DictReader(stream)}
    assert sources.keys() == SOURCES.keys()
    assert all("Triton documentation" in source and "tutorial 05" in source for source in sources.values())
