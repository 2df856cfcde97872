"""Print how far the schedule's model is from every recorded launch: fitted to each recording of the
same kernel, and unfitted.

`python -m tests.benchmarks.prediction_errors [FOLDER]` prints tables in Markdown, for each width and type of buffers: a
line for each recorded launch, a column for each model. Errors are simulated over measured less 1,
medians over five seeds. A model predicts with as many programs on the device as the trace of the
launch shows. Last come the pairs that are off by more than 15 %.
"""

import statistics
import sys
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from lnexplorer.domain.simulation.fit import error_of_summary, fit
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.simulation.prediction import default_model, programs_per_sm
from lnexplorer.domain.timeline import most_in_flight, summarize
from lnexplorer.store.archive import RECORDING
from lnexplorer.store.recordings import Recording, read_recording
from lnexplorer.store.resources import resource
from lnkernels.values.timeline import ReductionTimeline

SM_COUNT = 132  # of the GPU that the recordings were made on
BOUND = 0.15
Launch = tuple[str, Recording, ReductionTimeline]  # the name of its file first


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(resource("recordings"))
    launches: list[Launch] = []
    for path in sorted(folder.glob(f"*{RECORDING.suffix}")):
        recording = read_recording(path)
        if recording.timeline is not None and not recording.timeline.counted:
            launches.append((path.stem.removeprefix("h200_"), recording, recording.timeline))
    launches.sort(key=lambda launch: (*_kernel(launch), launch[2].m, launch[2].group_size_m))
    beyond: list[str] = []
    for _, group in groupby(launches, _kernel):
        kernels = list(group)
        for stage in ("stage1", "stage2"):
            _print_table(stage, kernels, beyond)
    print(f"\n{len(beyond)} pairs beyond {BOUND:.0%}" + "".join(f"\n- {pair}" for pair in beyond))


def _kernel(launch: Launch) -> tuple[int, str]:
    """Columns, and the type of the buffers: a model holds for these."""
    result = launch[1].result
    return launch[2].n, "" if result is None else result.resolved.launch.partial_dtype


def _print_table(stage: str, launches: list[Launch], beyond: list[str]) -> None:
    models = {name: fit(timeline) for name, _, timeline in launches}
    print(f"\n| {stage}, % | µs | default | {' | '.join(models)} |")
    print("|---" * (len(models) + 3) + "|")
    for name, recording, timeline in launches:
        length = getattr(summarize(timeline), f"{stage}_ns")
        cells = [name, f"{length / 1e3:.1f}"]
        for fitted_to, model in {"no trace": _default(recording), **models}.items():
            error = None if model is None else _error(model, timeline, stage)
            cells.append("" if error is None else f"{100 * error:+.0f}")
            if error is not None and abs(error) > BOUND:
                beyond.append(f"{stage} of {name} by the model fitted to {fitted_to}: {error:+.1%}")
        print(f"| {' | '.join(cells)} |")


def _default(recording: Recording) -> SimulationParameters | None:
    if recording.result is None:
        return None
    per_sm = programs_per_sm(recording.result.compiled)
    if per_sm is None:
        return None
    return default_model(recording.result.resolved, per_sm * SM_COUNT, SM_COUNT)


def _error(model: SimulationParameters, measured: ReductionTimeline, stage: str) -> float:
    blocks, programs = (measured.tile_block_m, measured.tile_block_n), most_in_flight(measured)
    errors = []
    for seed in range(5):
        seeded = replace(model, seed=seed, resident_programs=programs)
        simulated = simulate(measured.m, measured.n, measured.group_size_m, *blocks, seeded)
        of_stages = error_of_summary(summarize(measured), summarize(simulated))
        errors.append(getattr(of_stages, stage) or 0.0)
    return statistics.median(errors)


if __name__ == "__main__":
    main()
