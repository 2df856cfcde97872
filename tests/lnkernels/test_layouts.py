"""Layouts of elements and threads, checked by hand where the numbers are small."""

import numpy as np
import pytest

from lnkernels.values.layouts import LaidOut, LayoutError, banks, element_bytes, placement, tensors

BLOCKED = "blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>"
TILE = (
    "blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1,"
    " 0]}>"
)


def test_a_row_goes_over_threads_then_warps_then_begins_again() -> None:
    held = placement(BLOCKED, (256,))
    assert list(held.thread[:6]) == [0, 0, 1, 1, 2, 2]
    assert list(held.register[:4]) == [0, 1, 0, 1]
    assert (held.warp[63], held.warp[64], held.warp[127], held.warp[128]) == (0, 1, 1, 0)
    assert (held.register[128], held.register[129], held.copies) == (2, 3, 1)


def test_a_tile_has_its_rows_on_other_threads_and_warps() -> None:
    held = placement(TILE, (8, 16))
    assert (held.thread[0, 2], held.thread[1, 0], held.warp[3, 0], held.warp[4, 0]) == (1, 8, 0, 1)
    assert held.register[0, 1] == 1


@pytest.mark.parametrize(
    ("encoding", "shape"),
    [
        (BLOCKED, (1024,)),
        (TILE, (32, 64)),
        (f"slice<{{dim = 1, parent = {TILE}}}>", (32,)),
        (TILE, (1, 16)),
    ],
)
def test_no_two_elements_share_a_register_of_a_thread_and_none_is_left_out(
    encoding: str, shape: tuple[int, ...]
) -> None:
    held = placement(encoding, shape)
    registers = held.register.max() + 1
    owners = {
        *zip(
            held.warp.ravel().tolist(),
            held.thread.ravel().tolist(),
            held.register.ravel().tolist(),
            strict=True,
        )
    }
    assert len(owners) == np.prod(shape)
    assert registers * 64 == np.prod(shape) * held.copies


def test_linear_layouts_follow_their_vectors() -> None:
    written = (
        (
            "linear<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [[128]],"
            " block = []}>"
        ),
        (
            "linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp ="
            " [[4, 0]], block = []}>"
        ),
    )
    held = placement(written[0], (256,))
    assert (held.thread[2], held.register[1], held.register[64], held.warp[128]) == (1, 1, 2, 1)
    assert (placement(written[1], (8, 16)).thread == placement(TILE, (8, 16)).thread).all()


def test_swizzled_rows_begin_in_other_banks() -> None:
    written = "swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>"
    found = banks(LaidOut(0, "a", (4, 8), "f32", written))
    assert list(found[0]) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert list(found[1]) == [10, 11, 8, 9, 14, 15, 12, 13]
    assert sorted(found.ravel()) == list(range(32)), "a warp finds every bank once"


def test_tensors_have_their_encodings_written_out() -> None:
    text = [
        f"#blocked = #ttg.{TILE}",
        "  %rows = tt.make_range : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>",
        "  %x_1:2 = tt.load %p, %m : tensor<8x16x!tt.ptr<f16>, #blocked>",
        "  tt.store %p, %v : tensor<8x16x!tt.ptr<f16>, #blocked>",
    ]
    found = tensors(text)
    assert [(one.name, one.shape, element_bytes(one.element)) for one in found] == [
        ("rows", (32,), 4),
        ("x_1", (8, 16), 2),
        ("", (8, 16), 2),
    ]
    assert found[0].encoding == f"slice<{{dim = 1, parent = {TILE}}}>"


@pytest.mark.parametrize(
    ("encoding", "shape", "why"),
    [
        ("nvidia_mma<{versionMajor = 3}>", (8, 8), "nvidia_mma"),
        ("blocked<{threadsPerWarp = [32]}>", (8,), "sizePerThread"),
        (BLOCKED, (1 << 21,), "too large"),
    ],
)
def test_what_cannot_be_drawn_is_said(encoding: str, shape: tuple[int, ...], why: str) -> None:
    with pytest.raises(LayoutError, match=why) as found:
        placement(encoding, shape)
    assert str(found.value.sentence) == str(found.value)
