"""`lnexplorer compile`, which compiles for an architecture that need not be here."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.cli.compile import counters_text
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import find_paths
from lnkernels.values.listing import STAGES
from tests.cli.conftest import Command, Refused
from tests.sample_results import NEEDS_BARRIER, some_counters
from tests.store.examples import small_result

pytestmark = pytest.mark.usefixtures("worker")
COMPILE = "compile --m 64 --n 128 --device interpreter:sm_90"


def test_the_summary_has_facts_loads_and_stores_and_the_rule(lnexplorer: Command) -> None:
    out = lnexplorer(f"{COMPILE}").out
    assert "compiled for sm_90" in out
    assert re.search(r"locked\.py:\d+ ← locked\.py:\d+", out)
    assert "ATOMG.E.CAS.STRONG.GPU" in out
    assert "stage1_kernel: right  SASS:" in out


def test_the_status_is_1_where_the_rule_finds_a_fault(lnexplorer: Command) -> None:
    captured = lnexplorer(f"{COMPILE} --check --no-barrier", status=int(NEEDS_BARRIER))
    why = "status 1: a lock is given back before all is stored, in stage1_kernel"
    assert (why in captured.err) == NEEDS_BARRIER
    out, verdict = captured.out, "fault" if NEEDS_BARRIER else "right"
    assert f"stage1_kernel: {verdict}  PTX:" in out
    assert f"stage1_kernel: {verdict}  SASS:" in out
    assert "It sees neither addresses" in out


def test_the_document_has_every_kernel_with_its_instructions_and_locks(lnexplorer: Command) -> None:
    document = json.loads(
        lnexplorer(f"{COMPILE} --json --stage sass").out, parse_constant=pytest.fail
    )
    assert (document["architecture"], document["m"], document["n"]) == ("sm_90", 64, 128)
    assert [kernel["name"] for kernel in document["kernels"]] == [
        "forward",
        "backward_stage1",
        "backward_stage2",
    ]
    stage1 = document["kernels"][1]
    assert stage1["instructions"] == stage1["stages"]["sass"].count("/*")
    assert [lock["fault"] for lock in stage1["locks"]] == [False, False]
    assert {use["action"] for use in stage1["memory"]} == {"load", "store", "atomic"}
    assert all(use["calls"] for use in stage1["memory"])


def test_kernels_are_chosen_by_parts_of_their_names(lnexplorer: Command) -> None:
    assert {"registers", "Lock"} <= set(lnexplorer(f"{COMPILE} --facts --check").out.split())
    out = lnexplorer(f"{COMPILE} --facts --only 'stage2, forward'").out
    assert "live at most" not in out, "which is not looked for here"
    assert [line.split()[0] for line in out.splitlines()[3:]] == ["forward", "backward_stage2"]
    assert (
        "only = stage3 is not possible: take parts of forward,"
        in lnexplorer(f"{COMPILE} --only stage3", status=2).err
    )


def test_every_form_is_written_into_files(tmp_path: Path, lnexplorer: Command) -> None:
    folder = tmp_path / "made" / "here"
    lnexplorer(f"{COMPILE} --out {folder} --facts")
    assert len(list(folder.iterdir())) == 3 * len(STAGES)
    assert "EXIT" in (folder / "stage1_kernel.sass").read_text()
    assert "def stage1_kernel(" in (folder / "stage1_kernel.py").read_text()


def test_two_settings_are_compared_without_noise(lnexplorer: Command) -> None:
    out = lnexplorer(f"{COMPILE} --diff barrier=off --stage ttgir", status=int(NEEDS_BARRIER)).out
    assert "--- forward_kernel: ttgir: 0 lines removed, 0 added" in out
    # Triton 3.6 writes `gpu.barrier`, 3.7 `ttg.barrier`.
    gone = [
        line.split()[1] for line in out.splitlines() if line.startswith("- ") and "barrier" in line
    ]
    assert gone in (["ttg.barrier"], ["gpu.barrier"])
    assert out.count(" barrier on") == out.count(" barrier off") == 6, "in both tables"
    assert "---" not in lnexplorer(f"{COMPILE} --diff num_warps=2 --facts").out, "facts alone"


def test_a_run_of_the_history_is_a_side(lnexplorer: Command, refused: Refused) -> None:
    assert "there is no history yet" in refused(f"{COMPILE} --diff history=1")
    result = small_result()
    warps = replace(result.resolved.launch, num_warps=8)
    with open_history(find_paths().history, pytest.fail) as history:
        number = history.runs.add(replace(result, resolved=replace(result.resolved, launch=warps)))
        history.runs.pin(number)
    out = lnexplorer(f"{COMPILE} --diff history=A --facts --num-warps 4").out
    assert {"4", "8"} <= {word for line in out.splitlines() for word in line.split()}
    assert "run = 77" in refused(f"{COMPILE} --diff history=77")


def test_architectures_stand_in_one_table(lnexplorer: Command) -> None:
    rows = lnexplorer(f"{COMPILE} --architectures sm_80,sm_100").out.splitlines()
    assert rows[0].endswith("compiled for sm_80, sm_100")
    assert [row.split()[1] for row in rows if row.startswith("backward_stage1")] == [
        "sm_80",
        "sm_100",
    ]


def test_without_hardware_nothing_is_counted_and_the_reason_told(lnexplorer: Command) -> None:
    assert "failed in phase counters: " in (
        err := lnexplorer("compile --m 4 --n 8 --device interpreter --counters", status=3).err
    )
    assert "the interpreter has no hardware to count" in err


def test_counters_are_shown_with_what_warps_wait_for() -> None:
    shown = counters_text(replace(small_result(), counters=(some_counters(),)))
    assert "stage1_kernel" in shown
    assert "76 %" in shown
    assert (
        "2.9 cycles for other warps at a barrier before each instruction; it is seen at"
        " locked.py:158 95 %" in shown
    )


NORM = """
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shape, weight, bias, eps):
        y = torch.empty_like(x)
        launch(x, y)
        return y
    @staticmethod
    def backward(ctx, dy):
        launch(dy, torch.empty_like(dy))
        return dy, None, None, None, None
layer_norm = Norm.apply
"""
ACCELERATED = """
import torch, triton, triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
@triton.jit
def move(X, Y, M, N, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(X, shape=[M, N], strides=[N, 1], block_shape=[1, BLOCK])
    y = tl.make_tensor_descriptor(Y, shape=[M, N], strides=[N, 1], block_shape=[1, BLOCK])
    rows = x.load([tl.program_id(0), 0])
    y.store([tl.program_id(0), 0], rows)
@gluon.jit
def move_in_gluon(X, Y, N, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    columns = gl.arange(0, BLOCK, layout=LAYOUT)
    places = gl.program_id(0) * N + columns
    rows = gl.load(X + places, mask=columns < N)
    gl.store(Y + places, rows, mask=columns < N)
def launch(x, y):
    triton.set_allocator(lambda size, *_: torch.empty(size, dtype=torch.int8, device="cuda"))
    move[(x.shape[0],)](x, y, *x.shape, BLOCK=64)
    layout = gl.BlockedLayout([1], [32], [4], [0])
    move_in_gluon[(x.shape[0],)](x, y, x.shape[1], BLOCK=64, LAYOUT=layout)
"""


EARLY = """
@triton.jit
def early(X):
    tl.store(X, 1.0)
early[(1,)](torch.empty(1))
"""


def test_kernels_of_a_file_are_listed_whatever_their_way_to_memory(
    tmp_path: Path, lnexplorer: Command
) -> None:
    """By the tensor memory accelerator, and from Gluon."""
    path = tmp_path / "mine.py"
    path.write_text(ACCELERATED + EARLY + NORM)
    asked = f"--n 64 --kernel {path} --json --stage source"
    kernels = json.loads(lnexplorer(f"{COMPILE} {asked}").out)["kernels"]
    assert {
        kernel["function"]: [
            (use["action"], use["elements"], use["names"], use["coalesced"])
            for use in kernel["memory"]
        ]
        for kernel in kernels
    } == {
        "move": [("load", 64, ["UTMALDG.2D"], True), ("store", 64, ["UTMASTG.2D"], True)],
        "move_in_gluon": [("load", 64, ["LDG.E.U16"], True), ("store", 64, ["STG.E.U16"], True)],
    }, "what is launched while the file is loaded belongs to no pass"
