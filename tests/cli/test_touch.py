"""`lnexplorer touch`, which runs the real kernels in a worker on the interpreter."""

from itertools import compress

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("worker")
SHAPE = "--m 5000 --n 300 --group-size-m 4 --block-size 128"


def test_every_access_of_a_row_is_printed(lnexplorer: Command) -> None:
    document = lnexplorer(f"touch {SHAPE} --row 4321 --json").document
    assert (document["kind"], document["row"], document["m"]) == ("interpreted", 4321, 5000)
    stores = [access for access in document["accesses"] if access["buffer"] == "y"]
    written = [each for access in stores for each in compress(access["offsets"], access["mask"])]
    assert written == list(range(4321 * 300, 4322 * 300))
    assert {access["kernel"] for access in document["accesses"]} == {"forward", "stage1", "stage2"}
    lines = lnexplorer(f"touch {SHAPE} --row 4321").out.splitlines()
    assert len(lines) == 1 + len(document["accesses"])
    assert any("exchange" in line and "locked.py:" in line for line in lines)
