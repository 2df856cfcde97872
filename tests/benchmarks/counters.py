"""What Nsight Compute counts in the kernels that `auto` launches; a script for a machine with a GPU
and `ncu`.

    python -m tests.benchmarks.counters FILE.csv                        # every N of both series of the README, both
    passes python -m tests.benchmarks.counters FILE.csv --m 4096 --dtype float16 --n 7680,8192 --mode backward

A line for each kernel: its time, how busy L2, DRAM and the SMs' instruction units are of the most
    that they can do, on
the average over the whole kernel, and what its warps wait for. Clocks stay as they are. L2 is
emptied before each reading and has no dirty lines, so times are below those of `lnexplorer bench`,
and not to be compared with them.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lnexplorer.domain.ranges import read_whole_numbers

SERIES = (
    (4096, "float16", "1024:15872:512,16384,32768,65536"),
    (32768, "bfloat16", "256:65536:x2"),
)
MODES = ("forward", "backward")
SECTIONS = ("SpeedOfLight", "WarpStateStats", "MemoryWorkloadAnalysis", "Occupancy", "LaunchStats")
_MARK = "next_case_kernel"
_STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# Our column, and the profiler's name.
COLUMNS = {
    "time_us": "gpu__time_duration.sum",
    "l2_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_percent": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm_percent": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    "registers": "launch__registers_per_thread",
    "warps_an_sm": "sm__warps_active.avg.per_cycle_active",
    "cycles_an_instruction": "smsp__average_warp_latency_per_inst_issued.ratio",  # of one warp
    "cycles_for_memory": _STALLED.format(
        "long_scoreboard"
    ),  # of them, for what comes from L1, L2 or DRAM
    "cycles_for_shared_memory": _STALLED.format("short_scoreboard"),
    "cycles_at_barriers": _STALLED.format("barrier"),
}
IN_US = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3}
MACHINE = ("date", "gpu", "driver", "torch", "triton")
CASE = ("m", "n", "dtype", "mode")
Case = tuple[int, int, str, str]


def run_cases(cases: list[Case]) -> None:
    """Inside the profiler: print the machine, and run each case once, so that it is compiled, and
    then again to be read.
    """
    import torch
    import triton

    from lnkernels.check.inputs import make_inputs
    from lnkernels.device import environment
    from lnkernels.launch import LaunchWish
    from lnkernels.passes.arguments import ForwardTensors
    from lnkernels.passes.registry import decide_launch, run_backward, run_forward

    device = torch.device("cuda", 0)
    now = environment(device)
    print(json.dumps({name: getattr(now, name) for name in MACHINE}), flush=True)

    @triton.jit  # type: ignore[untyped-decorator]
    def next_case_kernel() -> None:
        pass

    for m, n, dtype, mode in cases:
        given = make_inputs(m, n, getattr(torch, dtype), "normal", 0, device)
        launch = decide_launch(LaunchWish(strategy="auto"), n, dtype, device, m)
        forward = ForwardTensors.allocate(given.x, given.weight, given.bias, 1e-5)
        backward = forward.gradients(given.dy)
        for profiled in (False, True):
            if profiled:
                torch.cuda.synchronize()
                torch.cuda.cudart().cudaProfilerStart()  # type: ignore[no-untyped-call]
                next_case_kernel[(1,)]()
            if mode == "forward" or not profiled:
                run_forward(forward, launch)
            if mode == "backward":
                run_backward(backward, launch)
            torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()  # type: ignore[no-untyped-call]
        del given, forward, backward


def profiled(cases: list[Case]) -> tuple[str, dict[str, str]]:
    """What the profiler writes of these cases, as CSV, and the machine.

    Raises:
        OSError: `ncu` is not there.
        RuntimeError: it or the cases failed; what they said.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "counters.csv"
        settings = "ncu --profile-from-start off --clock-control none --csv --page raw --log-file"
        sections = [f"--section={section}" for section in SECTIONS]
        named = ["x".join(map(str, case)) for case in cases]
        inside = (sys.executable, "-m", __spec__.name, "--inside")
        command = [*settings.split(), str(log), *sections, *inside, *named]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        if ran.returncode:
            raise RuntimeError(
                f"ncu ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip() or text.strip()}"[
                    :2000
                ]
            )
        return text, json.loads(ran.stdout.splitlines()[0])


def lines_of(text: str, cases: list[Case]) -> Iterator[dict[str, object]]:
    """A line for each kernel of each case, from what the profiler wrote: names, units, then a line
    a kernel.

    Raises:
        ValueError: something that is wanted is not there.
        KeyError: the time is in a unit that is not known.
    """
    table = text[text.index('"ID"') :] if '"ID"' in text else text
    rows = csv.DictReader(io.StringIO(table))
    units = next(rows, None)
    if units is None:
        raise ValueError(f"the profiler read no kernel: {text.strip()[:500]}")
    at = -1
    for row in rows:
        if row["Kernel Name"].startswith(_MARK):
            at += 1
            continue
        found: dict[str, object] = dict(zip(CASE, cases[at], strict=True)) | {
            "kernel": row["Kernel Name"]
        }
        for name, counted in COLUMNS.items():
            if counted not in row:
                raise ValueError(
                    f"the profiler did not read {counted}, but {', '.join(sorted(row))}"
                )
            unit = IN_US[units[counted]] if name == "time_us" else 1
            found[name] = round(float(row[counted].replace(",", "")) * unit, 2)
        yield found
    if at != len(cases) - 1:
        raise ValueError(f"the profiler read {at + 1} of {len(cases)} cases")


def main() -> int:
    """Read all cases that are asked for, and write them."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--m", type=int)
    parser.add_argument("--n")
    parser.add_argument("--dtype")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--inside", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        named = (case.split("x") for case in options.inside)
        run_cases([(int(m), int(n), dtype, mode) for m, n, dtype, mode in named])
        return 0
    if options.file is None:
        parser.error("file is missing: where the lines go")
    series = [
        (m, dtype, options.n or n)
        for m, dtype, n in SERIES
        if options.m in (None, m) and options.dtype in (None, dtype)
    ]
    if not series:
        series = [
            (options.m or SERIES[0][0], options.dtype or SERIES[0][1], options.n or SERIES[0][2])
        ]
    cases = [
        (m, n, dtype, mode)
        for m, dtype, wanted in series
        for mode in MODES
        if options.mode in (None, mode)
        for n in read_whole_numbers(wanted)
    ]
    text, machine = profiled(cases)
    with options.file.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*CASE, "kernel", *COLUMNS, *MACHINE], lineterminator="\n")
        writer.writeheader()
        writer.writerows(line | machine for line in lines_of(text, cases))
    print(f"{options.file}: {len(cases)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
