"""Hardware counters of the kernels, read by Nsight Compute (`ncu`): how busy memory, caches and SMs
are, what warps wait for, and at which instruction.

`lnkernels.compiled.counted_run` is what runs under ncu.
"""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from lnkernels.compiled.facts import CompileRequest, own_environment
from lnkernels.values.counters import (
    CALLED_FROM,
    INSTRUCTION_BYTES,
    KernelCounters,
    same_code,
    written_place,
)
from lnkernels.values.listing import Listing, is_instruction
from lnkernels.values.sentence import ExplainedError

SECTIONS = (
    "SpeedOfLight",
    "MemoryWorkloadAnalysis",
    "SchedulerStats",
    "WarpStateStats",
    "SourceCounters",
    "Occupancy",
    "LaunchStats",
)
# Our name, and the profiler's.
SHARES = {
    "dram_percent": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "l1_percent": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    "sm_percent": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
TIME, DRAM = "gpu__time_duration.sum", "dram__bytes.sum.per_second"
IN_US = {"ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3}
IN_GBPS = {"byte/s": 1e-9, "Kbyte/s": 1e-6, "Mbyte/s": 1e-3, "Gbyte/s": 1.0, "Tbyte/s": 1e3}
STALLED = re.compile(r"^smsp__average_warps_issue_stalled_(\w+?)_per_issue_active\.ratio$")
SAMPLES, REASON = "# Samples", "stall_"
POLL_SECONDS = 0.1
MOST_SECONDS = 110.0  # the engine gives a step two minutes
_FORBIDDEN = "ERR_NVGPUCTRPERM"


class CountersError(ExplainedError):
    """Counters cannot be read, and why."""


def count(
    request: CompileRequest,
    listings: Sequence[Listing],
    check: Callable[[], None] = lambda: None,
    tell: Callable[[int], None] = lambda _: None,
    device: int = 0,
) -> tuple[KernelCounters, ...]:
    """Return the counters of the kernels of a request, in the order of their launches.

    Args:
        request: what is launched.
        listings: the same kernels, which tell where the source says an instruction.
        check: called now and then; may raise, which ends ncu.
        tell: told how many kernels have been read.
        device: number of the GPU.

    Raises:
        CountersError: there is no ncu, it may not read counters, it failed, or it has written
            something else than it is known to.
    """
    if shutil.which("ncu") is None:
        raise CountersError(
            "Nsight Compute (ncu) is not on the path: install it, or add its folder to PATH"
        )
    with tempfile.TemporaryDirectory(prefix="lnkernels-ncu-") as folder:
        report = f"{folder}/report"  # ncu adds its own ending
        # Clocks stay as they are: they are those that everything else is timed with.
        settings = f"--profile-from-start off --clock-control none --export {report}".split()
        settings += [word for section in SECTIONS for word in ("--section", section)]
        inside = [sys.executable, "-P", "-m", "lnkernels.compiled.counted_run"]
        asked = [json.dumps(asdict(request)), str(device)]
        _run(["ncu", *settings, *inside, *asked], check, tell)
        read = ["ncu", "--import", f"{report}.ncu-rep", "--csv", "--page"]
        rows = _run([*read, "raw"], check)
        lines = _run([*read, "source", "--print-source", "sass"], check)
    try:
        return read_counters(rows, lines, listings)
    except (LookupError, ValueError, StopIteration) as error:
        raise CountersError(
            "the output of ncu cannot be read: {error}", error=str(error)
        ) from error


def read_counters(rows: str, lines: str, listings: Sequence[Listing]) -> tuple[KernelCounters, ...]:
    """Return the counters of those kernels that there is a listing of.

    Args:
        rows: CSV of ncu with a row for each kernel.
        lines: CSV of ncu with the machine code of each line by line.
        listings: of the kernels.

    Raises:
        LookupError, ValueError, StopIteration: a column or a unit is not there, or a number is
            none.
    """
    known = {listing.function: listing for listing in listings}
    table = csv.DictReader(io.StringIO(rows[rows.index('"ID"') :]))
    units = next(table)
    code = _code(lines)
    return tuple(
        _counters(row, units, known[row["Kernel Name"]], code[row["Kernel Name"]])
        for row in table
        if row["Kernel Name"] in known
    )


def _counters(
    row: dict[str, str], units: dict[str, str], listing: Listing, code: list[dict[str, str]]
) -> KernelCounters:
    # Reasons that no instruction has are left out.
    reasons = {
        name: counts
        for name in code[0]
        if name.startswith(REASON) and not name.endswith(")")
        if any(counts := [int(_number(line[name])) for line in code])
    }
    base = int(code[0]["Address"], 16)
    sass = tuple(_with_offsets(line["Source"].strip(), base, len(code)) for line in code)
    lines = listing.stages["sass"].lines
    listed = [line for line, text in enumerate(lines) if is_instruction(text)]
    if not same_code([lines[line] for line in listed], sass):
        listed = []
    stacks = [listing.stack("sass", line) for line in listed]
    places = [CALLED_FROM.join(written_place(*call) for call in calls) for calls in stacks]
    stalls = {
        found[1]: cycles
        for name, value in row.items()
        if (found := STALLED.match(name)) and (cycles := _number(value)) > 0
    }
    return KernelCounters(
        name=listing.facts.name,
        function=listing.function,
        time_us=_number(row[TIME]) * IN_US[units[TIME]],
        dram_gbps=_number(row[DRAM]) * IN_GBPS[units[DRAM]],
        stalls=stalls,
        sass=sass,
        places=(*places, *[""] * (len(sass) - len(places))),
        source={written_place(*call): _said(listing, *call) for calls in stacks for call in calls},
        samples=np.array([_number(line[SAMPLES]) for line in code], np.int32),
        reasons=tuple(name.removeprefix(REASON) for name in reasons),
        by_reason=np.array(list(reasons.values()), np.int32).reshape(-1, len(code)).T,
        **{ours: _number(row[theirs]) for ours, theirs in SHARES.items()},
    )


def _with_offsets(instruction: str, base: int, count: int) -> str:
    """Return an instruction whose jump names its target as an offset in the kernel, where ncu
    writes an address of the process that it watched.
    """

    def offset(address: re.Match[str]) -> str:
        found = int(address[0], 16) - base
        return hex(found) if 0 <= found < count * INSTRUCTION_BYTES else address[0]

    return re.sub(r"\b0x[0-9a-f]{8,}\b", offset, instruction)


def _said(listing: Listing, file: str, line: int) -> str:
    shown = listing.line_of_source(file, line)
    return "" if shown is None else listing.stages["source"].lines[shown].strip()


def _code(lines: str) -> dict[str, list[dict[str, str]]]:
    """Return the lines of machine code of each kernel, from a table that has for each a title with
    its name, the names of the columns, and the lines.
    """
    found: dict[str, list[dict[str, str]]] = {}
    heads: list[str] = []
    for cells in csv.reader(io.StringIO(lines)):
        if cells[:1] == ["Kernel Name"]:
            at, heads = found.setdefault(cells[1], []), []
        elif cells[:1] == ["Address"]:
            heads = cells
        elif heads and len(cells) == len(heads):
            at.append(dict(zip(heads, cells, strict=True)))
    return found


def _number(text: str) -> float:
    return float(text.replace(",", "")) if text not in {"", "-"} else 0.0


def _run(
    command: list[str], check: Callable[[], None], tell: Callable[[int], None] = lambda _: None
) -> str:
    """Return what an ncu command prints. It is killed with its children if `check` raises or it
    takes too long.
    """
    with tempfile.NamedTemporaryFile("w+") as printed:
        process = subprocess.Popen(
            command,
            stdout=printed,
            stderr=subprocess.STDOUT,
            env=own_environment(),
            start_new_session=True,
        )
        end = time.monotonic() + MOST_SECONDS
        try:
            while process.poll() is None and time.monotonic() < end:
                check()
                time.sleep(POLL_SECONDS)
                tell(Path(printed.name).read_text(errors="replace").count("100%"))
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        text = Path(printed.name).read_text(errors="replace")
        tell(text.count("100%"))
    if _FORBIDDEN in text:
        raise CountersError(
            "this user may not read the GPU's counters: an administrator allows it with the"
            " option NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia, or runs this"
            " as root"
        )
    if status != 0:
        errors = (
            re.findall(r"==ERROR== (.*)", text) or text.strip().splitlines()[-1:] or ["no message"]
        )
        raise CountersError("ncu ended with status {status}: {why}", status=status, why=errors[0])
    return text
