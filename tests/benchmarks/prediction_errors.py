"""How far the schedule's model is from every recorded launch: fitted to each recording of the same
kernel, and unfitted.

`prediction_errors.py [FOLDER]` prints tables in Markdown, for each width and type of buffers: a
line for each recorded launch, a column for each model. Errors are simulated over measured less 1,
medians over five seeds. A model predicts with as many programs on the device as the trace of the
launch shows; a second time with as many as the kernel that is not traced lets in, by the compiler.
A prediction is not of the traced run where these differ, and where recording made the turns of a
lock longer by more than 5 %, as a traced kernel would that needs one more trip to memory. Such a
line (marked *) is held against the whole pass that was not traced. Last come the pairs that are off
by more than 15 %.
"""

import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

from lnexplorer.domain.simulation.defaults import default_model  # noqa: E402
from lnexplorer.domain.simulation.fit import (  # noqa: E402
    error_of_summary,
    fit,
    lengthened_turns_ns,
)
from lnexplorer.domain.simulation.model import SimulationParameters, simulate  # noqa: E402
from lnexplorer.domain.simulation.prediction import programs_per_sm  # noqa: E402
from lnexplorer.domain.timeline import most_in_flight, summarize  # noqa: E402
from lnexplorer.store.archive import RECORDING  # noqa: E402
from lnexplorer.store.recordings import Recording, read_recording  # noqa: E402
from lnkernels.values.timeline import Clock, ReductionTimeline  # noqa: E402

SM_COUNT = 132  # of the GPU that the recordings were made on
BOUND, LENGTHENED = 0.15, 0.05
Beyond = dict[
    tuple[str, str], list[str]
]  # pairs in words, by stage and by where the number of programs is from


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources" / "recordings"
    recordings = {
        path.stem: read_recording(path) for path in sorted(folder.glob(f"*{RECORDING.suffix}"))
    }
    launches = {
        name: Launch(recording, recording.timeline)
        for name, recording in recordings.items()
        if recording.timeline is not None and recording.timeline.clock is not Clock.STEPS
    }
    beyond: Beyond = {}
    for kernel in sorted({launch.kernel for launch in launches.values()}):
        here = {name: launch for name, launch in launches.items() if launch.kernel == kernel}
        ordered = sorted(
            here, key=lambda name: (here[name].timeline.m, here[name].timeline.group_size_m)
        )
        named = {name.removeprefix("h200_"): here[name] for name in ordered}
        for stage, source in (("stage1", "seen"), ("stage1", "compiled"), ("stage2", "seen")):
            _print_table(stage, source, named, beyond)
    for (stage, source), pairs in beyond.items():
        print(
            f"\n{stage}, programs as {source}: {len(pairs)} pairs beyond {BOUND:.0%}"
            + "".join(f"\n- {pair}" for pair in pairs)
        )


@dataclass(frozen=True, slots=True)
class Launch:
    """A recorded launch with the times of its rows."""

    recording: Recording
    timeline: ReductionTimeline

    @property
    def kernel(self) -> tuple[int, str]:
        """Columns, and the type of the buffers: a model holds for these."""
        result = self.recording.result
        return self.timeline.n, "" if result is None else result.resolved.launch.partial_dtype


def _print_table(stage: str, source: str, launches: dict[str, Launch], beyond: Beyond) -> None:
    models = {name: fit(launch.timeline) for name, launch in launches.items()}
    found = beyond.setdefault((stage, source), [])
    print(f"\n| {stage}, programs as {source}, % | µs | default | {' | '.join(models)} |")
    print("|---" * (len(models) + 3) + "|")
    for name, launch in launches.items():
        summary = summarize(launch.timeline)
        columns = {"no trace": _default(launch.recording), **models}
        errors = {
            fitted_to: None if model is None else _error(model, launch, stage, source)
            for fitted_to, model in columns.items()
        }
        length = summary.stage1_ns if stage == "stage1" else summary.stage2_ns
        plain = _plain_ns(launch, stage, source)
        cells = ("" if error is None else f"{100 * error:+.0f}" for error in errors.values())
        print(
            f"| {name}{'*' if plain else ''} | {(plain or length) / 1e3:.1f} |"
            f" {' | '.join(cells)} |"
        )
        wrong = {
            fitted_to: error
            for fitted_to, error in errors.items()
            if error is not None and abs(error) > BOUND
        }
        found += [
            f"{name} by the model fitted to {fitted_to}: {error:+.1%}"
            for fitted_to, error in wrong.items()
        ]


def _default(recording: Recording) -> SimulationParameters | None:
    per_sm = None if recording.result is None else programs_per_sm(recording.result.compiled)
    if recording.result is None or per_sm is None:
        return None
    return default_model(recording.result.resolved, per_sm * SM_COUNT, SM_COUNT)


def _plain_ns(launch: Launch, stage: str, source: str) -> float | None:
    """The pass that was not traced, where the traced one had other programs than are asked for, or
    longer turns.
    """
    timeline = launch.timeline
    if timeline.cost is None or stage != "stage1":
        return None
    as_asked = most_in_flight(timeline) == min(_programs(launch, source), timeline.m)
    turns = -(-timeline.m // timeline.group_size_m)
    lengthened = lengthened_turns_ns(timeline) * turns / summarize(timeline).stage1_ns
    return None if as_asked and lengthened < LENGTHENED else timeline.cost.plain_ns


def _programs(launch: Launch, source: str) -> int:
    per_sm = (
        None
        if launch.recording.result is None
        else programs_per_sm(launch.recording.result.compiled)
    )
    return (
        most_in_flight(launch.timeline) if source == "seen" or per_sm is None else per_sm * SM_COUNT
    )


def _error(model: SimulationParameters, launch: Launch, stage: str, source: str) -> float:
    measured, programs = launch.timeline, _programs(launch, source)
    blocks, plain = (measured.tile_block_m, measured.tile_block_n), _plain_ns(launch, stage, source)
    errors = []
    for seed in range(5):
        seeded = replace(model, seed=seed, resident_programs=programs)
        simulated = simulate(measured.m, measured.n, measured.group_size_m, *blocks, seeded)
        of_stages = error_of_summary(summarize(measured), summarize(simulated))
        error = getattr(of_stages, stage) if plain is None else simulated.end_ns / plain - 1
        errors.append(error or 0.0)
    return statistics.median(errors)


if __name__ == "__main__":
    main()
