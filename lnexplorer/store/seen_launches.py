"""Traces of other launches of one kernel, among the recordings of a folder."""

from collections.abc import Callable
from pathlib import Path

from lnexplorer.domain.residents import Kernel, SeenLaunch, has_times, kernel_of
from lnexplorer.store.recorded_file import heads_in
from lnexplorer.store.recording import FILE, RecordingError, read_recording

MOST_READ = 64  # recordings of the same GPU; each takes a few ms


def seen_launches(folder: Path, kernel: Kernel, between: Callable[[], None] | None = None) -> list[SeenLaunch]:
    """Every recorded trace of a kernel in a folder, by file name; files that cannot be read are passed over.

    Args:
        folder: looked through without its subfolders.
        kernel: of the launches that are looked for, any GROUP_SIZE_M and number of rows.
        between: called before each file, for whoever has other threads to give way to.
    """
    if kernel.gpu is None:
        return []
    named = sorted(path for path, head in heads_in(folder, FILE) if _gpu(head) == kernel.gpu)
    found = []
    for path in named[:MOST_READ]:
        if between is not None:
            between()
        try:
            recording = read_recording(path)
        except RecordingError:
            continue
        launch, timeline = recording.launch, recording.timeline
        if launch is None or timeline is None or not has_times(timeline):
            continue
        if kernel_of(launch, recording.environment) == kernel:
            found.append(SeenLaunch.of(recording.title or path.name, timeline))
    return found


def _gpu(head: dict[str, object]) -> object:
    environment = head.get("environment")
    return environment.get("gpu") if isinstance(environment, dict) else None
