"""Measures how often sums are wrong with the barrier left out, with a plain count, too, and with
the barrier put back, in turns.

Every x and dy is 1 or −1, mean is 0 and rstd is 1, so each row adds 1 or −1 to every column of dw
and db. Such sums are exact in whatever order they are added, and one that differs by a bit has lost
a row, or counted one twice. Times do not depend on the values, so the race is the one of any other
input.
"""

import time
from dataclasses import dataclass, field, replace

import torch

from lnexplorer.domain.experiments.barrier import Barriers, BarrierSide, WrongSum
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.trace import Backward, interruptible
from lnkernels.check.inputs import Inputs
from lnkernels.values import say

PART_SECONDS = 1.0  # at least between two findings that are told
BATCH_RUNS = 50  # compared together, and between two looks at whether to stop
SHOWN_WRONG = 12  # elements that are named, of one side
# Barrier and atomic count.
SIDES = {"left_out": (False, True), "plain_count": (False, False), "put_back": (True, True)}


@dataclass(slots=True)
class _Tally:
    columns: int
    device: torch.device
    runs: int = 0
    wrong_runs: int = 0
    first: list[WrongSum] = field(default_factory=list)
    wrong: dict[str, torch.Tensor] = field(init=False)

    def __post_init__(self) -> None:
        self.wrong = {
            name: torch.zeros(self.columns, dtype=torch.int64, device=self.device)
            for name in ("dw", "db")
        }

    def add(self, results: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
        """Count a batch: results [runs, N] of dw and db."""
        unlike = {name: results[name].double() != expected[name] for name in results}
        bad = unlike["dw"].any(dim=1) | unlike["db"].any(dim=1)
        for name, where in unlike.items():
            self.wrong[name] += where.sum(dim=0)
        self.wrong_runs += int(bad.sum())
        for run in bad.nonzero().flatten().tolist():
            for name, where in unlike.items():
                for column in where[run].nonzero().flatten().tolist():
                    if len(self.first) < SHOWN_WRONG:
                        error = float(results[name][run, column].double() - expected[name][column])
                        self.first.append(
                            WrongSum(run=self.runs + run, result=name, column=column, error=error)
                        )
        self.runs += bad.numel()

    def side(self, *, barrier: bool, atomic_count: bool) -> BarrierSide:
        return BarrierSide(
            barrier=barrier,
            atomic_count=atomic_count,
            runs=self.runs,
            wrong_runs=self.wrong_runs,
            wrong_dw=self.wrong["dw"].cpu().numpy(),
            wrong_db=self.wrong["db"].cpu().numpy(),
            first=tuple(self.first),
        )


def measure(work: Work) -> Barriers:
    """Count the runs with wrong sums on each side, and tell the counts between two batches."""
    task, resolved, device = work.task, work.resolved, work.torch_device
    inputs, expected = ones(resolved, device)
    mean, rstd = torch.zeros(resolved.m, device=device), torch.ones(resolved.m, device=device)
    tallies = {name: _Tally(resolved.n, device) for name in SIDES}
    passes = {
        name: Backward(
            inputs, mean, rstd, replace(resolved.launch, barrier=barrier, atomic_count=atomic)
        )
        for name, (barrier, atomic) in SIDES.items()
    }

    def counted() -> Barriers:
        left_out, plain_count, put_back = (
            tallies[name].side(barrier=barrier, atomic_count=atomic)
            for name, (barrier, atomic) in SIDES.items()
        )
        return Barriers(left_out=left_out, plain_count=plain_count, put_back=put_back)

    task.begin("run")
    # Each batch is a step, and a run of the interpreter may take seconds.
    together = BATCH_RUNS if work.on_gpu else 1
    last_told = time.monotonic()
    for start in range(0, work.runs, together):
        batch = min(together, work.runs - start)
        for place, (name, tally) in enumerate(tallies.items()):
            done = len(SIDES) * start + place * batch
            task.step(say("runs"), done, len(SIDES) * work.runs)
            shape = (batch, resolved.n)
            results = {
                name: torch.full(shape, torch.nan, dtype=inputs.x.dtype, device=device)
                for name in ("dw", "db")
            }
            with interruptible(task, device):
                for run in range(batch):
                    passes[name](results["dw"][run], results["db"][run])
                if work.on_gpu:
                    torch.cuda.synchronize(device)
            tally.add(results, expected)
        if time.monotonic() - last_told >= PART_SECONDS:
            last_told = time.monotonic()
            work.tell(counted())
    return counted()


def ones(resolved: ResolvedRequest, device: torch.device) -> tuple[Inputs, dict[str, torch.Tensor]]:
    """Return inputs of ones of both signs, and the exact dw and db [N] in float64.

    The sums are rounded once to the type of the results.
    """
    generator = torch.Generator(device).manual_seed(resolved.seed)
    shape = (resolved.m, resolved.n)
    dtype: torch.dtype = getattr(torch, resolved.dtype)

    def signs() -> torch.Tensor:
        return torch.randint(2, shape, device=device, generator=generator).mul_(2).sub_(1).to(dtype)

    x, dy = signs(), signs()
    weight, bias = (torch.ones(resolved.n, dtype=dtype, device=device) for _ in range(2))
    sums = {
        "dw": (x * dy).sum(dim=0, dtype=torch.float64),
        "db": dy.sum(dim=0, dtype=torch.float64),
    }
    return Inputs(x, weight, bias, dy), {
        name: total.to(dtype).double() for name, total in sums.items()
    }
