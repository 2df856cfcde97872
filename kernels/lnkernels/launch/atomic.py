"""Strategy `atomic`: launched as `locked` is by the tutorial's heuristics."""

from lnkernels.launch.forward import WithoutLocks, check_forward, choose_forward
from lnkernels.launch.limits import DeviceLimits, next_power_of_two
from lnkernels.launch.settings import Launch, Problem, Trait
from lnkernels.launch.strategy import WIDEST_HELD, Asked, reduction
from lnkernels.values.sentence import say


class Atomic(WithoutLocks):
    name = "atomic"
    summary = say(
        "Every row adds straight to dw and db by atomics, for comparison; the last bits differ from"
        " run to run."
    )
    deterministic = False
    traits = frozenset({Trait.FORWARD})
    main = "num_warps"

    def choose(self, asked: Asked) -> Launch:
        block = next_power_of_two(asked.n)
        return Launch(
            strategy=self.name,
            block_size_n=block,
            num_warps=max(1, min(16, block // 512)),
            **reduction(asked.limits),
            **choose_forward(asked),
        )

    def widest(self, dtype: str) -> int:
        return WIDEST_HELD

    def check(
        self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None
    ) -> list[Problem]:
        return check_forward(n, dtype, launch, limits)

    def partial_sums(self, m: int, launch: Launch) -> int:
        return min(m, 1)

    def stage1_programs(self, m: int, launch: Launch) -> int:
        return m
