"""`lnexplorer touch`, which runs the real kernels in a worker on the interpreter."""

import json
from itertools import compress

import pytest

from lnexplorer.cli.main import main

pytestmark = pytest.mark.usefixtures("worker")
SHAPE = ("--m", "5000", "--n", "300", "--group-size-m", "4", "--block-size", "128")


def test_every_access_of_a_row_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["touch", *SHAPE, "--row", "4321", "--json"]) == 0
    document = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (document["kind"], document["row"], document["m"]) == ("interpreted", 4321, 5000)
    stores = [access for access in document["accesses"] if access["buffer"] == "y"]
    written = [each for access in stores for each in compress(access["offsets"], access["mask"])]
    assert written == list(range(4321 * 300, 4322 * 300))
    assert {access["kernel"] for access in document["accesses"]} == {"forward", "stage1", "stage2"}
    assert main(["touch", *SHAPE, "--row", "4321"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(document["accesses"])
    assert any("exchange" in line and "locked.py:" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("--row", "5000"), "row = 5000"),
        (("--column", "-1"), "column = -1"),
        (("--strategy", "atomic"), "strategy"),
    ],
)
def test_what_is_not_there_is_refused(
    arguments: tuple[str, ...], field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = SHAPE if "--strategy" not in arguments else SHAPE[:4]
    assert main(["touch", *shape, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert field in err
