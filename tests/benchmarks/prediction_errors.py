"""How far the schedule's model is from every recorded launch: fitted to each recording of the same width, and unfitted.

`prediction_errors.py [FOLDER]`. Errors are those of stage 1, simulated over measured less 1, medians over five seeds.
"""

import statistics
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

from lnexplorer.domain.schedule_defaults import default_model  # noqa: E402
from lnexplorer.domain.simulation import SimulationParameters, error_of_prediction, fit, predict  # noqa: E402
from lnexplorer.domain.timeline import Clock, ReductionTimeline  # noqa: E402
from lnexplorer.domain.timeline_summary import summarize  # noqa: E402
from lnexplorer.storage.recording import SUFFIX, Recording, read_recording  # noqa: E402

SM_COUNT = 132  # of the GPU that the recordings were made on


def main() -> None:
    """Print a table: a line for each recorded launch, a column for each model."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources" / "recordings"
    recordings = {path.stem: read_recording(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    traced = {name: found for name, found in recordings.items() if found.timeline is not None and _has_times(found.timeline)}
    models = {name: fit(found.timeline) for name, found in traced.items() if found.timeline is not None}
    for name, recording in traced.items():
        timeline = recording.timeline
        assert timeline is not None
        print(f"{name}: stage 1 {summarize(timeline).stage1_ns / 1e3:.1f} µs")
        unfitted = _default(recording)
        if unfitted is not None:
            print(f"    {_error(unfitted, timeline):+6.1%}  by the default model")
        for other, model in models.items():
            against = traced[other].timeline
            assert against is not None
            if against.n == timeline.n:
                print(f"    {_error(model, timeline):+6.1%}  fitted to {'itself' if other == name else other}")


def _has_times(timeline: ReductionTimeline) -> bool:
    return timeline.clock is not Clock.STEPS


def _default(recording: Recording) -> SimulationParameters | None:
    if recording.result is None:
        return None
    for facts in recording.result.compiled:
        if facts.name == "backward_stage1" and facts.occupancy is not None:
            return default_model(recording.result.resolved, facts.occupancy.programs_per_sm * SM_COUNT, SM_COUNT)
    return None


def _error(model: SimulationParameters, measured: ReductionTimeline) -> float:
    blocks = (measured.tile_block_m, measured.tile_block_n)
    errors = []
    for seed in range(5):
        simulated = predict(replace(model, seed=seed), measured.m, measured.n, measured.group_size_m, *blocks)
        errors.append(error_of_prediction(measured, simulated).stage1 or 0.0)
    return statistics.median(errors)


if __name__ == "__main__":
    main()
