"""Every form of a kernel, and which lines of these belong together."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lnkernels.failures
from lnkernels.compiled import CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import TEXTS, read_listing
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.values.listing import STAGES, Listing, is_instruction

LOCKED = "lnkernels/strategies/locked.py"
CASES = {
    "locked": {},
    "persistent": {"strategy": "persistent"},
    "split": {"strategy": "split", "n": 10752, "dtype": "bfloat16"},
    "atomic": {"strategy": "atomic"},
}


def asked(n: int = 2048, dtype: str = "float16", architecture: str = "sm_90", **wished: object) -> CompileRequest:
    launch = resolve_launch(n, dtype, LaunchWish(**wished))
    return CompileRequest(m=4096, n=n, dtype=dtype, launch=launch, architecture=architecture, stages=TEXTS)


@pytest.fixture(scope="module")
def listing() -> Callable[[str, str], Listing]:
    """The kernels of every case, compiled once."""
    facts = iter(facts_in_own_process(*(asked(**case) for case in CASES.values()), timeout=150))
    found = {name: {one.facts.name: one for one in map(read_listing, [next(facts) for _ in range(3)])} for name in CASES}
    return lambda name, kernel: found[name][kernel]


def line_of(listing: Listing, stage: str, text: str) -> int:
    (line, *_) = (number for number, line in enumerate(listing.stages[stage].lines) if text in line)
    return line


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kernel", ["forward", "backward_stage1", "backward_stage2"])
def test_every_place_that_the_machine_code_names_is_shown_in_the_source(case: str, kernel: str, listing) -> None:
    found = listing(case, kernel)
    assert tuple(found.stages) == STAGES
    assert found.function in found.stages["source"].lines[2], "the kernel comes first"
    assert all(file.startswith(("lnkernels/", "triton/")) for file in found.files)
    named = 0
    for stage in STAGES[1:]:
        for number, line in enumerate(found.stages[stage].lines):
            for file, at in found.stack(stage, number):
                assert found.line_of_source(file, at) is not None, (stage, line, file, at)
                named += 1
    assert named
    sass = found.stages["sass"]
    code = [number for number, line in enumerate(sass.lines) if is_instruction(line)]
    assert len(code) == found.instructions
    assert (sass.stacks[code] >= 0).mean() > 0.99
    assert (found.ptx_of_sass[code] >= 0).mean() > 0.95


def test_the_source_is_what_stands_in_the_files(listing) -> None:
    found = listing("locked", "backward_stage1")
    files = {name: (Path(lnkernels.failures.__file__).parents[1] / name).read_text().splitlines() for name in (LOCKED,)}
    shown = [number for number in range(len(found.stages["source"].lines)) if found.stack("source", number)[:1]]
    of_locked = [
        (number, found.stack("source", number)[0][1]) for number in shown if found.stack("source", number)[0][0] == LOCKED
    ]
    assert len(of_locked) > 100
    for number, line in of_locked:
        assert found.stages["source"].lines[number] == files[LOCKED][line - 1]


def test_taking_the_lock_is_one_instruction_in_every_form(listing) -> None:
    found = listing("locked", "backward_stage1")
    words = {"ttir": "tt.atomic_cas", "ttgir": "tt.atomic_cas", "llir": "atom.global", "ptx": ".cas.b32", "sass": "ATOMG.E.CAS"}
    source = line_of(found, "source", "while tl.atomic_cas(lock_ptr, 0, 1) == 1:")
    call = line_of(found, "source", "tries = acquire(locks_ptr + buffer)")
    for stage, word in words.items():
        line = line_of(found, stage, word)
        assert list(found.partners(stage, line)["source"]) == [source, call]
        for here in (source, call):
            assert line in found.partners("source", here)[stage]
        for other, text in words.items():
            assert line_of(found, other, text) in found.partners(stage, line)[other]


def test_what_only_debuggers_read_is_left_out(listing) -> None:
    texts = listing("locked", "backward_stage1").text
    for stage, words in {"ttgir": ["loc("], "llir": ["!dbg", "!DI"], "ptx": [".loc", ".file", "debug"], "sass": ["//##"]}.items():
        assert not [word for word in words if word in texts[stage]], stage
    assert texts["ttgir"].splitlines()[-1] == "}"


def test_a_line_that_the_compiler_names_no_place_for_has_no_partner(listing) -> None:
    found = listing("locked", "backward_stage1")
    number = line_of(found, "ptx", ".version")
    assert {stage: list(lines) for stage, lines in found.partners("ptx", number).items() if lines.size} == {"ptx": [number]}
    assert found.stack("ptx", number) == ()
    assert found.line_of_source("triton/language/none.py", 1) is None


def test_facts_lose_their_raw_texts_and_keep_the_rest(listing) -> None:
    found = listing("locked", "backward_stage1")
    assert found.facts.texts == {}
    assert found.facts.registers
    assert json.dumps(found.text)
    assert found.ptx_of_sass.dtype == np.int32
