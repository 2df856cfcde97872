"""Counters as ncu 2025.3 wrote them on an H200, shortened, and the reasons why there are none."""

import os
import stat
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lnkernels.compiled.counters import SHARES, CountersError, count, read_counters
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.counters import KernelCounters
from lnkernels.values.listing import Listing, StageText
from tests.lnkernels.test_compiled import compile_request

COLUMNS = ("gpu__time_duration.sum", "dram__bytes.sum.per_second", *SHARES.values())
STALLED = ("barrier", "long_scoreboard", "sleeping")
HEADS = [f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio" for name in STALLED]
FILL = (
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<int>>(int,"
    " T2, T3)"
)
SHARE_VALUES = (
    "22.369195",
    "80.172115",
    "75.936529",
    "27.932292",
    "32.934802",
    "15.855174",
    "18.713565",
    "10.796776",
)
ROWS = "\n".join(
    ",".join(f'"{cell}"' for cell in line)
    for line in (
        ("ID", "Kernel Name", *COLUMNS, *HEADS),
        ("", "", "us", "Tbyte/s", *["%"] * 8, *["inst"] * 3),
        ("0", FILL, "1.888000", "0.002169", *["0.0"] * 11),
        (
            "1",
            "stage1_kernel",
            "1,179.520000",
            "1.076090",
            *SHARE_VALUES,
            "2.938112",
            "3.103725",
            "0",
        ),
    )
)
LINES = "\n".join(
    (
        f'"Kernel Name","{FILL}",',
        '"Address","Source","# Samples","stall_barrier","stall_barrier (Not Issued)"',
        '"0x7f38c77a0000","      NOP ","1","1","1"',
        '"Kernel Name","stage1_kernel",',
        (
            '"Address","Source","#'
            ' Samples","stall_barrier","stall_selected","stall_tex","stall_barrier (Not Issued)"'
        ),
        '"0x7f38c77ad300","      LDC R1, c[0x0][0x28]","54","0","54","0","0"',
        '"0x7f38c77ad310","      BAR.SYNC.DEFER_BLOCKING 0x0","1,020","1,000","20","0","990"',
        '"0x7f38c77ad320","@P5  EXIT","3","0","3","0","0"',
        '"0x7f38c77ad330","      BRA 0x7f38c77ad330","0","-","0","0","0"',
    )
)


def listing(*code: str) -> Listing:
    """A stage 1 of a few instructions, of which the second is a barrier in a function that line 163
    calls.
    """
    lines = code or (
        "stage1_kernel:",
        "/*0000*/        LDC R1, c[0x0][0x28] ;",
        "/*0010*/        BAR.SYNC 0x0 ;",
        "/*0020*/    @P5 EXIT ;",
    )
    sass = tuple(line.replace("BAR.SYNC 0x0", "BAR.SYNC.DEFER_BLOCKING 0x0") for line in lines)
    facts = KernelFacts(
        name="backward_stage1",
        architecture="sm_90",
        grid=(1,),
        num_warps=8,
        registers=40,
        spill_bytes=0,
        shared_bytes=32,
        occupancy=None,
    )
    return Listing(
        facts=facts,
        function="stage1_kernel",
        files=("lnkernels/passes/locked.py", "lnkernels/language/device_functions.py"),
        places=np.array([(0, 69), (1, 123), (0, 163)], np.int32),
        stacks=np.array([(0, -1), (1, 2), (1, -1), (2, -1)], np.int32),
        stages={
            "source": StageText(("loads", "    waits", "calls()"), np.array([0, 2, 3], np.int32)),
            "sass": StageText(sass, np.array([-1, 0, 1, -1][: len(sass)], np.int32)),
        },
        releases=(),
        memory=(),
        shared=(),
        spills=(),
        live=None,
    )


def test_shares_stalls_and_samples_are_read_with_their_places() -> None:
    (found,) = read_counters(ROWS, LINES, [listing()])
    assert (found.name, found.time_us, found.dram_gbps) == ("backward_stage1", 1179.52, 1076.09)
    assert (found.l2_hit_percent, found.dram_percent, found.issue_percent) == (
        75.936529,
        22.369195,
        18.713565,
    )
    assert found.stalls == {"barrier": 2.938112, "long_scoreboard": 3.103725}
    assert found.reasons == ("barrier", "selected"), "what never occurred is left out"
    assert found.sass[-1] == "BRA 0x30", "an address of the process means nothing elsewhere"
    assert found.samples.tolist() == [54, 1020, 3, 0]
    assert found.by_reason.tolist() == [[0, 54], [1000, 20], [0, 3], [0, 0]]
    calls = "lnkernels/language/device_functions.py:123 < lnkernels/passes/locked.py:163"
    assert found.places == ("lnkernels/passes/locked.py:69", calls, "", "")
    assert list(found.by_place().items()) == [
        ("device_functions.py:123", 1020),
        ("locked.py:69", 54),
        ("", 3),
    ]


def test_the_code_that_ran_leads_to_the_lines_that_it_was_made_from() -> None:
    (found,) = read_counters(ROWS, LINES, [listing()])
    ran = found.as_it_ran(listing())
    code = ran.stages["sass"]
    assert code.lines[1:3] == (
        "/*0010*/        BAR.SYNC.DEFER_BLOCKING 0x0 ;",
        "/*0020*/    @P5 EXIT ;",
    )
    assert [ran.calls(number) for number in code.stacks] == [
        (("lnkernels/passes/locked.py", 69),),
        (("lnkernels/language/device_functions.py", 123), ("lnkernels/passes/locked.py", 163)),
        (),
        (),
    ]


@pytest.mark.parametrize(
    ("now", "line"),
    [
        pytest.param({"places": [(0, 70), (1, 124), (0, 164)]}, 124, id="it was moved by a line"),
        pytest.param(
            {"source": ["loads", "waits()", "calls()"]}, None, id="it says something else"
        ),
        pytest.param(
            {"places": [(0, 69), (1, 124), (1, 125)], "source": ["loads", "waits", "waits"]},
            None,
            id="it is there twice",
        ),
    ],
)
def test_a_source_that_was_changed_since_is_known_by_its_text(
    now: dict[str, Any], line: int | None
) -> None:
    (found,) = read_counters(ROWS, LINES, [listing()])
    here = listing()
    source = StageText(
        tuple(now.get("source", here.stages["source"].lines)), here.stages["source"].stacks
    )
    here = replace(
        here,
        places=np.array(now.get("places", here.places), np.int32),
        stages={**here.stages, "source": source},
    )
    ran = found.as_it_ran(here)
    assert [at for _, at in ran.calls(int(ran.stages["sass"].stacks[1]))][:1] == (
        [] if line is None else [line]
    )


@pytest.fixture
def ncu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that is called ncu, whose text a test writes."""
    program = tmp_path / "bin" / "ncu"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program


def does(program: Path, text: str) -> None:
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


CASE = compile_request(4, 8)


def test_what_ncu_prints_is_read_and_its_progress_told(ncu: Path, tmp_path: Path) -> None:
    (tmp_path / "raw").write_text(ROWS)
    (tmp_path / "source").write_text(LINES)
    does(
        ncu,
        f'case "$*" in *"page raw"*) cat {tmp_path}/raw;; *"page source"*) cat'
        f' {tmp_path}/source;;\n*) echo "0%....100% - 9 passes"; echo "0%....100% - 9 passes";;'
        " esac",
    )
    told: list[int] = []
    (found,) = count(CASE, [listing()], tell=told.append)
    assert isinstance(found, KernelCounters)
    assert told[-1] == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1",
            "NVreg_RestrictProfilingToAdminUsers=0",
        ),
        ("echo '==ERROR== LibraryNotLoaded'; exit 9", "ncu ended with status 9: LibraryNotLoaded"),
        ('echo \'"ID","Kernel Name"\'', "the output of ncu cannot be read"),
    ],
)
def test_why_there_are_none_is_told(ncu: Path, text: str, why: str) -> None:
    does(ncu, text)
    with pytest.raises(CountersError, match=why):
        count(CASE, [listing()])


def test_who_stops_ends_the_profiler_and_what_it_has_started(ncu: Path, tmp_path: Path) -> None:
    does(ncu, f"sleep 100 & echo $! > {tmp_path}/child; wait")

    def check() -> None:
        if (tmp_path / "child").exists() and (tmp_path / "child").read_text().strip():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count(CASE, [], check)
    status = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    end = time.monotonic() + 20
    while status.exists() and status.read_text().split()[2] != "Z" and time.monotonic() < end:
        time.sleep(0.01)
    assert not status.exists() or status.read_text().split()[2] == "Z"
