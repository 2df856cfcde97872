"""How far the schedule's model is from every recorded launch: fitted to each recording of the same width, and unfitted.

`prediction_errors.py [FOLDER]` prints tables in Markdown, one for each width: a line for each recorded launch, a column for each
model. Errors are simulated over measured less 1, medians over five seeds. A model predicts with as many programs on the device as
the launch had there.
"""

import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

from lnexplorer.domain.schedule_defaults import default_model  # noqa: E402
from lnexplorer.domain.simulation import SimulationParameters, error_of_prediction, fit, predict  # noqa: E402
from lnexplorer.domain.simulation.fit import most_in_flight  # noqa: E402
from lnexplorer.domain.timeline import Clock, ReductionTimeline  # noqa: E402
from lnexplorer.domain.timeline_summary import summarize  # noqa: E402
from lnexplorer.storage.recording import SUFFIX, Recording, read_recording  # noqa: E402

SM_COUNT = 132  # of the GPU that the recordings were made on


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources" / "recordings"
    recordings = {path.stem: read_recording(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    launches = {
        name: Launch(recording, recording.timeline)
        for name, recording in recordings.items()
        if recording.timeline is not None and recording.timeline.clock is not Clock.STEPS
    }
    for width in sorted({launch.timeline.n for launch in launches.values()}):
        here = {name: launch for name, launch in launches.items() if launch.timeline.n == width}
        ordered = sorted(here, key=lambda name: (here[name].timeline.m, here[name].timeline.group_size_m))
        for stage in ("stage1", "stage2"):
            _print_table(stage, {name.removeprefix("h200_"): here[name] for name in ordered})


@dataclass(frozen=True, slots=True)
class Launch:
    """A recorded launch with the times of its rows."""

    recording: Recording
    timeline: ReductionTimeline


def _print_table(stage: str, launches: dict[str, Launch]) -> None:
    models = {name: fit(launch.timeline) for name, launch in launches.items()}
    print(f"\n| {stage}, % | µs | default | {' | '.join(models)} |")
    print("|---" * (len(models) + 3) + "|")
    for name, launch in launches.items():
        summary = summarize(launch.timeline)
        columns = [_default(launch.recording), *models.values()]
        errors = ["" if model is None else f"{100 * _error(model, launch.timeline, stage):+.0f}" for model in columns]
        length = summary.stage1_ns if stage == "stage1" else summary.stage2_ns
        print(f"| {name} | {length / 1e3:.1f} | {' | '.join(errors)} |")


def _default(recording: Recording) -> SimulationParameters | None:
    if recording.result is None:
        return None
    for facts in recording.result.compiled:
        if facts.name == "backward_stage1" and facts.occupancy is not None:
            return default_model(recording.result.resolved, facts.occupancy.programs_per_sm * SM_COUNT, SM_COUNT)
    return None


def _error(model: SimulationParameters, measured: ReductionTimeline, stage: str) -> float:
    blocks = (measured.tile_block_m, measured.tile_block_n)
    programs = most_in_flight(measured)
    errors = []
    for seed in range(5):
        seeded = replace(model, seed=seed)
        simulated = predict(seeded, measured.m, measured.n, measured.group_size_m, *blocks, resident_programs=programs)
        errors.append(getattr(error_of_prediction(measured, simulated), stage) or 0.0)
    return statistics.median(errors)


if __name__ == "__main__":
    main()
