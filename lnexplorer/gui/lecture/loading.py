"""Reads the recordings and runs the simulations of the lecture on a thread of its own."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.lecture.growth import growth
from lnexplorer.domain.lecture.material import Material, RecordedCase
from lnexplorer.domain.timeline_summary import summarize
from lnexplorer.gui.failures import log_failure
from lnexplorer.gui.mailbox import Mailbox
from lnexplorer.storage.resources import resource

# By GROUP_SIZE_M, the one with the most buffers first: the simulation is about the same launch.
RECORDINGS = {256: "recordings/h200_4096x1024_g256.lnrec", 16: "recordings/h200_4096x1024_g16.lnrec"}
REST_S = 0.002  # between two simulations, for the event loop


def load_material(material: Material, paths: dict[int, Path], rest: Callable[[], None] = lambda: None) -> Material:
    """The material with what the files hold, and with the simulation of the launch that was recorded.

    Where a recording cannot be read, `problem` says why, and what needs it is not there.

    Args:
        material: what is in hand already.
        paths: recordings by GROUP_SIZE_M; the launch of the first one that can be read is simulated.
        rest: called between two pieces of work.
    """
    from lnexplorer.storage.recording import RecordingError, read_recording  # noqa: PLC0415  (no work for Qt's thread)

    for group_size_m, path in paths.items():
        try:
            recording = read_recording(path)
        except RecordingError as error:
            material = replace(material, problem=str(error))
            continue
        timeline, result = recording.timeline, recording.result
        if timeline is None or result is None or timeline.m == 0:
            material = replace(material, problem=f"{path} holds no run with the times of its locks.")
            continue
        environment = result.provenance.environment
        case = RecordedCase(timeline=timeline, summary=summarize(timeline), gpu=environment.gpu or "GPU", date=environment.date)
        material = replace(material, recorded={**material.recorded, group_size_m: case})
        if material.request is None:
            kernel = next((facts for facts in result.compiled if facts.name == "backward_stage1"), None)
            if kernel is None or kernel.occupancy is None:
                material = replace(material, problem=f"{path} does not say how many programs run at once.")
                continue
            sm_count = int(timeline.sm.max()) + 1
            resident = kernel.occupancy.programs_per_sm * sm_count
            material = replace(material, request=result.resolved, sm_count=sm_count, resident_programs=resident)
        rest()
    if material.request is not None:
        points = growth(material.request, material.resident_programs, material.sm_count, rest)
        material = replace(material, growth=points)
    return material


class MaterialLoader(QObject):
    """Loads once, and tells when it is done."""

    loaded = Signal(object)  # Material

    def __init__(self, mailbox: Mailbox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mailbox = mailbox
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="lecture")
        self._closed = False

    def load(self, material: Material) -> None:
        """Begin."""
        paths = {group_size_m: resource(name) for group_size_m, name in RECORDINGS.items()}
        self._pool.submit(self._work, material, paths).add_done_callback(log_failure)

    def close(self) -> None:
        """Let nothing come any more; what is being simulated is finished first, in less than a second."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _work(self, material: Material, paths: dict[int, Path]) -> None:
        found = load_material(material, paths, lambda: time.sleep(REST_S))
        self._mailbox.post(lambda: self._tell(found))

    def _tell(self, material: Material) -> None:
        if not self._closed:
            self.loaded.emit(material)
