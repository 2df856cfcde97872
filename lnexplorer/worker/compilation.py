"""Compile settings ahead of their launches, those of a job and those that may come, in processes
beside this one.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from lnexplorer.domain.request import RunRequest, plan_run
from lnexplorer.worker.device import free_memory_bytes
from lnkernels.compiled.launches import (
    RecordedLaunch,
    instruction_count,
    missing,
    recorded,
    settle_keys,
)
from lnkernels.compiled.process_pool import CompilerPool, usual_processes
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import occupancy, split_norm
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Case, Provider
from lnkernels.triton_internals import load
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device

# Looking at what a setting launches takes some ms of this process: so much at a time, between the
# steps of a job.
TOP_UP_SECONDS = 0.02
# For compilers to finish before the autograd path is timed, less than a step may take.
QUIET_SECONDS = 20.0


class Compilation:
    """Triton's compiler, ahead of the launches where there is a GPU."""

    def __init__(
        self, torch_device: torch.device, device: Device, ahead: CompilerPool | None = None
    ) -> None:
        """Compile for `device`, in the processes of `ahead` where those are there already."""
        self._torch_device = torch_device
        self._device = device
        self._asked: Sequence[RunRequest] = ()
        self._later: deque[RunRequest] = deque()
        self._ahead: CompilerPool | None = None
        self._quiet = False
        if not IS_INTERPRETED:
            self._ahead = ahead or CompilerPool()
            self._ahead.allow(usual_processes(torch.cuda.device_count()))
            settle_keys()

    @property
    def busy(self) -> bool:
        """True while settings wait that were not looked at yet."""
        return bool(self._later)

    def later(self, requests: Sequence[RunRequest]) -> None:
        """Compile these when there is time, in place of what was asked for before."""
        if self._ahead is not None and requests != self._asked:
            self._ahead.forget()
            self._asked = requests
            self._later = deque(requests)

    def top_up(self) -> None:
        """Keep the processes busy with what is to come later; takes little time."""
        if self._ahead is None or self._quiet:
            return
        began = time.monotonic()
        while self._later and self._ahead.has_room and time.monotonic() - began < TOP_UP_SECONDS:
            self._look_at(self._later.popleft())

    @contextmanager
    def quiet(
        self, check_in: Callable[[], None], wait_seconds: float = QUIET_SECONDS
    ) -> Iterator[None]:
        """Begin to compile nothing meanwhile, and wait before until what was begun is done.

        Python's part of a call takes up to twice as long beside processes that compile: on an
        H200's host, PyTorch's backward call 54 µs alone and 80 to 100 µs beside them.

        Args:
            check_in: called while others are waited for; may raise.
            wait_seconds: how long they are waited for at most.
        """
        if self._ahead is None:
            yield
            return
        self._quiet = True
        try:
            self._ahead.hold(wait_seconds, check_in)
            yield
        finally:
            self._quiet = False
            self._ahead.release()

    def begin(self, providers: Sequence[Provider], case: Case) -> None:
        """Compile what these will launch next, before all that waits."""
        if self._ahead is None:
            return
        kernels = []
        for provider in providers:
            try:
                kernels += missing(self._launches(provider, case))
            except Exception:  # noqa: BLE001  it comes up again when the candidate is checked
                continue
        self._ahead.want(kernels, first=True)

    def finish(
        self, provider: Provider, case: Case, check_in: Callable[[], None] | None = None
    ) -> tuple[KernelFacts, ...]:
        """Have the kernels of a setting compiled and loaded, and return the compiler's facts of
        each.

        Raises:
            Exception: whatever the compiler, the loader or the launcher says against it.
        """
        if self._ahead is None:
            return ()

        def while_waiting() -> None:
            if check_in is not None:
                check_in()
            self.top_up()

        facts: dict[str, KernelFacts] = {}
        for launch in self._launches(provider, case):
            self._ahead.settle(missing([launch]), while_waiting)
            fact = self._fact(launch, load(launch.compile()))
            facts[fact.name] = fact
        return tuple(facts.values())

    def close(self) -> None:
        if self._ahead is not None:
            self._ahead.close()

    def _launches(self, provider: Provider, case: Case) -> list[RecordedLaunch]:
        return recorded(lambda: (provider.forward(case)(), provider.backward(case)()))

    def _look_at(self, request: RunRequest) -> None:
        assert self._ahead is not None, "there is a compiler"
        free = free_memory_bytes(self._torch_device)
        plan = plan_run(request, self._device.backend, self._device.limits, free)
        if plan.problems:
            return
        resolved = plan.resolved
        dtype = getattr(torch, resolved.dtype)
        try:
            matrix = torch.empty((resolved.m, resolved.n), dtype=dtype, device=self._torch_device)
            vector = torch.empty(resolved.n, dtype=dtype, device=self._torch_device)
            case = Case(
                x=matrix,
                weight=vector,
                bias=vector,
                dy=matrix,
                eps=resolved.eps,
                launch=resolved.launch,
                norm=split_norm(resolved.norm)[0],
            )
            self._ahead.want(missing(self._launches(Own(resolved.launch.strategy), case)))
        except Exception:  # noqa: BLE001  nobody waits for this; it comes up again when the setting is run
            return

    def _fact(self, launch: RecordedLaunch, kernel: Any) -> KernelFacts:
        metadata = kernel.metadata
        return KernelFacts(
            name=launch.name,
            architecture=self._device.limits.architecture,
            grid=launch.grid,
            num_warps=metadata.num_warps,
            registers=kernel.n_regs,
            spill_bytes=4 * kernel.n_spills,  # Triton counts spilled registers of 4 bytes
            shared_bytes=metadata.shared,
            occupancy=occupancy(
                self._device.limits, kernel.n_regs, metadata.num_warps, metadata.shared
            ),
            instructions=instruction_count(kernel.asm["cubin"]),
        )
