"""The kernels of the strategies without locks compile for three architectures, with the settings that each would get."""

import pytest

from lnkernels.compiled import CompileRequest, facts_in_own_process
from lnkernels.launch import LaunchWish, grids, limits_for_architecture, resolve_launch
from lnkernels.values.compiled import KernelFacts

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
# Whole rows and rows in steps, sums of both kinds, one slice and many.
CASES = (
    ("persistent", 4096, "bfloat16"),
    ("persistent", 500, "float16"),
    ("atomic", 1024, "float16"),
    ("auto", 5120, "float16"),
    ("split", 10752, "bfloat16"),
    ("auto", 65536, "float32"),
)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_kernel_compiles_fits_an_sm_and_has_the_grid_that_was_foretold(architecture: str) -> None:
    limits = limits_for_architecture(architecture)
    requests = [
        CompileRequest(
            m=256,
            n=n,
            dtype=dtype,
            launch=resolve_launch(n, dtype, LaunchWish(strategy=strategy), limits),
            architecture=architecture,
        )
        for strategy, n, dtype in CASES
    ]
    found = iter(facts_in_own_process(*requests, timeout=240))
    for request in requests:
        facts: dict[str, KernelFacts] = {name: next(found) for name in ("forward", "backward_stage1", "backward_stage2")}
        assert {name: fact.name for name, fact in facts.items()} == {name: name for name in facts}
        assert {name: fact.grid for name, fact in facts.items()} == grids(request.m, request.n, request.launch)
        for name, fact in facts.items():
            what = (request.launch.strategy, request.n, name)
            assert fact.spill_bytes <= 64, what
            assert fact.occupancy is not None
            # The programs of a split row wait for each other, so an SM has to take at least one.
            assert fact.occupancy.programs_per_sm >= max(1, request.launch.programs_per_sm * (name == "backward_stage1")), what
    assert next(found, None) is None
