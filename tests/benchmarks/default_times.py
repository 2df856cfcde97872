"""The default times of the schedule's model (lnexplorer.domain.simulation.prediction), derived anew:
`python -m tests.benchmarks.default_times [FOLDER]`.

Prints tables in Markdown: the times of each recording, fitted by itself, with the bandwidth that
    its first wave had;
and for what was not recorded the times with which the model's means over rows are those that were
measured. No GPU is needed.
"""

import sys
from dataclasses import replace
from pathlib import Path

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.simulation.fit import fit
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.simulation.prediction import default_model, programs_per_sm
from lnexplorer.domain.timeline import summarize
from lnexplorer.store.archive import RECORDING
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process

SM_COUNT = 132
# Means over the rows of one NVIDIA H200, M = 4096 and the usual launch, each the median of ten
# traces: type of x, of the buffers, and by width compute and hold in ns.
MEANS = {
    ("float16", "float32"): {512: (1274, 645), 4096: (1680, 1239), 16384: (3503, 3341)},
    ("float16", "same"): {
        512: (1023, 549),
        1024: (918, 599),
        2048: (1391, 658),
        4096: (2007, 841),
        8192: (1776, 964),
        16384: (3032, 1815),
    },
    ("float32", "float32"): {
        512: (1498, 659),
        1024: (2133, 744),
        4096: (2101, 1389),
        8192: (2162, 1975),
    },
}
ROUNDS = 12  # of the search, after which a time changes by less than a ns


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(resource("recordings"))
    print(
        "| recording | N | compute | hold | first/hold | try | hand-over | exit | stagger | gap |"
        " jitter | bandwidth |"
    )
    print("|---" * 12 + "|")
    for path in sorted(folder.glob(f"*{RECORDING.suffix}")):
        recording = read_recording(path)
        if recording.timeline is not None and recording.result is not None:
            found, size = (
                fit(recording.timeline),
                4 if recording.result.resolved.dtype == "float32" else 2,
            )
            print(
                f"| {path.stem} | {recording.timeline.n} |"
                f" {_cells(found, recording.timeline.n, size)} |"
            )
    print("\n| x | buffers | N | programs | compute | hold |")
    print("|---" * 6 + "|")
    for (dtype, partial_dtype), means in MEANS.items():
        for n, (compute_ns, hold_ns) in means.items():
            request = resolve(
                RunRequest.of(
                    m=4096, n=n, dtype=dtype, partial_dtype=partial_dtype, strategy="locked"
                ),
                "cuda",
            )
            model = _with_means(request, compute_ns, hold_ns)
            print(
                f"| {dtype} | {partial_dtype} | {n} | {model.resident_programs} |"
                f" {model.compute_ns:.0f} | {model.hold_ns:.0f} |"
            )


def _cells(found: SimulationParameters, n: int, size: int) -> str:
    times = (
        found.compute_ns,
        found.hold_ns,
        (found.first_hold_ns or found.hold_ns) / found.hold_ns,
        found.try_ns,
        found.hand_over_ns,
    )
    rest = (found.exit_ns, found.stagger_ns, found.stage2_gap_ns, found.jitter)
    bandwidth = 3 * n * size / (2 * found.crowd_ns) if found.crowd_ns else float("nan")
    return " | ".join(f"{value:.4g}" for value in (*times, *rest, bandwidth))


def _with_means(
    request: ResolvedRequest, compute_ns: float, hold_ns: float | None
) -> SimulationParameters:
    """The default model with times alone such that the means of a simulation are these; a hold of
    None stays.
    """
    compiled = CompileRequest(
        m=request.m, n=request.n, dtype=request.dtype, launch=request.launch, architecture="sm_90"
    )
    kernels = facts_in_own_process(compiled)
    model = default_model(request, (programs_per_sm(kernels) or 1) * SM_COUNT, SM_COUNT)
    launch = request.launch
    shape = (
        request.m,
        request.n,
        launch.group_size_m,
        launch.reduce_block_size_m,
        launch.reduce_block_size_n,
    )
    for _ in range(ROUNDS):
        means = summarize(simulate(*shape, model))
        longer = compute_ns - means.compute_mean_ns
        model = replace(model, compute_ns=max(model.compute_ns + longer, compute_ns / 4))
        if hold_ns is not None:
            share = (model.first_hold_ns or model.hold_ns) / model.hold_ns
            alone = max(model.hold_ns + hold_ns - means.hold_mean_ns, hold_ns / 2)
            model = replace(model, hold_ns=alone, first_hold_ns=share * alone)
    return model


if __name__ == "__main__":
    main()
