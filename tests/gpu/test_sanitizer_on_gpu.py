"""No strategy reads or writes where it may not, reads what was never written, or races in shared
memory: compute-sanitizer.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu

SANITIZER = shutil.which("compute-sanitizer")
ROOT = Path(__file__).parents[2]
WRONG = 99  # no exit status of Python's


@pytest.mark.skipif(
    SANITIZER is None, reason="compute-sanitizer of the CUDA toolkit is not installed"
)
@pytest.mark.timeout(400)
@pytest.mark.parametrize("tool", ["memcheck", "initcheck", "racecheck"])
def test_no_strategy_is_at_fault(tool: str) -> None:
    assert SANITIZER is not None
    command = [
        SANITIZER,
        "--tool",
        tool,
        "--error-exitcode",
        str(WRONG),
        sys.executable,
        "-m",
        "tests.gpu.sanitized_passes",
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=390, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert done.stdout.count(": right") > 50
    # memcheck and initcheck end with "ERROR SUMMARY: 0 errors", racecheck with "RACECHECK SUMMARY:
    # 0 hazards displayed …".
    assert "SUMMARY: 0 " in done.stdout
