"""The script of "Copy as Python", on a GPU."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.domain.provenance import Environment, Kind, Provenance
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.storage.export.script import python_script
from tests.sample_results import make_correctness

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("strategy", ["locked", "persistent", "split", "atomic"])
def test_the_script_checks_and_times_both_passes(strategy: str, tmp_path: Path) -> None:
    request = RunRequest(m=4096, n=4096, strategy=strategy)
    result = RunResult(
        request=request,
        resolved=resolve(request, "cuda"),
        provenance=Provenance(kind=Kind.MEASURED, environment=Environment(date="2025-11-20", python="", torch="", triton="")),
        correctness=make_correctness(4, 8),
        compiled=(),
        throughput=None,
    )
    script = tmp_path / "run.py"
    script.write_text(python_script(result))
    ran = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    print(ran.stdout)
    for direction in ("forward", "backward"):
        speed = re.search(rf"{direction}, cold L2 +(\d+) GB/s", ran.stdout)
        assert speed is not None
        assert int(speed[1]) > 0
    errors = dict(re.findall(r"^(\w+) +largest absolute error (\S+)$", ran.stdout, re.MULTILINE))
    assert errors.keys() == {"y", "dx", "dw", "db"}
    assert all(float(error) < 0.1 for error in errors.values())
