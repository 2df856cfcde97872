"""Versions of a kernel of one's own: verdict and speeds of each, and how two compare."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import gain_text, median_interval, ratio
from lnexplorer.domain.measuring import Measured, MeasuredCandidate, MeasureRequest
from lnexplorer.domain.parameters import DATA_CHOICES
from lnexplorer.domain.request import RunSubject
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.findings import PASSES
from lnkernels.launch import split_norm
from lnkernels.launch.source import KernelSource
from lnkernels.values import Sentence, frozen, frozen_by_name, join_sentences, say, verbatim
from lnkernels.values.accuracy import LAYOUTS
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.environment import Environment
from lnkernels.values.figures import DIRECTIONS, Figure, find

RIGHT = say("all results are within tolerance")


@frozen
class HardInputs:
    """Verdicts on a kernel by hard input: why it is wrong there, or None; where it is inexact."""

    problem: tuple[int, int, str, str]  # M, N, dtype and norm that they were made from
    found: tuple[tuple[Sentence, Sentence | None], ...] = ()  # by the name of an input
    left: int = 0  # not tried
    inexact: tuple[Sentence, ...] = ()  # names of inputs on which it is neither wrong nor right

    def with_verdict(
        self, name: Sentence, why: Sentence | None, *, inexact: bool = False
    ) -> "HardInputs":
        """Add the verdict on one more input."""
        return replace(
            self,
            found=(*self.found, (name, why)),
            left=self.left - 1,
            inexact=(*self.inexact, *([name] if inexact else [])),
        )

    @property
    def wrong(self) -> list[Sentence]:
        return [say("{name}: {why}", name=name, why=why) for name, why in self.found if why]

    @property
    def right(self) -> list[Sentence]:
        """The names of inputs on which it is right."""
        return [name for name, why in self.found if why is None and name not in self.inexact]

    @property
    def is_verdict(self) -> bool:
        """True where one is wrong, or all were tried."""
        return not self.left or bool(self.wrong)

    def sentence(self, *, brief: bool = False) -> Sentence:
        """Name the wrong ones alone; why they are wrong, unless it has to be brief."""
        shape = wording.shape(*self.problem)
        if self.inexact and not self.wrong:
            return say(
                "inexact on hard inputs around {shape}: {names}", shape=shape, names=self.inexact
            )
        if not self.wrong:
            return say("right on hard inputs around {shape}", shape=shape)
        names = join_sentences([name for name, why in self.found if why], ", ")
        wrong = names if brief else join_sentences(self.wrong)
        return say("wrong on hard inputs around {shape}: {wrong}", shape=shape, wrong=wrong)


@frozen_by_name(eq=False)
class KernelVersion:
    """A text of a file, with its last verdict and speeds. Versions of a file are counted from 1."""

    place: str  # absolute path of the file
    name: str  # of the provider
    sha256: str  # of the text
    version: int = 0  # 0 before it is kept
    date: str  # when it was checked last
    m: int
    n: int
    dtype: str
    norm: str = "layer_norm"
    device: str  # the GPU; empty for the interpreter
    refused: Sentence | None = None  # why it is wrong, or failed
    figures: tuple[Figure, ...] = ()
    remark: Sentence | None = None  # on what is not wrong, such as why it is inexact
    launched: LaunchedKernels | None = None
    hard: HardInputs | None = None  # of its text, from whenever that was checked on them last

    def figure(self, direction: str, mode: str = "kernel_cold") -> Figure | None:
        return find(self.figures, direction, mode)

    @property
    def problem(self) -> tuple[int, int, str, str, str]:
        return self.m, self.n, self.dtype, self.norm, self.device


def version_of_run(source: KernelSource, result: RunResult) -> KernelVersion:
    """Return the version of a kernel that took part in a run."""
    found = result.candidate(source.name)
    return version_of(source, result.provenance.environment, result.resolved, found)


def version_of_measurement(source: KernelSource, measured: Measured) -> KernelVersion:
    """Return the version of a kernel that was measured.

    Raises:
        ValueError: the measurement is not of this kernel, or it broke off.
    """
    outcome = measured.outcome(source.name)
    if outcome is None or measured.after is None:
        raise ValueError(f"the measurement says nothing of {source.name}")
    return version_of(source, measured.after, measured.problem, outcome)


def version_of(
    source: KernelSource, on: Environment, problem: RunSubject, found: MeasuredCandidate
) -> KernelVersion:
    """Make the version of a kernel from what was found on a problem and a device.

    Raises:
        ValueError: the problem has no shape.
    """
    if problem.m is None or problem.n is None:
        raise ValueError("m and n are open")
    remarks = [found.reason] if found.status == "ok" and found.reason else []
    if found.verdict == "no kernel":
        remarks = [RIGHT, *remarks]
    return KernelVersion(
        place=source.place,
        name=source.name,
        sha256=source.sha256,
        date=on.date,
        m=problem.m,
        n=problem.n,
        dtype=problem.dtype,
        norm=problem.norm,
        device=on.named_gpu or "",
        refused=None if found.status == "ok" else found.reason,
        remark=join_sentences(remarks) if remarks else None,
        figures=found.figures,
        launched=found.launched,
    )


def as_tuned(
    source: KernelSource, versions: Iterable[KernelVersion], problem: RunSubject
) -> KernelSource:
    """Return the kernel in the configurations that its autotuners chose in a run of the same text
    on a problem of the same shape; in the first of each where none did.
    """
    asked = source.sha256, (problem.m, problem.n, problem.dtype, problem.norm)
    tuned = [
        each.launched.tuned
        for each in versions
        if each.launched is not None and (each.sha256, each.problem[:4]) == asked
    ]
    return replace(source, tuned=tuned[-1] if tuned else ())


def line_in(said: Sentence) -> int | None:
    """Return the line that a sentence about a file names."""
    found = re.search(r"\bline (\d{1,7})\b", str(said))
    return int(found[1]) if found else None


def place_in(stack: str, source: KernelSource) -> tuple[str, int] | None:
    """Find the file and line of a kernel in the stack that a lost process printed at its end."""
    place = (
        re.escape(source.code_name)
        if source.is_file
        else rf'[^"]*/{source.place.replace(".", "/")}(?:/__init__)?\.py'
    )
    found = re.search(rf'File "({place})", line (\d{{1,7}})', stack)
    return (
        (Path(source.place if source.is_file else found[1]).name, int(found[2])) if found else None
    )


def with_line(
    sentence: Sentence, detail: str, sources: Sequence[KernelSource], step: Sentence | None = None
) -> Sentence:
    """Add to why a worker was lost the line of a kernel's file, by the stack that it printed; where
    it printed none, as after an exit in C, the step that it was at and the file.
    """
    for source in sources:
        place = place_in(detail, source)
        if place is not None:
            file, line = place
            return say("{why} It was at line {line} of {file}.", why=sentence, line=line, file=file)
    if step is None or not sources:
        return sentence
    files = [Path(one.place).name for one in sources if one.name in str(step)] or [
        Path(one.place).name for one in sources
    ]
    return say("{why} It was at {step}, with {files}.", why=sentence, step=step, files=files)


def hard_inputs(request: MeasureRequest, backend: str) -> list[tuple[Sentence, MeasureRequest]]:
    """List checks of one kernel on inputs that are hard on a LayerNorm, with names: every kind of
    data, shapes at the edges of blocks and grids, and layouts. A job each, as any may end the
    worker.

    Args:
        request: a check of the kernel, of a problem with m and n.
        backend: "cuda" or "interpreter", which would take a minute for very many rows.
    """
    base = request.subject
    m, n = base.m or 1, base.n or 1
    shapes = {
        "M = 1": (1, n),
        "N = 1": (m, 1),
        f"N = {n + 1}": (m, n + 1),
        f"M = {m + 1}": (m + 1, n),
    }
    left = {
        "float32_weight": base.dtype == "float32",
        "no_bias": split_norm(base.norm)[0] == "rms_norm",
        "many_rows": backend != "cuda",
    }

    def at(**changes: Any) -> MeasureRequest:
        return replace(request, problem=replace(base, **changes))

    checks = {say("data {name}", name=name): at(data=name) for name in DATA_CHOICES}
    checks |= {
        verbatim(name): at(m=rows, n=columns, data="normal")
        for name, (rows, columns) in shapes.items()
    }
    checks |= {
        name: replace(request, layout=layout)
        for layout, name in LAYOUTS.items()
        if not left.get(layout)
    }
    return list(checks.items())


# Rows and columns: one, primes, whole blocks and one more, and rows wider than usual blocks.
SHAPES = ((1, 1), (3, 7), (16, 128), (16, 1025), (8, 4096), (4, 8192), (2, 12289))


def several_shapes(request: MeasureRequest, _backend: str) -> list[tuple[Sentence, MeasureRequest]]:
    """List checks of one kernel at shapes that have little in common, with names."""
    return [
        (verbatim(f"{m}×{n}"), replace(request, problem=replace(request.subject, m=m, n=n)))
        for m, n in SHAPES
    ]


def hard_sentence(hard: HardInputs) -> Sentence:
    """Say which inputs came out wrong, and why, which inexact, which right, and how many are still
    to be tried.
    """
    told = hard.wrong
    if hard.inexact:
        told.append(say("inexact: {names}", names=hard.inexact))
    if hard.right:
        told.append(say("right: {names}", names=hard.right))
    names = {name for name, _ in hard.found}
    if LAYOUTS["no_rows"] in names and not hard.left and LAYOUTS["many_rows"] not in names:
        told.append(say("{what} are tried on a GPU alone", what=LAYOUTS["many_rows"]))
    if hard.left:
        told.append(say("{count} to come", count=hard.left))
    return join_sentences(told)


def compare_versions(new: KernelVersion, old: KernelVersion) -> list[Sentence]:
    """Say how much faster a version is in each pass of which both have a time, kernels alone with a
    cold L2.

    Times of different problems, or of different GPUs, do not compare; nor those of what is wrong.
    """
    if new.problem != old.problem or new.refused or old.refused:
        return []
    said = []
    for direction in DIRECTIONS:
        now, then = (
            median_interval(figure.samples_ms) if figure is not None else None
            for figure in (each.figure(direction) for each in (new, old))
        )
        if now is None or then is None:
            continue
        told = say(
            "{direction}: version {new} against version {old}: {gain}",
            direction=PASSES[direction,],
            new=new.version,
            old=old.version,
            gain=gain_text(ratio(then, now)),
        )
        said.append(told)
    return said
