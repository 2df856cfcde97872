"""How soon figures of a kernel of one's own are there after its file is saved: the window, with a
spare worker ready.

    python -m tests.benchmarks.save_times [--saves 10] [--device cuda:0]

On the interpreter the problem is the lecture's, M = 4 and N = 8 (wanted: 1.5 s); on a GPU 4096 x
4096 in float16 (wanted: 3 s beyond the kernel's own compilation). A comment is saved, of which
Triton compiles nothing anew, and in turns with it another number of warps' default, of which it
does. Prints for both the time from the save to the table of versions, and the CPU time of the
window and of its workers on the way, of which a beginning spare worker has no part: on a busy
machine they say more. Run with QT_QPA_PLATFORM=offscreen where there is no display.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.store.kernels import new_kernel_text
from lnexplorer.store.paths import HOME_VARIABLE
from tests.gui.completeness import is_complete
from tests.pictures import begin_window
from tests.programs import described

PATIENCE_SECONDS = 120.0
SPARE_SECONDS = 8.0  # between two saves, as a person takes to edit; the spare worker comes up
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Save, and print."""
    parser = described(__doc__)
    parser.add_argument("--saves", type=int, default=10)
    parser.add_argument("--device", default="interpreter")
    options = parser.parse_args()
    request = (
        RunRequest(m=4, n=8) if options.device == "interpreter" else RunRequest(m=4096, n=4096)
    )
    application = QApplication([])
    with tempfile.TemporaryDirectory() as home:
        os.environ[HOME_VARIABLE] = home
        shown = WindowOptions(request=request, size=(1600, 900))
        explorer = begin_window(application, Path(home), shown, options.device)
        try:
            return measure(application, explorer, Path(home) / "my_norm.py", options.saves)
        finally:
            explorer.close()


def measure(application: QApplication, explorer: Explorer, path: Path, saves: int) -> int:
    """Save so often; the exit status."""

    def wait(condition: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            application.processEvents()
            time.sleep(0.001)
        return True

    wait(lambda: is_complete(explorer), PATIENCE_SECONDS)
    text = new_kernel_text(path)
    path.write_text(text)
    controller, pane = explorer.controllers["own_kernels"], explorer.window.pane("own_kernels")
    controller.watch(path)
    if not wait(lambda: pane.views.table.rowCount() == 1, PATIENCE_SECONDS):
        print("The first version was not checked.", file=sys.stderr)
        return 1
    found: dict[str, list[tuple[float, float]]] = {"a comment": [], "another kernel": []}
    for save in range(saves):
        wait(lambda: False, SPARE_SECONDS)
        kind = tuple(found)[save % 2]
        text += f"# {save}\n"
        if kind == "another kernel":
            text = text.replace(
                "    columns = tl.arange(0, BLOCK)\n",
                f"    columns = tl.arange(0, BLOCK) + {save} - {save}\n",
                1,
            )
        count, known, window = pane.views.table.rowCount(), cpu_of_children(), time.process_time()
        saved = time.perf_counter()
        path.write_text(text)
        if not wait(lambda count=count: pane.views.table.rowCount() > count, PATIENCE_SECONDS):
            print(f"save {save}: {pane.verdict.text()}", file=sys.stderr)
            continue
        seconds = time.perf_counter() - saved
        now = cpu_of_children()
        workers = sum(now.get(pid, before) - before for pid, before in known.items())
        found[kind].append((seconds, workers + time.process_time() - window))
    for kind, taken in found.items():
        if taken:
            walls, cpus = zip(*taken, strict=True)
            shown = f"median {statistics.median(walls):5.2f} s   longest {max(walls):5.2f} s"
            print(
                f"{kind:15} {shown}   CPU median {statistics.median(cpus):5.2f} s   {len(taken)}"
                " saves"
            )
    return 0 if all(found.values()) else 1


def cpu_of_children() -> dict[int, float]:
    """CPU seconds of each process that this one has started, by number."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        for pid in map(int, (task / "children").read_text().split()):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found[pid] = (int(fields[11]) + int(fields[12])) / TICKS
    return found


if __name__ == "__main__":
    sys.exit(main())
