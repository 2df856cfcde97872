"""A thread loads at once what lies together in every row, up to 16 bytes."""

import re

import pytest

from lnkernels.compiled.facts import facts_in_own_process
from lnkernels.language.device_functions import common_step
from tests.lnkernels.test_compiled import compile_request


@pytest.fixture(scope="module")
def loads() -> dict[str, list[list[int]]]:
    """Counts of each kernel's loads, plain and asynchronous, and of those of 16 bytes, for rows of
    1024, 1000 and 1001 elements.
    """
    stage1 = "backward_stage1"
    kinds = (("persistent", ("forward", stage1)), ("split", (stage1,)))
    found: dict[str, list[list[int]]] = {}
    for facts in facts_in_own_process(
        *(
            compile_request(4096, n, strategy=strategy, stages=("ptx",), kernels=kernels)
            for n in (1024, 1000, 1001)
            for strategy, kernels in kinds
        )
    ):
        text = facts.texts["ptx"]
        counts = [
            len(re.findall(kind, text))
            for kind in (r"ld\.global|cp\.async\.c[ag]", r"ld\.global[.\w:]*\.v4|cp\.async\.cg")
        ]
        found.setdefault(re.findall(r"\.entry (\w+)", text)[0], []).append(counts)
    return found


@pytest.mark.parametrize("kernel", ["whole_rows_kernel", "rows_kernel"])
def test_rows_of_1000_elements_are_loaded_as_those_of_1024_are(
    kernel: str, loads: dict[str, list[list[int]]]
) -> None:
    power_of_two, multiple_of_8, odd = loads[kernel]
    assert multiple_of_8 == power_of_two
    assert odd[1] < odd[0]  # some are of elements alone: no 16 bytes of two rows lie alike


def test_slices_of_rows_of_1000_elements_are_loaded_16_bytes_at_once(
    loads: dict[str, list[list[int]]],
) -> None:
    _, multiple_of_8, odd = loads["split_kernel"]
    assert multiple_of_8[1] > 0
    assert multiple_of_8[0] < odd[0]


@pytest.mark.parametrize(
    ("counts", "step"),
    [
        ((1024, 1024), 1),  # Triton sees a multiple of 16
        ((1000, 1000), 8),
        ((1024, 1000), 8),  # rows that are padded: the numbers together
        ((1000, 1024), 8),
        ((1004, 1004), 4),
        ((1002, 1004), 2),
        ((1001, 1024), 1),
        ((1000, 0), 8),  # a dy of one row for all
        ((8, 8), 8),
        ((1, 1), 1),
    ],
)
def test_the_step_divides_all_counts(counts: tuple[int, ...], step: int) -> None:
    assert common_step(*counts) == step
    assert all(count % step == 0 for count in counts)
