"""Facts of every compiled kernel, for three architectures, on any machine."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnkernels.compiled import facts
from lnkernels.compiled.facts import CompileError, CompileRequest, facts_in_own_process
from lnkernels.launch import LaunchWish, grids, limits_for_architecture, occupancy, resolve_launch
from lnkernels.launch.source import find_source
from lnkernels.values.compiled import KernelFacts

Facts = dict[str, KernelFacts]


def request(
    m: int = 64,
    n: int = 512,
    dtype: str = "float16",
    architecture: str = "sm_90",
    **rest: Any,
) -> CompileRequest:
    of_request = ("weight_dtype", "with_weight", "with_bias")
    wished = {name: rest.pop(name) for name in list(rest) if name not in of_request}
    launch = resolve_launch(n, dtype, LaunchWish(**wished), limits_for_architecture("sm_90"))
    return CompileRequest(m=m, n=n, dtype=dtype, launch=launch, architecture=architecture, **rest)


# Everything that changes which code a kernel of `locked` is made of, at least once; whole rows and
# rows in steps of the others, sums of both kinds, one slice and many.
ON_EVERY_ARCHITECTURE: dict[str, dict[str, Any]] = {
    "narrow partial sums": {"partial_dtype": "same"},
    "split": {"m": 256, "n": 10752, "dtype": "bfloat16", "strategy": "split"},
}
ON_ONE: dict[str, dict[str, Any]] = {
    "bfloat16": {"dtype": "bfloat16"},
    "persistent": {"m": 256, "n": 2048, "dtype": "bfloat16", "strategy": "persistent"},
    "atomic": {"m": 256, "n": 1024, "strategy": "atomic"},
    "auto, very wide": {"m": 256, "n": 65536, "dtype": "float32", "strategy": "auto"},
    "not a power of two": {"m": 7, "n": 1000},
    "one column": {"m": 1, "n": 1},
    "float32, no barrier": {"dtype": "float32", "barrier": False},
    "weight and bias in float32": {"weight_dtype": "float32"},
    "no weight": {"with_weight": False},
    "no bias": {"with_bias": False},
    "more warps": {"n": 8192, "num_warps": 32},
    "persistent, half a block": {"m": 256, "n": 500, "strategy": "persistent"},
    "auto in blocks": {"m": 256, "n": 5120, "strategy": "auto"},
}

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")


def requests() -> dict[str, CompileRequest]:
    found = {
        f"{name}, {arch}": request(architecture=arch, **what)
        for name, what in ON_EVERY_ARCHITECTURE.items()
        for arch in ARCHITECTURES
    }
    found |= {f"{name}, sm_90": request(**what) for name, what in ON_ONE.items()}

    bare = request(with_weight=False, with_bias=False)
    return found | {
        "neither weight nor bias": bare,
        "an unknown card": request(architecture="sm_103"),
    }


# One process compiles some thirty requests, three kernels each: minutes where other work has the
# cores.
pytestmark = [pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def compiled() -> Callable[[str], tuple[CompileRequest, Facts]]:
    """Every request compiled once, by one process."""
    asked = requests()
    found = iter(facts_in_own_process(*asked.values(), timeout=500))
    facts: dict[str, Facts] = {}
    for name in asked:
        kernels = 2 if name == "neither weight nor bias" else 3
        facts[name] = {fact.name: fact for fact in (next(found) for _ in range(kernels))}
    assert next(found, None) is None
    return lambda name: (asked[name], facts[name])


def test_a_file_in_the_folder_where_somebody_works_is_not_what_the_compiler_imports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("dataclasses", "json", "triton", "torch", "lnkernels"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError('it was executed')\n")
    facts._COMPILER.close()  # another one begins here, which the other tests go on with
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(["", *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    assert len(facts_in_own_process(request(m=4, n=8))) == 3


@pytest.mark.parametrize(
    "name",
    [name for name in requests() if name.startswith(tuple(ON_EVERY_ARCHITECTURE) + tuple(ON_ONE))],
)
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


def printed(script: str, **environment: str) -> str:
    """Return what a script prints in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    return ran.stdout.strip()


def test_compiling_is_refused_where_the_interpreter_is_bound() -> None:
    script = (
        "from lnkernels.compiled.facts import CompileRequest\nfrom lnkernels.compiled.requests"
        " import compile_kernels\nfrom lnkernels.launch import resolve_launch\nlaunch ="
        " resolve_launch(64, 'float16')\nrequest = CompileRequest(m=4, n=64, dtype='float16',"
        " launch=launch, architecture='sm_90')\ntry:\n    compile_kernels(request)\nexcept"
        " RuntimeError as error:\n    print(error)\n"
    )
    assert "TRITON_INTERPRET" in printed(script, TRITON_INTERPRET="1")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (request(architecture="gfx942"), "architecture = 'gfx942'"),
        (request(architecture="sm_12345"), "architecture = 'sm_12345'"),
    ],
)
def test_a_request_that_cannot_be_compiled_ends_in_one_sentence(
    wanted: CompileRequest, message: str
) -> None:
    with pytest.raises(CompileError, match=message):
        facts_in_own_process(wanted)


def test_a_kernel_that_hangs_the_compiler_is_found_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "print('a byte of no letter:', flush=True)\nimport os; os.write(1, b'\\xff')\nwhile True:"
        " pass"
    )
    with pytest.raises(CompileError, match="took longer than 10 s") as caught:
        facts_in_own_process(replace(request(), source=find_source(str(path))), timeout=10)
    assert f'File "{path}", line 3 in' in caught.value.stack


# Answers at once, or later than anybody waits.
SLOW = """
import sys, time
print("{}", flush=True)
for line in sys.stdin:
    time.sleep(float(line))
    print('{"done": true}', flush=True)
"""


def test_a_compiler_that_says_something_else_and_does_not_end_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(facts, "END_SECONDS", 0.1)
    compiler = facts.Compiler(
        [sys.executable, "-c", "import time; print('hello', flush=True); time.sleep(1000)"]
    )
    with pytest.raises(CompileError, match="the compiler's process ended with status -9"):
        compiler.ask(None)


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
