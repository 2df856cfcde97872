import subprocess
import sys


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    path = ":".join(filter(None, sys.path))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    return set(ran.stdout.split())


def test_a_worker_can_be_started_before_anything_heavy_is_imported() -> None:
    assert not modules_after("import lnexplorer.engine.spawn") & {"numpy", "msgspec", "torch", "triton", "PySide6"}


def test_the_engine_imports_neither_torch_nor_qt_nor_pandas() -> None:
    loaded = modules_after("import lnexplorer.engine.supervisor, lnexplorer.engine.sweep")
    assert not loaded & {"torch", "triton", "PySide6", "pandas", "lnexplorer.worker"}
