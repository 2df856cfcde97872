"""Facts of compiled kernels, on any machine."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnkernels.compiled import facts
from lnkernels.compiled.facts import CompileError, CompileRequest, facts_in_own_process
from lnkernels.compiled.launches import run_tool
from lnkernels.compiled.requests import compile_kernels
from lnkernels.launch import (
    SETTING,
    LaunchWish,
    grids,
    limits_for_architecture,
    occupancy,
    resolve_launch,
)
from lnkernels.launch.source import find_source
from lnkernels.values.compiled import KernelFacts

Facts = dict[str, KernelFacts]


def compile_request(
    m: int = 64,
    n: int = 512,
    dtype: str = "float16",
    architecture: str = "sm_90",
    *,
    rows: int | None = None,
    **rest: Any,
) -> CompileRequest:
    """A request of its own fields and of settings of a launch, for so many rows if that counts."""
    settings = [name for name in rest if name in SETTING or name == "strategy"]
    wish = LaunchWish(**{name: rest.pop(name) for name in settings})
    launch = resolve_launch(n, dtype, wish, m=rows)
    return CompileRequest(m=m, n=n, dtype=dtype, launch=launch, architecture=architecture, **rest)


# Each strategy, and what changes which code a kernel of `locked` is made of.
LAUNCHED: dict[str, CompileRequest] = {
    "narrow partial sums": compile_request(partial_dtype="same", architecture="sm_80"),
    "persistent": compile_request(256, 2048, "bfloat16", "sm_100", strategy="persistent"),
    "split": compile_request(256, 10752, "bfloat16", strategy="split"),
    "atomic": compile_request(256, 1024, strategy="atomic"),
    "float32, no barrier": compile_request(dtype="float32", barrier=False),
    "weight in float32, no bias": compile_request(7, 1000, weight_dtype="float32", with_bias=False),
    "more warps": compile_request(n=8192, num_warps=32),
}
REQUESTS = LAUNCHED | {
    "neither weight nor bias": compile_request(with_weight=False, with_bias=False),
    "an unknown card": compile_request(architecture="sm_103"),
}


# One process compiles all of them, three kernels each: minutes where other work has the cores.
pytestmark = [pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def compiled() -> Callable[[str], tuple[CompileRequest, Facts]]:
    """Every request compiled once, by one process."""
    found = iter(facts_in_own_process(*REQUESTS.values(), timeout=500))
    facts: dict[str, Facts] = {}
    for name in REQUESTS:
        kernels = 2 if name == "neither weight nor bias" else 3
        facts[name] = {fact.name: fact for fact in (next(found) for _ in range(kernels))}
    assert next(found, None) is None
    return lambda name: (REQUESTS[name], facts[name])


def test_a_file_in_the_folder_where_somebody_works_is_not_what_the_compiler_imports(
    monkeypatch: pytest.MonkeyPatch, cwd: Path
) -> None:
    for name in ("dataclasses", "json", "triton", "torch", "lnkernels"):
        (cwd / f"{name}.py").write_text("raise AssertionError('it was executed')\n")
    facts._COMPILER.close()  # another one begins here, which the other tests go on with
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(["", *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    assert len(facts_in_own_process(compile_request(m=4, n=8))) == 3


@pytest.mark.parametrize("name", LAUNCHED)
def test_every_kernel_compiles_fits_an_sm_and_has_the_grid_that_was_foretold(
    name: str, compiled: Callable[[str], tuple[CompileRequest, Facts]]
) -> None:
    asked, facts = compiled(name)
    limits = limits_for_architecture(asked.architecture)
    assert list(facts) == ["forward", "backward_stage1", "backward_stage2"]
    assert {kernel: fact.grid for kernel, fact in facts.items()} == grids(
        asked.m, asked.n, asked.launch
    )
    for kernel, fact in facts.items():
        assert fact.architecture == asked.architecture
        assert 0 < fact.registers <= 255
        # For split up to 64 with Triton 3.7, 88 with 3.8 on sm_90, 80 with 3.9 on sm_80.
        assert fact.spill_bytes <= (0 if asked.launch.strategy == "locked" else 88)
        assert fact.occupancy == occupancy(
            limits, fact.registers, fact.num_warps, fact.shared_bytes
        )
        # The programs of a split row wait for each other, so an SM has to take at least one.
        assert fact.occupancy.programs_per_sm >= max(
            1, asked.launch.programs_per_sm * (kernel == "backward_stage1")
        )


def test_without_weight_and_bias_there_is_no_second_stage(
    compiled: Callable[[str], tuple[CompileRequest, Facts]],
) -> None:
    assert list(compiled("neither weight nor bias")[1]) == ["forward", "backward_stage1"]


def test_an_architecture_that_no_card_is_known_of_compiles_without_an_occupancy(
    compiled: Callable[[str], tuple[CompileRequest, Facts]],
) -> None:
    facts = compiled("an unknown card")[1].values()
    assert [fact.occupancy for fact in facts] == [None] * 3
    assert all(fact.registers for fact in facts)


def test_compiling_is_refused_where_the_interpreter_is_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with pytest.raises(RuntimeError, match="TRITON_INTERPRET is set"):
        compile_kernels(compile_request())


def test_a_request_that_cannot_be_compiled_ends_in_one_sentence() -> None:
    with pytest.raises(CompileError, match="architecture = 'sm_12345'"):
        facts_in_own_process(compile_request(architecture="sm_12345"))


@pytest.mark.usefixtures("compiled")  # torch is loaded: only the file's own time counts
def test_a_kernel_that_hangs_the_compiler_is_found_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "print('a byte of no letter:', flush=True)\nimport os; os.write(1, b'\\xff')\nimport time;"
        " time.sleep(1000)"
    )
    with pytest.raises(CompileError, match="took longer than 4 s") as caught:
        facts_in_own_process(replace(compile_request(), source=find_source(str(path))), timeout=4)
    assert f'File "{path}", line 3 in' in caught.value.stack


# Answers at once, or later than anybody waits.
SLOW = """
import sys, time
print("{}", flush=True)
for line in sys.stdin:
    time.sleep(float(line))
    print('{"done": true}', flush=True)
"""


def test_a_compiler_that_takes_too_long_or_is_killed_is_told_and_the_next_question_has_another() -> (
    None
):
    compiler = facts.Compiler([sys.executable, "-c", SLOW])
    assert compiler.ask("0", 60.0) == {"done": True}
    with pytest.raises(CompileError, match=r"took longer than 0.1 s and was ended"):
        compiler.ask("100", 0.1)
    assert compiler.ask("0", 60.0) == {"done": True}
    assert compiler.process is not None
    threading.Timer(0.05, compiler.process.kill).start()
    with pytest.raises(CompileError, match="the compiler's process ended with status -9"):
        compiler.ask("100", 60.0)
    assert compiler.ask("0", 60.0) == {"done": True}
    compiler.close()


def test_tools_start_while_a_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A started program reads the variables that there are, and these move as more are set."""
    over = threading.Event()
    run_tool("cuobjdump", b"", "--version")

    def grow() -> None:
        while not over.is_set():
            for number in range(200):
                monkeypatch.setenv(f"LNKERNELS_TEST_{number}", "x" * number)
            for number in range(200):
                monkeypatch.delenv(f"LNKERNELS_TEST_{number}")

    with ThreadPoolExecutor(5) as pool:
        growing = pool.submit(grow)
        told = [pool.submit(run_tool, "cuobjdump", b"", "--version") for _ in range(100)]
        found = [each.exception() or each.result() for each in told]
        over.set()
    growing.result()
    assert not [each for each in found if isinstance(each, Exception)]
