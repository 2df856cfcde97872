"""What the compiler makes of every kernel, for three architectures, on whatever machine this is."""

import json
import os
import subprocess
import sys

import pytest

from lnkernels.compiled import CompileError, CompileRequest, facts_in_own_process
from lnkernels.compiled.facts import facts_from_json, resource_usage
from lnkernels.launch import LaunchWish, grids, limits_for_architecture, occupancy, resolve_launch

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")


def request(m=64, n=512, dtype="float16", architecture="sm_90", stages=(), wished=None, **rest):
    launch = resolve_launch(n, dtype, LaunchWish(**(wished or {})))
    return CompileRequest(m=m, n=n, dtype=dtype, launch=launch, architecture=architecture, stages=stages, **rest)


# Everything that changes which code a kernel is made of, at least once.
VARIANTS = {
    "default": {},
    "wide": {"m": 4096, "n": 8192},
    "not a power of two": {"m": 7, "n": 1000},
    "one column": {"m": 1, "n": 1},
    "bfloat16, narrow partial sums": {"dtype": "bfloat16", "wished": {"partial_dtype": "same"}},
    "float32, no barrier": {"dtype": "float32", "wished": {"barrier": False}},
    "weight and bias in float32": {"weight_dtype": "float32"},
    "no weight": {"with_weight": False},
    "no bias": {"with_bias": False},
}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_kernel_compiles(architecture):
    facts = facts_in_own_process(*(request(architecture=architecture, **variant) for variant in VARIANTS.values()))
    assert [fact.name for fact in facts] == ["forward", "backward_stage1", "backward_stage2"] * len(VARIANTS)
    for fact in facts:
        assert fact.architecture == architecture
        assert 0 < fact.registers <= 255
        assert fact.spill_bytes == 0
        assert fact.occupancy == occupancy(
            limits_for_architecture(architecture), fact.registers, fact.num_warps, fact.shared_bytes
        )


def test_grids_and_warps_are_those_of_the_launch():
    wanted = request(m=4096, n=8192)
    facts = {fact.name: fact for fact in facts_in_own_process(wanted)}
    assert {name: fact.grid for name, fact in facts.items()} == grids(4096, 8192, wanted.launch)
    assert facts["forward"].num_warps == facts["backward_stage1"].num_warps == wanted.launch.num_warps
    assert facts["backward_stage2"].num_warps == wanted.launch.reduce_num_warps


def test_without_weight_and_bias_there_is_no_second_stage():
    facts = facts_in_own_process(request(with_weight=False, with_bias=False))
    assert [fact.name for fact in facts] == ["forward", "backward_stage1"]


def test_an_architecture_that_no_card_is_known_of_compiles_without_an_occupancy():
    facts = facts_in_own_process(request(architecture="sm_103"))
    assert [fact.occupancy for fact in facts] == [None] * 3
    assert all(fact.registers for fact in facts)


def test_texts_are_given_when_asked_for():
    stages = ("ttir", "ttgir", "llir", "ptx", "sass")
    marks = ("tt.func public", "ttg.num-warps", "define", ".target sm_90", "EXIT")
    for fact in facts_in_own_process(request(stages=stages)):
        assert tuple(fact.texts) == stages
        assert all(mark in text for mark, text in zip(marks, fact.texts.values(), strict=True))


def test_the_barrier_is_in_the_assembly_only_where_it_is_wanted():
    with_barrier, without = (
        {fact.name: fact.texts["ptx"] for fact in facts_in_own_process(request(stages=("ptx",), wished={"barrier": b}))}
        for b in (True, False)
    )
    stage1 = "backward_stage1"
    assert with_barrier[stage1].count("bar.sync") > without[stage1].count("bar.sync")
    assert with_barrier["forward"] == without["forward"]


def test_more_warps_than_an_sm_has_threads_for_lower_the_occupancy():
    few, many = (facts_in_own_process(request(m=64, n=8192, wished={"num_warps": warps}))[1].occupancy for warps in (4, 32))
    assert many.programs_per_sm < few.programs_per_sm


def test_compiling_is_refused_where_the_interpreter_is_bound():
    script = (
        "from lnkernels.compiled import CompileRequest\n"
        "from lnkernels.compiled.offline import compile_kernels\n"
        "from lnkernels.launch import resolve_launch\n"
        "launch = resolve_launch(64, 'float16')\n"
        "request = CompileRequest(m=4, n=64, dtype='float16', launch=launch, architecture='sm_90')\n"
        "try:\n    compile_kernels(request)\nexcept RuntimeError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert "TRITON_INTERPRET" in ran.stdout


def test_torch_is_not_imported_to_compile():
    script = (
        "import sys, lnkernels.compiled.offline, lnkernels.forward, lnkernels.strategies.locked; print('torch' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (request(architecture="gfx942"), "architecture = 'gfx942'"),
        (request(architecture="sm_12345"), "architecture = 'sm_12345'"),
        (request(stages=("cubin",)), "stages = cubin"),
        (request(wished={"block_size_n": 3}), "power of 2"),
    ],
)
def test_a_request_that_cannot_be_compiled_ends_in_one_sentence(wanted, message):
    with pytest.raises(CompileError, match=message):
        facts_in_own_process(wanted)


def test_a_compiler_that_takes_too_long_is_ended():
    with pytest.raises(CompileError, match=r"took longer than 0\.01 s"):
        facts_in_own_process(request(), timeout=0.01)


def test_a_request_survives_the_way_to_the_other_process():
    wanted = request(stages=("ptx", "sass"), weight_dtype="float32")
    assert CompileRequest.from_json(json.loads(json.dumps(wanted.to_json()))) == wanted


@pytest.mark.parametrize("change", [{"launch": {}}, {"colour": "green"}])
def test_a_malformed_request_is_a_value_error(change):
    with pytest.raises(ValueError, match="incomplete or has an unknown field"):
        CompileRequest.from_json({**request().to_json(), **change})


def test_facts_survive_the_way_back():
    (fact, *_) = facts_in_own_process(request())
    document = {
        "name": fact.name,
        "architecture": fact.architecture,
        "grid": list(fact.grid),
        "num_warps": fact.num_warps,
        "registers": fact.registers,
        "spill_bytes": fact.spill_bytes,
        "shared_bytes": fact.shared_bytes,
        "occupancy": {
            "programs_per_sm": fact.occupancy.programs_per_sm,
            "limited_by": fact.occupancy.limited_by,
            "share_of_warps": fact.occupancy.share_of_warps,
        },
        "texts": {},
    }
    assert facts_from_json(json.loads(json.dumps(document))) == fact


def test_registers_and_stack_are_read_from_the_listing():
    listing = "Resource usage:\n Function k:\n  REG:128 STACK:256 SHARED:0 LOCAL:0 CONSTANT[0]:600 TEXTURE:0\n"
    assert resource_usage(listing) == (128, 256)


def test_a_listing_without_usage_is_shown_in_the_message():
    with pytest.raises(ValueError, match="cuobjdump fatal"):
        resource_usage("cuobjdump fatal : no such file\n")
