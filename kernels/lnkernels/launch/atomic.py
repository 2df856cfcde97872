"""Strategy `atomic`: launched as `locked` is by the tutorial's heuristics."""

from lnkernels.launch.forward import WithoutLocks, check_forward, choose_forward
from lnkernels.launch.heuristics import reduction, taken_or
from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.settings import Launch, LaunchWish, Problem
from lnkernels.launch.shapes import next_power_of_two
from lnkernels.launch.strategy import LaunchedKernel, check_held_width


class Atomic(WithoutLocks):
    """Every row adds to one sum."""

    name = "atomic"
    summary = "Every row adds straight to dw and db by atomics, for comparison; the last bits differ from run to run."
    deterministic = False

    def choose(self, n: int, dtype: str, limits: DeviceLimits, wish: LaunchWish, m: int | None) -> Launch:
        block = next_power_of_two(n)
        return Launch(
            strategy=self.name,
            block_size_n=block,
            num_warps=taken_or(wish.num_warps, max(1, min(16, block // 512))),
            **reduction(limits, wish),
            **choose_forward(n, dtype, limits, wish, m),
        )

    def check_width(self, n: int, dtype: str) -> list[Problem]:
        del dtype
        return check_held_width(n, self.name)

    def check(self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None) -> list[Problem]:
        return check_forward(n, dtype, launch, limits)

    def main_setting(self, launch: Launch) -> str:
        del launch
        return "num_warps"

    def partial_sums(self, m: int, launch: Launch) -> int:
        del launch
        return min(m, 1)

    def stage1_programs(self, m: int, launch: Launch) -> int:
        del launch
        return m

    def stage1(self, n: int, launch: Launch) -> LaunchedKernel:
        del n
        return LaunchedKernel(name="atomic_kernel", constants={"BLOCK_N": launch.block_size_n}, num_warps=launch.num_warps)
