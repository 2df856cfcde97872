"""Decides, before anything imports Triton or Qt, where kernels run, where windows appear, and where
settings are kept.
"""

import compileall
import ctypes
import importlib
import importlib.metadata
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
from lnexplorer.store.paths import HOME_VARIABLE
from lnkernels.launch import resolve_launch
from lnkernels.launch.tuned import forget_what_was_read
from tests.shared_worker import SharedWorker


def _has_usable_gpu() -> bool:
    """Whether torch can use a GPU here, asked without importing torch: many tests do without it."""
    if importlib.metadata.version("torch").endswith("+cpu"):
        return False
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return (
        driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )


if not _has_usable_gpu():
    os.environ["TRITON_INTERPRET"] = "1"
    # Also of the workers: their threads would wait for each other longer than small tensors take.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# Under nohup, or started with & by a shell without job control, these are ignored, and every child
# would inherit that.
for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)

# Rewriting the assertions of all tests takes half a minute in each process that collects them.
sys.dont_write_bytecode = False

# Hypothesis reads every module that is loaded for constants to try, which takes seconds, too; older
# ones do not.
with suppress(ImportError):
    _providers = importlib.import_module("hypothesis.internal.conjecture.providers")
    vars(_providers)["is_local_module_file"] = lambda _: False

# A busy machine makes examples slow, not wrong. The usual run tries the same examples everywhere and
# every time; others are looked for with --hypothesis-profile=search, which pytest loads after this.
settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "search", settings.get_profile("any machine"), derandomize=False, max_examples=2500
)
settings.load_profile("any machine")

# Windows are painted, not shown, and nobody's own settings and history are touched.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
HOME = tempfile.mkdtemp(prefix="lnexplorer-tests-")
os.environ[HOME_VARIABLE] = HOME


@pytest.hookimpl(
    tryfirst=True
)  # pytest-qt loads Qt when it is configured, and Qt aborts where a library is missing
def pytest_configure(config: pytest.Config) -> None:
    missing = missing_libraries(("offscreen",))
    if missing:
        pytest.exit(missing_sentence(missing), returncode=1)
    if not hasattr(config, "workerinput"):
        # Once, and not by each process that a test starts where PYTHONDONTWRITEBYTECODE is set.
        for folder in ("lnexplorer", "kernels"):
            compileall.compile_dir(Path(__file__).parents[1] / folder, quiet=2)


# Whose files take a moment each.
SHORT = {"doctor", "domain", "protocol", "report", "store"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have files that take long begin first, so that no process waits for the last one."""
    tests = Path(__file__).parent
    items.sort(key=lambda item: item.path.relative_to(tests).parts[0] in SHORT)


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def _same_looks() -> Iterator[None]:
    """Text size, style, theme and language belong to the one application of a process, and what
    fits depends on them.
    """
    yield
    if (theme := sys.modules.get("lnexplorer.gui.kit.theme")) is not None:
        theme.Theme.current = theme.LIGHT
    widgets, gui = sys.modules.get("PySide6.QtWidgets"), sys.modules.get("PySide6.QtGui")
    application = widgets.QApplication.instance() if widgets is not None else None
    if application is not None:
        for translator in application.findChildren(sys.modules["PySide6.QtCore"].QTranslator):
            application.removeTranslator(translator)
    if application is not None and gui is not None and application.styleSheet():
        application.setStyleSheet("")
        application.setFont(gui.QFontDatabase.systemFont(gui.QFontDatabase.SystemFont.GeneralFont))
        application.setPalette(application.style().standardPalette())


@pytest.fixture(autouse=True)
def _same_random_numbers() -> None:
    """Numbers that a test draws without a seed of its own do not depend on the tests before it."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(0)


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own in which the test works."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def shared_worker() -> Iterator[SharedWorker]:
    made = SharedWorker()
    yield made
    made.supervisor.close()


def forget_launches() -> None:
    """Have the file of tuned settings read anew by the next choice."""
    forget_what_was_read()
    resolve_launch.cache_clear()


@pytest.fixture
def tuned_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own for what is tuned."""
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    forget_launches()
    yield tmp_path
    monkeypatch.undo()
    forget_launches()
