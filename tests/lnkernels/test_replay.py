"""A recorded call is launched again with the addresses of other tensors, and a workspace of its
own.
"""

from contextvars import copy_context
from typing import Any

import pytest
import torch
import triton
from triton.backends.nvidia.driver import CudaLauncher

from lnkernels import layer_norm
from lnkernels.call.replay import CannotReplayError, Replay
from lnkernels.language.launching import Filled, Launched, launch_kernel
from lnkernels.triton_internals import StandInDriver, driver, repeatable, target_of


class Compiled:
    """In place of a compiled kernel: keeps what it is launched with."""

    function = 7
    packed_metadata = "metadata"

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.run: Any = lambda *args: self.calls.append(args)
        self.run.global_scratch_size = 1


def launched(compiled: Compiled, *args: Any, **constants: Any) -> Launched:
    names = [f"argument{index}" for index in range(len(args))] + [
        name for name in constants if name != "num_warps"
    ]
    return Launched(compiled, names, (3, 2), args, constants)


@pytest.fixture
def on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams and the current device of tensors on the CPU."""
    monkeypatch.setattr("lnkernels.call.replay._raw_stream", lambda _: 0)
    monkeypatch.setattr("lnkernels.call.replay._current_device", lambda: -1)


@pytest.mark.usefixtures("on_the_cpu")
def test_a_workspace_is_new_in_each_replay_apart_and_filled() -> None:
    compiled, x = Compiled(), torch.zeros(4)
    words, sums = torch.empty(3, dtype=torch.int64), torch.empty(5)
    steps: list[Launched | Filled] = [Filled(words, -1), launched(compiled, x, words, sums)]
    replay = Replay(steps, (x,))
    for _ in range(2):
        assert replay((x,))
        *_, address, first, second = compiled.calls[-1]
        assert address == x.data_ptr()
        assert second - first >= words.numel() * words.element_size()
        assert first % 16 == second % 16 == 0


def test_views_of_given_tensors_and_parts_of_the_workspace_are_refused() -> None:
    compiled, x, scratch = Compiled(), torch.zeros(8), torch.zeros(8)
    for steps in (
        [launched(compiled, x.view(2, 4))],
        [launched(compiled, x[4:])],
        [Filled(x, 0), launched(compiled, x)],
        [Filled(scratch, 0), launched(compiled, scratch[4:])],
        [Filled(scratch[:4], 0), launched(compiled, scratch)],
        [launched(compiled, scratch[::2])],
    ):
        with pytest.raises(CannotReplayError):
            Replay(steps, (x, None))
    Replay([Filled(scratch[:4], 0), launched(compiled, scratch[:4], scratch[4:])], (x,))


def test_a_call_that_cannot_be_repeated_is_made_anew_each_time(
    kernels: list[Compiled], monkeypatch: pytest.MonkeyPatch
) -> None:
    def launch(
        kernel: Any, grid: tuple[int, ...], x: torch.Tensor, *args: Any, **constants: Any
    ) -> None:
        launch_kernel(kernel, grid, x[:], *args, **constants)

    monkeypatch.setattr("lnkernels.passes.forward.launch_kernel", launch)
    for _ in range(2):
        x = torch.randn(4, 32)
        torch.testing.assert_close(layer_norm(x, (32,)), torch.nn.functional.layer_norm(x, (32,)))
    assert not any(each.calls for each in kernels)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch, on_the_cpu: None) -> list[Compiled]:
    """Stand-ins for the kernels of each replay, newest last."""
    monkeypatch.setattr("lnkernels.call.known_calls.can_replay", lambda: True)
    kernels: list[Compiled] = []

    def with_stand_in(self: Replay, steps: list[Launched | Filled], given: Any) -> None:
        compiled = Compiled()
        kernels.append(compiled)
        fakes = [
            s if isinstance(s, Filled) else Launched(compiled, s.names, s.grid, s.args, s.constants)
            for s in steps
        ]
        real(self, fakes, given)

    real = Replay.__init__
    monkeypatch.setattr(Replay, "__init__", with_stand_in)
    monkeypatch.setattr("lnkernels.call.known_calls.CALLS", {})
    return kernels


def test_a_call_that_is_given_one_tensor_twice_is_no_pattern_for_others(
    kernels: list[Compiled],
) -> None:
    x, same = torch.randn(4, 32), torch.rand(32)
    layer_norm(x, (32,), same, same)
    assert kernels == []
    for _ in range(2):
        weight, bias = torch.rand(32), torch.rand(32)
        layer_norm(x, (32,), weight, bias)
    (call,) = kernels[-1].calls
    assert {weight.data_ptr(), bias.data_ptr()} <= set(call)


def test_a_pass_that_is_noted_can_be_repeated_for_other_tensors(kernels: list[Compiled]) -> None:
    """The launchers use nothing that a replay would miss: every tensor is given, or is filled, or
    is scratch.
    """
    for strategy in ("locked", "persistent", "split", "atomic"):
        for _ in range(2):
            x = torch.randn(4, 32, requires_grad=True)
            weight, bias = torch.rand(32, requires_grad=True), torch.rand(32, requires_grad=True)
            layer_norm(x, (32,), weight, bias, launch=strategy).backward(torch.rand(4, 32))
        forward, backward = kernels[-2:]
        assert len(forward.calls) == 1
        assert x.data_ptr() in forward.calls[0]
        assert backward.calls
        addresses = [value for call in backward.calls for value in call]
        assert {x.data_ptr(), weight.data_ptr()} <= set(addresses)


@pytest.mark.parametrize("m", [3, 4])
def test_mean_and_rstd_are_in_one_tensor_but_for_operators(kernels: list[Compiled], m: int) -> None:
    """Calls of both are of one kind, and repeat each other's launches."""
    x, dy, operators = torch.randn(m, 32), torch.rand(m, 32), torch.ops.lnkernels

    def last_two(compiled: Compiled) -> tuple[int, ...]:
        """Of the pointers x, weight, bias, y, mean and rstd, or x, dy, dx, weight, mean and rstd"""
        call = compiled.calls[-1]
        return call[call.index(x.data_ptr()) :][4:6]

    for _ in range(2):
        y = layer_norm(x.requires_grad_(), (32,), launch="auto")
        in_one = last_two(kernels[0]) if kernels[0].calls else None
        y.backward(dy)
        given = x.detach(), [32], None, None
        _, mean, rstd = operators.layer_norm_forward(*given, 1e-5, "auto")
        assert last_two(kernels[0]) == (mean.data_ptr(), rstd.data_ptr())
        wanted = "auto", [True, False, False]
        operators.layer_norm_backward(dy, *given, mean, rstd, 1e-5, *wanted)
    _, *backward = kernels
    assert in_one is not None
    assert in_one[1] - in_one[0] == 16  # bytes, of which an address is a multiple
    assert [last_two(each) for each in backward] == [in_one, (mean.data_ptr(), rstd.data_ptr())]


# From Triton 3.7 on its launches take the kernel's arguments as one tuple, beside their kinds.
KINDS = {"arg_annotations", "kernel_signature"} & {*CudaLauncher.__init__.__code__.co_names}


@pytest.mark.parametrize("scratch", [0, 64])
def test_a_repeated_launch_hands_on_what_triton_s_own_does(scratch: int) -> None:
    handed: list[tuple[Any, ...]] = []
    run = CudaLauncher.__new__(CudaLauncher)
    vars(run).update(
        {kind: kind for kind in KINDS},
        launch=lambda *args: handed.append(args),
        launch_cooperative_grid=False,
        launch_pdl=True,
        num_ctas=1,
        gsan_enabled=False,
        global_scratch_size=scratch,
        global_scratch_align=1,
        profile_scratch_size=0,
        profile_scratch_align=1,
    )
    compiled = Compiled()
    compiled.run = run

    def launch_both() -> None:
        triton.set_allocator(lambda *_: "memory")
        launch, between, as_one = repeatable(compiled)
        launch(3, 2, 1, "stream", *between, *([(4, 5)] if as_one else (4, 5)))
        run(3, 2, 1, "stream", 7, "metadata", None, None, None, 4, 5)
        assert (launch is run) == bool(scratch)

    with driver(StandInDriver(target_of(90))):
        copy_context().run(launch_both)  # which forgets the allocator
    assert handed[0] == handed[1]
    assert ("memory" in handed[0]) == bool(scratch)
