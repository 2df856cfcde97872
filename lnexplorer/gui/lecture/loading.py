"""Reads the recordings and runs the simulations of the lecture; no Qt, so that another thread can."""

import time
from dataclasses import replace

from lnexplorer.domain.lecture.material import GROUP_SIZES, Case, Material, simulated_like
from lnexplorer.domain.timeline import summarize
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import read_experiment, read_recording
from lnexplorer.store.resources import resource

RECORDINGS = {size: f"recordings/h200_4096x1024_g{size}.lnrec" for size in GROUP_SIZES}
STRATEGIES = "recordings/h200_strategies.lnexperiment"
REST_S = 0.002  # between two pieces of work, for the event loop


def load_shipped(material: Material) -> Material:
    """The material with what the program's own recordings hold, and with simulations of the launches that were recorded.

    Where one of them cannot be read, `problem` says why, and all of them are missing.
    """
    recorded, simulated, request = {}, {}, None
    try:
        strategies = read_experiment(resource(STRATEGIES))
        for size, name in RECORDINGS.items():
            recording = read_recording(resource(name))
            timeline, result = recording.timeline, recording.result
            assert timeline is not None, "recorded with the times of its locks"
            assert result is not None, "recorded with its results"
            environment, request = result.provenance.environment, request or result.resolved
            recorded[size] = Case(timeline, summarize(timeline), (environment.gpu or "GPU", environment.date[:10]))
            simulated[size] = simulated_like(timeline, result.resolved)
            time.sleep(REST_S)
    except StoreError as error:
        return replace(material, problem=error.sentence)
    return replace(material, request=request, recorded=recorded, simulated=simulated, strategies=strategies)
