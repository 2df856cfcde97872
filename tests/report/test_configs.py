"""Launch settings as Python text: each is run, with triton."""

from dataclasses import replace

import pytest
import triton
import triton.language as tl

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.sweep.cells import Cell
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.report.configs import autotune_table, cell_config, triton_config
from tests.gui.sample_sweeps import invented_rows
from tests.sample_results import make_environment

OVER_N = SweepRequest(
    base=RunRequest(m=4096),
    axes=(Axis(name="n", values=(1024, 4096)), Axis(name="num_warps", values=(4, 8, 16))),
    strategies=("locked", "persistent"),
)


def made_by(text: str) -> dict[str, object]:
    made: dict[str, object] = {}
    exec(text, made)
    return made


def configs(text: str) -> dict[str, triton.Config]:
    made = made_by(f"import triton\n{text}")
    return {name: each for name, each in made.items() if isinstance(each, triton.Config)}


def test_a_config_has_every_kernel_of_the_tutorial() -> None:
    asked = RunRequest.of(m=6, n=24, group_size_m=2, seed=3, num_warps=2)
    made = configs(triton_config(resolve(asked, "interpreter").launch))
    assert list(made) == ["forward", "stage1", "stage2"]
    assert made["stage1"].kwargs == {
        "BLOCK_SIZE_N": 32,
        "GROUP_SIZE_M": 2,
        "PARTIAL_DTYPE": "float32",
        "BARRIER": True,
        "ATOMIC_COUNT": True,
    }
    assert made["stage2"].kwargs == {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 128}
    assert [config.num_warps for config in made.values()] == [2, 2, 4]
    assert {(config.num_ctas, config.maxnreg) for config in made.values()} == {(1, None)}, (
        "what no launch here asks for"
    )


@triton.jit
def kernel(x_ptr, N, BLOCK_SIZE_N: tl.constexpr, GROUP_SIZE_M: tl.constexpr):  # noqa: N803
    pass


@pytest.mark.parametrize(("n", "nearest"), [(100, 1024), (3000, 4096)])
def test_a_table_for_autotune_takes_the_best_of_the_nearest_n(n: int, nearest: int) -> None:
    rows = invented_rows(OVER_N)
    like = next(row for row in rows if row.cell.provider == "locked")
    text = autotune_table(OVER_N, rows, like, "kernel_cold")
    assert "# locked: the best of each N; M = 4096, float16, NVIDIA H200" in text
    made = made_by(text)
    tuned = made["stage1"](kernel)  # type: ignore[operator]  # a decorator
    assert list(tuned.keys) == ["N"]
    tuned.nargs = {"x_ptr": None}
    (chosen,) = tuned.prune_configs({"N": n})
    own = [
        row
        for row in rows
        if row.cell.provider == "locked" and row.cell.request.n == nearest and row.figures
    ]
    best = min(own, key=lambda row: row.figure("backward").p50_ms)  # type: ignore[union-attr]
    expected = configs(triton_config(best.resolved.launch))  # type: ignore[union-attr]
    assert chosen.all_kwargs() == expected["stage1"].all_kwargs()
    assert {"forward", "stage1", "stage2"} <= made.keys()


def test_nothing_that_a_file_names_becomes_code_of_a_table() -> None:
    gpu = "H200\nimport os; raise SystemExit\r\u2028raise SystemExit"
    rows = [replace(row, environment=make_environment(gpu)) for row in invented_rows(OVER_N)]
    assert "over_n" in made_by(autotune_table(OVER_N, rows, rows[0], "kernel_cold"))


def test_a_peer_has_no_settings_and_a_kernel_of_ones_own_those_of_its_axes() -> None:
    own = Cell(
        number=0,
        point=(0,),
        provider="mine",
        peer=True,
        request=RunRequest(m=4096, n=1024),
        settings=(("WARPS", 8), ("num_warps", 4)),
    )
    row = invented_rows(OVER_N)[0]
    peer = replace(row, cell=replace(own, settings=()))
    assert cell_config(peer) == ""
    made = configs(cell_config(replace(row, cell=own)))
    assert made["config"].all_kwargs()["WARPS"] == 8
    assert made["config"].num_warps == 4
