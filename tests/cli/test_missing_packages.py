import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_package_that_is_not_installed_is_named_with_the_way_out(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")])}

    def lnexplorer(*arguments: str) -> subprocess.CompletedProcess[str]:
        # Without site-packages, only the standard library and the program itself are there.
        command = [sys.executable, "-S", "-m", "lnexplorer", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False)

    run = lnexplorer("run", "--m", "4")
    assert run.returncode == 3
    said = "No module named 'numpy'. `lnexplorer doctor` says what is missing and how to install it."
    assert run.stderr == f"lnexplorer: {said}\n"
    doctor = lnexplorer("doctor")
    assert doctor.returncode == 1
    assert "numpy is not installed." in doctor.stdout
    assert "Install it: pip install 'torch>=2.11,<2.14'" in doctor.stdout
