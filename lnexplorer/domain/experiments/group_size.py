"""GROUP_SIZE_M from 1 to 512: what more buffers buy, and what they cost."""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    NO_TIMES,
    Experiment,
    ExperimentResult,
    Findings,
    Table,
    not_ascending,
)
from lnexplorer.domain.panels import (
    WITHOUT_TIMES,
    Panel,
    PanelPicture,
    Text,
    log_line,
    powers_picture,
)
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import LockWait
from lnkernels.values import Sentence, frozen_by_name, join_sentences, say

SIZES = tuple(2**power for power in range(10))  # 1 to 512
_SAME = 1.01  # errors no further apart are called the same


@frozen_by_name
class GroupSizePoint:
    group_size_m: int
    ms_float32: float | None  # median of the backward pass, kernels alone, cold L2
    ms_same: float | None
    error_float32: float | None  # largest of dw against the float64 truth
    error_same: float | None
    bytes_float32: int  # of the buffers of dw and db
    bytes_same: int
    reason: Sentence | None = None  # why a figure is missing, or not one of a plain pass
    wait: LockWait | None = None  # float32 buffers
    wait_same: LockWait | None = None  # buffers of the dtype of x

    def micros(self, of: str, name: str) -> float | None:
        """Return µs of `wait` or `wait_same`: `queued_ns` or `trying_ns`."""
        wait = getattr(self, of)
        return None if wait is None else getattr(wait, name) / 1e3


Value = Callable[[GroupSizePoint], float | None]


@frozen_by_name
class GroupSizes(Findings):
    """Points by GROUP_SIZE_M."""

    experiment: str = "group_size"
    points: tuple[GroupSizePoint, ...]
    torch_error: float | None  # PyTorch's, of dw

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        dtype = result.resolved.dtype
        timed = [(point.ms_float32, point) for point in self.points if point.ms_float32 is not None]
        parts = [] if timed else [NO_TIMES]
        if timed and timed[0][1].group_size_m == 1:
            parts = _against_one_buffer(*timed[0], *min(timed, key=lambda pair: pair[0]))
        same = [
            (point.error_same, point.group_size_m)
            for point in self.points
            if point.error_same is not None
        ]
        wide = self._wide_errors()
        if same and wide:
            worst, at = max(same)
            errors = say(
                "Buffers in {dtype} are off by up to {same} in dw (GROUP_SIZE_M = {at}), those in"
                " float32 by {float32} at most.",
                dtype=dtype,
                same=wording.error(worst),
                at=at,
                float32=wording.error(max(wide)),
            )
            parts.append(errors)
        return parts

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        dtype, errors = result.resolved.dtype, self._wide_errors()
        reasons = [each for each in dict.fromkeys(point.reason for point in self.points) if each]
        if dtype == "float32" or len(errors) < 2 or max(errors) > _SAME * min(errors):
            return reasons
        why = say(
            "With float32 buffers the error is the same for every GROUP_SIZE_M: it is that of"
            " rounding dw itself to {dtype}.",
            dtype=dtype,
        )
        return [why, *reasons]

    def table(self, result: ExperimentResult) -> Table:
        heads: tuple[Text, ...] = (
            "ms",
            say("queued µs"),
            say("trying µs"),
            say("dw error"),
            say("buffers"),
        )
        both = product(heads, ("float32", "same"))
        titles: list[Text] = ["GROUP_SIZE_M", *(join_sentences(each, " ") for each in both), ""]
        lines: list[list[Text]] = [
            [
                str(point.group_size_m),
                wording.figure(point.ms_float32),
                wording.figure(point.ms_same),
                *(
                    wording.figure(point.micros(of, name))
                    for name in ("queued_ns", "trying_ns")
                    for of in ("wait", "wait_same")
                ),
                wording.error(point.error_float32),
                wording.error(point.error_same),
                wording.bytes_text(point.bytes_float32),
                wording.bytes_text(point.bytes_same),
                point.reason or "",
            ]
            for point in self.points
        ]
        return [titles, *lines]

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        sizes = [point.group_size_m for point in self.points]
        x = np.log10(sizes)
        wide, same = say("float32 buffers"), say("{dtype} buffers", dtype=result.resolved.dtype)

        def panel(title: Sentence, *lines: tuple[Text, str, Value], absent: Text = "") -> Panel:
            """Make a panel; every second line is of buffers of the dtype of x, and dashed."""
            series = [
                log_line(name, colour, x, list(map(value, self.points)), dashed=bool(number % 2))
                for number, (name, colour, value) in enumerate(lines)
            ]
            return Panel(title=title, series=tuple(series), log=True, absent=absent)

        def waits(of: str, name: str) -> Value:
            return lambda point: point.micros(of, name)

        panels = (
            panel(
                say("backward pass, ms"),
                (wide, "orange", lambda point: point.ms_float32),
                (same, "sky", lambda point: point.ms_same),
                absent=WITHOUT_TIMES,
            ),
            panel(
                say("a row before its lock, mean, µs"),
                *(
                    (say("{wait}, {buffers}", wait=wait, buffers=buffers), colour, waits(of, name))
                    for wait, name, colours in (
                        (say("queued"), "queued_ns", ("vermilion", "blue")),
                        (say("trying"), "trying_ns", ("green", "persistent")),
                    )
                    for buffers, of, colour in zip(
                        (wide, same), ("wait", "wait_same"), colours, strict=True
                    )
                ),
                absent=WITHOUT_TIMES,
            ),
            panel(
                say("largest error of dw"),
                (wide, "orange", lambda point: point.error_float32),
                (same, "sky", lambda point: point.error_same),
            ),
            panel(
                say("buffers, MiB"),
                (wide, "orange", lambda point: point.bytes_float32 / 2**20),
                (same, "sky", lambda point: point.bytes_same / 2**20),
            ),
        )
        return (powers_picture(panels, "GROUP_SIZE_M", sizes),)

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        yield from not_ascending([point.group_size_m for point in self.points])

    def _wide_errors(self) -> list[float]:
        errors = (point.error_float32 for point in self.points)
        return [error for error in errors if error is not None]


def _against_one_buffer(
    one_ms: float, one: GroupSizePoint, best_ms: float, best: GroupSizePoint
) -> list[Sentence]:
    """Compare the fastest size with one buffer, both with buffers in float32."""
    fastest = say(
        "With float32 buffers GROUP_SIZE_M = {best} is the fastest: {time}, against {one_time} with"
        " one buffer.",
        best=best.group_size_m,
        time=wording.milliseconds(best_ms),
        one_time=wording.milliseconds(one_ms),
    )
    if one.wait is None or best.wait is None:
        return [fastest]
    waits = say(
        "With one buffer a row queues for {queued_one} µs and tries its free lock for {trying_one}"
        " µs; with {best} buffers {queued_best} µs and {trying_best} µs.",
        queued_one=wording.figure(one.wait.queued_ns / 1e3),
        trying_one=wording.figure(one.wait.trying_ns / 1e3),
        queued_best=wording.figure(best.wait.queued_ns / 1e3),
        trying_best=wording.figure(best.wait.trying_ns / 1e3),
        best=str(best.group_size_m),
    )
    return [fastest, waits]


GROUP_SIZE = Experiment(
    name="group_size",
    title=say("GROUP_SIZE_M from 1 to 512"),
    question=say("What do more buffers buy, and what do they cost?"),
    findings=GroupSizes,
    problems={"cuda": RunRequest(m=4096, n=1024), "interpreter": RunRequest(m=16, n=128)},
    runs={"cuda": 1, "interpreter": 1},
)
