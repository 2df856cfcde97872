import os
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.engine.pipes import child_environment
from tests.programs import printed


def test_a_worker_can_be_started_before_anything_heavy_is_imported() -> None:
    loaded = printed("import sys, lnexplorer.engine.spawn; print(*sys.modules)").split()
    assert not {"numpy", "msgspec", "torch", "triton", "PySide6"} & {*loaded}


def test_a_file_in_the_folder_where_somebody_works_is_not_what_a_child_imports(
    monkeypatch: pytest.MonkeyPatch, cwd: Path
) -> None:
    (cwd / "dataclasses.py").write_text("raise AssertionError('it was executed')\n")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(["", *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    # As a library starts Python again, which knows nothing of our options.
    program = (
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import dataclasses,"
        " lnexplorer, lnkernels'], check=True)"
    )
    subprocess.run([sys.executable, "-P", "-c", program], env=child_environment(), check=True)
