"""Every form of a kernel, and which lines of these belong together."""

import re
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import lnkernels.failures
from lnkernels.compiled.facts import CompileError, CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import LIVE, TEXTS, read_listing, read_live, read_ptx
from lnkernels.compiled.race_rule import releases
from lnkernels.values.listing import STAGES, Listing, is_instruction
from tests.lnkernels.test_compiled import compile_request

SWITCHES = ((True, True), (False, True), (False, False), (True, False))  # barrier, atomic count
# From 3.9 on Triton puts a barrier before and behind an atomic that others are to see.
GUARDS_ATOMICS = tuple(map(int, version("triton").split(".")[:2])) >= (3, 9)
LOCKED = "lnkernels/passes/locked.py"
FORWARD, STAGE1, STAGE2 = "forward", "backward_stage1", "backward_stage2"
CASES: dict[str, dict[str, Any]] = {
    "locked": {"kernels": (FORWARD, STAGE1, STAGE2)},
    "persistent": {"strategy": "persistent", "kernels": (STAGE1,)},
    "atomic": {"strategy": "atomic", "kernels": (STAGE1,)},
    "a multiple of 8": {"strategy": "persistent", "n": 1000, "kernels": (FORWARD,)},
    "odd": {"strategy": "persistent", "n": 1001, "kernels": (FORWARD,)},
}


def asked(n: int = 2048, **rest: Any) -> CompileRequest:
    return compile_request(4096, n, stages=TEXTS, **rest)


@pytest.fixture(scope="module")
def listing() -> Callable[[str, str], Listing]:
    """The kernels of every case, compiled once."""
    requests = {
        (name, kernel): asked(**case | {"kernels": (kernel,)})
        for name, case in CASES.items()
        for kernel in case["kernels"]
    }
    requests["locked", STAGE1] = replace(requests["locked", STAGE1], stages=(*TEXTS, LIVE))
    found = dict(
        zip(
            requests,
            map(read_listing, facts_in_own_process(*requests.values(), timeout=170)),
            strict=True,
        )
    )
    return lambda name, kernel: found[name, kernel]


def line_of(listing: Listing, stage: str, text: str) -> int:
    (line, *_) = (number for number, line in enumerate(listing.stages[stage].lines) if text in line)
    return line


@pytest.mark.parametrize(
    ("case", "kernel"),
    [(name, kernel) for name, case in CASES.items() for kernel in case["kernels"]],
)
def test_every_place_that_the_machine_code_names_is_shown_in_the_source(
    case: str, kernel: str, listing
) -> None:
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
    assert len(code) == found.instructions == found.facts.instructions
    assert (sass.stacks[code] >= 0).mean() > 0.99


def test_the_source_is_what_stands_in_the_files(listing) -> None:
    found = listing("locked", "backward_stage1")
    files = {
        name: (Path(lnkernels.failures.__file__).parents[1] / name).read_text().splitlines()
        for name in (LOCKED,)
    }
    shown = [
        number
        for number in range(len(found.stages["source"].lines))
        if found.stack("source", number)[:1]
    ]
    of_locked = [
        (number, found.stack("source", number)[0][1])
        for number in shown
        if found.stack("source", number)[0][0] == LOCKED
    ]
    assert len(of_locked) > 100
    for number, line in of_locked:
        assert found.stages["source"].lines[number] == files[LOCKED][line - 1]


def test_taking_the_lock_is_one_instruction_in_every_form(listing) -> None:
    found = listing("locked", "backward_stage1")
    words = {
        "ttir": "tt.atomic_cas",
        "ttgir": "tt.atomic_cas",
        "llir": "atom.global",
        "ptx": ".cas.b32",
        "sass": "ATOMG.E.CAS",
    }
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
    for stage, words in {
        "ttgir": ["loc("],
        "llir": ["!dbg", "!DI"],
        "ptx": [".loc", ".file", "debug"],
        "sass": ["//##"],
    }.items():
        assert not [word for word in words if word in texts[stage]], stage
    assert texts["ttgir"].splitlines()[-1] == "}"


def test_a_line_that_the_compiler_names_no_place_for_has_no_partner(listing) -> None:
    found = listing("locked", "backward_stage1")
    number = line_of(found, "ptx", ".version")
    assert {
        stage: list(lines) for stage, lines in found.partners("ptx", number).items() if lines.size
    } == {"ptx": [number]}
    assert found.stack("ptx", number) == ()
    assert found.line_of_source("triton/language/none.py", 1) is None


def test_at_an_even_width_every_byte_of_the_source_is_loaded_and_stored_once(listing) -> None:
    found = listing("locked", "backward_stage1")
    uses = [use for use in found.memory if use.elements > 1]
    assert [use.action for use in uses] == [
        "load",
        "load",
        "load",
        "store",
        "load",
        "load",
        "store",
        "store",
    ]
    for use in uses:
        assert (
            len(use.lines) * use.thread_bytes * 32 * found.facts.num_warps
            == use.elements * use.element_bytes
        )
    counted = {line for use in found.memory for line in use.lines}
    sass = found.stages["sass"].lines
    assert counted == {
        at
        for at, line in enumerate(sass)
        if any(word in line for word in (" LDG.", " STG.", " ATOMG."))
    }


@pytest.mark.parametrize(
    ("kernel", "served"),
    [
        (FORWARD, {"x", "weight", "bias", "y", "statistics", "row sums"}),
        (STAGE1, {"x", "dy", "weight", "dx", "statistics", "row sums"}),
        (STAGE2, {"sums"}),
    ],
)
def test_instructions_are_told_by_the_tensor_that_they_serve(
    kernel: str, served: set[str], listing
) -> None:
    for case in (name for name, each in CASES.items() if kernel in each["kernels"]):
        found = listing(case, kernel)
        assert served <= set(found.roles) <= served | {"sums", "locks"}, case
        assert ("locks" in found.roles) == (case == "locked" and kernel == STAGE1)
        sass = found.stages["sass"].lines
        assert all(re.search(r" LDG", sass[line]) for line in found.roles.get("x", ()))
        if "row sums" in served:
            assert any("SHFL" in sass[line] for line in found.roles["row sums"])


def widths(listing: Listing, action: str) -> set[int]:
    """Return the widths of the uses of whole rows of x and y."""
    return {
        use.thread_bytes
        for use in listing.memory
        if use.action == action and use.elements >= 1000 and use.element_bytes == 2
    }


def test_a_thread_takes_16_bytes_at_multiples_of_8_halves_and_2_at_odd_lengths(listing) -> None:
    even, odd = listing("a multiple of 8", FORWARD), listing("odd", FORWARD)
    assert widths(even, "load") == widths(even, "store") == {16}
    assert widths(odd, "load") == widths(odd, "store") == {2}
    assert all(use.coalesced for use in even.memory)
    assert not all(use.coalesced for use in odd.memory)
    (use, *_) = (use for use in even.memory if use.action == "load")
    assert str(use.sentence()) == "16 bytes a thread, 512 adjacent bytes a warp: coalesced"
    assert use.masked


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_the_rule_finds_the_fault_where_the_barrier_is_off_and_none_where_it_is_on(
    architecture: str,
) -> None:
    sides = [
        asked(
            n=128,
            architecture=architecture,
            barrier=barrier,
            atomic_count=atomic,
            kernels=("backward_stage1",),
        )
        for barrier, atomic in SWITCHES
    ]
    try:
        listings = [*map(read_listing, facts_in_own_process(*sides))]
    except CompileError as error:
        if not re.search(r"^ptxas: Value|nvdisasm failed", str(error)):
            raise
        pytest.skip(f"the tools of this Triton do not know it: {error}")
    faulty = [found.faulty for found in listings]
    assert faulty == [False, not GUARDS_ATOMICS, not GUARDS_ATOMICS, False]
    for found in listings:
        assert [release.stage for release in found.releases] == ["ptx", "sass"]
        for release in found.releases:
            lines = found.stages[release.stage].lines
            assert ("exch" if release.stage == "ptx" else "EXCH") in lines[release.exchange]
            assert found.stack(release.stage, release.exchange)[-1][0] == LOCKED
    for found in listings[1:3]:
        for release in found.releases:
            stored = {found.stack(release.stage, line)[0][1] for line in release.unguarded}
            assert {
                found.stages["source"]
                .lines[found.line_of_source(LOCKED, line)]
                .split("(")[0]
                .strip()
                for line in stored
            } == ({"tl.store"} if found.faulty else set())


def test_where_no_lock_is_given_back_there_is_nothing_to_rule(listing) -> None:
    for case in ("persistent", "atomic"):
        assert listing(case, "backward_stage1").releases == ()
    assert listing("locked", "forward").releases == ()


@pytest.mark.parametrize(
    ("between", "unguarded"),
    [
        (["\tst.global.b32 [%rd2], %r2;", "\tbar.sync \t0;"], 0),
        (["\tst.global.b32 [%rd2], %r2;"], 1),
        (["\tst.global.b32 [%rd2], %r2;", "\t@%p2 bar.sync \t0;"], 1),
        (["\tst.global.b32 [%rd2], %r2;", "\tbar.sync \t0, 64;"], 1),
        (["\tbar.sync \t0;", "\tst.global.b32 [%rd2], %r2;"], 1),
        (
            [
                "\t@%p2 bra $L__BB0_2;",
                "\tst.global.b32 [%rd2], %r2;",
                "\tbar.sync \t0;",
                "$L__BB0_2:",
            ],
            0,
        ),
        (
            [
                "\tst.global.b32 [%rd2], %r2;",
                "\t@%p2 bra $L__BB0_2;",
                "\tbar.sync \t0;",
                "$L__BB0_2:",
            ],
            1,
        ),
        (["\tst.shared.b32 [%rd2], %r2;"], 0),
    ],
)
def test_every_path_to_the_exchange_needs_a_barrier_of_the_whole_block(
    between: list[str], unguarded: int
) -> None:
    lock = [
        "\tst.global.b32 [%rd9], %r9;",
        "$L__BB0_1:",
        "\tatom.global.acq_rel.gpu.cas.b32 %r1, [%rd1], 0, 1;",
    ]
    lines = [
        *lock,
        "\t@%p1 bra $L__BB0_1;",
        *between,
        "\t@%p3 atom.global.gpu.acq_rel.exch.b32 %r5, [%rd1], 0;",
        "\tret;",
    ]
    (release,) = releases(lines, "ptx")
    assert len(release.unguarded) == unguarded, (
        "and what is stored before the lock is taken needs none"
    )


def test_live_registers_stay_below_those_that_a_thread_is_given(listing) -> None:
    found = listing("locked", STAGE1)
    assert found.live is not None
    assert len(found.live.at) == len(found.stages["sass"].lines)
    assert found.live.at.max() == found.live.peak <= found.facts.registers
    assert found.live.peak > found.facts.registers // 2
    if found.live.same:
        code = [
            number for number, line in enumerate(found.stages["sass"].lines) if is_instruction(line)
        ]
        assert (found.live.at[code] >= 0).all()
    assert listing("odd", FORWARD).live is None, "it was not asked for"


def test_live_registers_of_other_code_are_given_where_the_lines_agree() -> None:
    sass = [
        "/*0000*/        MOV R1, R2 ;",
        "/*0010*/        FADD R1, |R0|, R2 ;",
        "/*0020*/        EXIT ;",
    ]
    other = "\n".join(
        f"        {line}  // |   {count}  |  1  |"
        for line, count in zip([sass[0], sass[2]], (3, 2), strict=True)
    )
    found = read_live(other, sass)
    assert found is not None
    assert (found.at.tolist(), found.peak, found.same) == ([3, -1, 2], 3, False)
    assert read_live("", sass) is None


def test_a_kernel_that_does_not_compile_is_told_with_its_line() -> None:
    with pytest.raises(CompileError, match=r"^locked\.py:\d+: CompilationError: .*power of 2"):
        facts_in_own_process(asked(block_size_n=3))


def test_what_the_assembler_refuses_is_told_in_its_words() -> None:
    with pytest.raises(CompileError, match=r"^(ptxas|.* LLVM ERROR): .*sm_88"):
        facts_in_own_process(asked(n=128, architecture="sm_88"))


def test_ptx_names_its_callers_in_the_words_of_either_triton() -> None:
    head = '\t.file\t1 "/lib/lnkernels/passes/locked.py"\n\t.loc\t1 285 17 // locked.py:285:17\n'
    place = "\t.loc\t1 62 11"
    code = "\n\tmov.b32 \t%r1, 1;\n"
    older = f"{head}{place} // locked.py:62:11 @[ locked.py:285:17 ]{code}"
    newer = f"{head}{place}, function_name $L__info_string0, inlined_at 1 285 17 // locked.py:62:11{code}"
    wanted = ((LOCKED, 62), (LOCKED, 285))
    for text in (older, newer):
        read, _ = read_ptx(text)
        assert dict(read)["\tmov.b32 \t%r1, 1;"] == wanted
    # The lines of assembler that the source gives as a text are none of the source's.
    inline = f"{newer}\t// begin inline asm\n\t.loc\t1 63 11\n\tcreatepolicy.b64 %rd8, 1.0;\n"
    assert read_ptx(inline)[0][-1][1] == wanted
