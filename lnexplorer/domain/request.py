"""Requests for a run, the plan of one on a device, and requests worth one click."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Self

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import LAUNCH_NAMES, PARAMETERS, Parameter
from lnkernels.launch import (
    NORMS,
    USUAL_LIMITS,
    DeviceLimits,
    Launch,
    LaunchWish,
    Problem,
    as_wish,
    buffers_in_use,
    check_launch,
    foreign_settings,
    memory_estimate,
    partial_buffer_bytes,
    resolve_launch,
)
from lnkernels.launch.settings import problems_sentence
from lnkernels.values import (
    Sentence,
    frozen,
    frozen_by_name,
    join_sentences,
    say,
    verbatim,
)

# The interpreter takes about 3 ms a program, so its default has few rows; see resolve().
DEFAULT_SHAPE = {"cuda": (4096, 8192), "interpreter": (64, 512)}

_LOCKED = LaunchWish()
# Of Triton's interpreter with its check, on two cores that others use, too.
ROW_SECONDS, ELEMENT_SECONDS = 0.01, 8e-6


@frozen_by_name
class RunSubject:
    """The problem of a run, its data, and how often it is repeated."""

    m: int | None = None
    n: int | None = None
    dtype: str = "float16"
    norm: str = "layer_norm"
    eps: float = 1e-5
    data: str = "tutorial"
    seed: int = 0
    repeats: int = 1

    def without_data(self) -> Self:
        """Return the same with the defaults of what no kernel depends on."""
        return replace(self, data=RunSubject().data, seed=0, repeats=1)


@frozen_by_name
class RunRequest(RunSubject):
    """A run of the forward and backward kernels, checked and timed. None leaves a choice to the
    heuristics.

    Its flat form has the launch's settings beside the problem's parameters, by their names in
    `domain.parameters.PARAMETERS`: so they stand in files, in tables and on the command line.
    """

    launch: LaunchWish = _LOCKED

    @classmethod
    def of(cls, **values: Any) -> "RunRequest":
        """Return the request of a flat form; what it does not name keeps its default."""
        return cls().changed(**values)

    def changed(self, **values: Any) -> "RunRequest":
        """Return the request with other values, given in the flat form."""
        wish = {name: values.pop(name) for name in LAUNCH_NAMES if name in values}
        launch = replace(values.pop("launch", self.launch), **wish)
        return replace(self, launch=launch, **values)

    def value(self, name: str) -> Any:
        """Return the value of one parameter of the flat form."""
        return getattr(self.launch if name in LAUNCH_NAMES else self, name)

    def flat(self) -> dict[str, Any]:
        return {parameter.name: self.value(parameter.name) for parameter in PARAMETERS}

    def problem(self, strategy: str) -> "RunRequest":
        """Return the same problem, run once, with a strategy's automatic settings."""
        return replace(self, launch=LaunchWish(strategy=strategy), repeats=1)

    @property
    def strategy(self) -> str:
        return self.launch.strategy


@frozen_by_name
class ResolvedRequest(RunSubject):
    """A request without open choices."""

    m: int
    n: int
    launch: Launch

    @property
    def buffers(self) -> int:
        """The number of buffers of partial sums that some row adds to."""
        return buffers_in_use(self.m, self.launch)

    @property
    def buffer_bytes(self) -> int:
        """The bytes of the buffers of dw and db."""
        return partial_buffer_bytes(self.m, self.n, self.dtype, self.launch)

    @property
    def shape_text(self) -> str:
        """The problem in few letters: 4096×8192 float16, after the name of a norm but LayerNorm."""
        return wording.shape(self.m, self.n, self.dtype, self.norm)

    @property
    def title(self) -> str:
        """The problem with its norm: LayerNorm 4096×8192 float16."""
        name = NORMS[self.norm]
        return f"{name} {self.shape_text.removeprefix(name).strip()}"

    def setting_line(self, given: Iterable[str] = ()) -> Sentence:
        """Return the problem, the main setting and those that somebody chose, in one line."""
        problem = f"{NORMS[self.norm]} · M {self.m} × N {self.n} · {self.dtype}"
        setting = wording.setting_text(self.launch, given, " ", " · ")
        return join_sentences((problem, self.launch.strategy, setting), " · ")

    @property
    def buffer_dtype(self) -> str:
        """Element type of the buffers of partial sums."""
        return "float32" if self.launch.partial_dtype == "float32" else self.dtype


@frozen_by_name
class RunPlan:
    """A request on a device: the launch that it means there, or why it cannot be run.

    It is made once by `plan_run`, and handed on.
    """

    request: RunRequest
    backend: str  # "cuda" or "interpreter"
    limits: DeviceLimits | None  # of the device; None while it is not known
    problems: tuple[Problem, ...]  # empty where the request can be run
    launched: ResolvedRequest | None  # None where a single value is impossible
    machine: str = ""  # the GPU or CPU and its host; empty while it is not known

    @property
    def resolved(self) -> ResolvedRequest:
        """The request without open choices.

        Raises:
            ValueError: a single value is impossible, so that nothing can be chosen for it.
        """
        if self.launched is None:
            raise ValueError(str(problems_sentence(self.problems)))
        return self.launched

    @property
    def seconds(self) -> float:
        """Estimate how long the interpreter takes for it; 0 on a GPU, and where it is refused.

        Its programs take a time for each of their operations, whatever the width; what grows with
        the elements is the float64 truth.
        """
        if self.backend == "cuda" or self.problems:
            return 0.0
        return self.resolved.m * self._row_seconds

    @property
    def rows_of_a_second(self) -> int:
        """The rows of which the interpreter checks about as many in a second; all on a GPU."""
        most = self.resolved.m
        return max(min(most, int(1 / self._row_seconds)), 1) if self.seconds else most

    @property
    def _row_seconds(self) -> float:
        return ROW_SECONDS + self.resolved.n * ELEMENT_SECONDS

    @property
    def shaped(self) -> RunRequest:
        """The request with M and N written out."""
        return replace(self.request, m=self.resolved.m, n=self.resolved.n)


def plan_run(
    request: RunRequest,
    backend: str,
    limits: DeviceLimits | None = None,
    memory_bytes: int | None = None,
) -> RunPlan:
    """Resolve a request on a device, and check it there.

    Args:
        request: any request.
        backend: "cuda" or "interpreter", which decides the default shape.
        limits: of the device; None while it is not known.
        memory_bytes: memory that a run may take, in bytes; None while it is not known.
    """
    problems = _wrong_values(request)
    launched = None if problems else resolve(request, backend, limits)
    if launched is not None:
        # The interpreter has neither SMs nor shared memory to run out of.
        usable = limits if backend == "cuda" else None
        problems = check_launch(launched.n, launched.dtype, launched.launch, usable)
        if memory_bytes is not None and not problems:
            problems = _beyond_memory(launched, memory_bytes)
    return RunPlan(
        request=request,
        backend=backend,
        limits=limits,
        problems=tuple(problems),
        launched=launched,
    )


def check(
    request: RunRequest,
    backend: str,
    memory_bytes: int | None = None,
    limits: DeviceLimits | None = None,
) -> list[Problem]:
    """List what makes a request impossible, as `plan_run` does."""
    return list(plan_run(request, backend, limits, memory_bytes).problems)


def check_anywhere(request: RunRequest) -> list[Problem]:
    """List what makes a request impossible on every device, whose default shapes differ."""
    return check(request, "cuda") and check(request, "interpreter")


def resolve(
    request: RunRequest, backend: str, limits: DeviceLimits | None = None
) -> ResolvedRequest:
    """Make every open choice of a request of which `check` finds no single value wrong.

    Args:
        request: the request.
        backend: "cuda" or "interpreter", which decides the default shape.
        limits: of the device, on which the grids of the strategies without locks depend; None where
            it is not known yet.
    """
    shape = zip((request.m, request.n), DEFAULT_SHAPE[backend], strict=True)
    m, n = (usual if asked is None else asked for asked, usual in shape)
    kept = {field.name: getattr(request, field.name) for field in fields(RunSubject)}
    launch = resolve_launch(n, request.dtype, request.launch, limits or USUAL_LIMITS, m=m)
    return ResolvedRequest(**kept | {"m": m, "n": n}, launch=launch)


def pinned(
    request: RunRequest, resolved: ResolvedRequest, backend: str, limits: DeviceLimits | None = None
) -> RunRequest:
    """Write out as much of a request as it takes to mean `resolved` on this device, and no more.

    A default run of a GPU has another shape than one of the interpreter; a version before this one
    may have chosen otherwise. How many programs fill a GPU is the device's to say, and stays so.
    """
    if _same(resolve(request, backend, limits), resolved):
        return request
    shaped = replace(request, m=resolved.m, n=resolved.n)
    if _same(resolve(shaped, backend, limits), resolved):
        return shaped
    return written_out(request, resolved)


def written_out(request: RunRequest, resolved: ResolvedRequest) -> RunRequest:
    """Write out the shape and every setting of the launch of a request.

    It means this launch on every device, whatever is tuned or measured for it, but for grids that
    depend on the number of SMs.
    """
    return replace(request, m=resolved.m, n=resolved.n, launch=as_wish(resolved.launch))


def _same(one: ResolvedRequest, other: ResolvedRequest) -> bool:
    """Return whether they differ only in what a device decides, such as grids."""
    return (
        as_wish(one.launch) == as_wish(other.launch) and replace(one, launch=other.launch) == other
    )


MOST_NAMED = 3  # parameters in which two settings differ


def other_setting(
    of: ResolvedRequest | None, plan: RunPlan, machine: str = "", *, renews: bool = False
) -> Sentence | None:
    """Say of which setting or machine a value is, by what differs; None where it is of the plan's,
    or where there is no value.

    Args:
        of: the setting that the value carries.
        plan: of the setting in force.
        machine: the machine that the value carries; empty for one of any.
        renews: the value is made anew without a run, and depends on no data.
    """
    now = plan.launched
    if renews and of is not None and now is not None:
        of, now = of.without_data(), now.without_data()
    elsewhere = machine not in ("", plan.machine)
    same = of is not None and now is not None and not plan.problems and _same(of, now)
    if of is None or (same and not elsewhere):
        return None
    named = [verbatim(f"{of.m}×{of.n}")]
    if same:
        named = [verbatim(machine)]
    elif now is not None and (of.m, of.n) == (now.m, now.n):
        differ = (each for each in PARAMETERS if _value(of, each.name) != _value(now, each.name))
        named = [_named(each, of) for each in differ] or named
    setting = join_sentences(named[:MOST_NAMED], " · ")
    if renews or plan.problems:
        return say("of {setting}", setting=setting)
    return say("of {setting}, run to renew", setting=setting)


def _value(resolved: ResolvedRequest, name: str) -> object:
    return getattr(resolved.launch if name in LAUNCH_NAMES else resolved, name)


def _named(parameter: Parameter, of: ResolvedRequest) -> Sentence:
    shown = wording.setting_value(_value(of, parameter.name))
    return join_sentences((parameter.label, shown), " ")


def _wrong_values(request: RunRequest) -> list[Problem]:
    problems = []
    for parameter in PARAMETERS:
        value = request.value(parameter.name)
        if not (parameter.automatic if value is None else parameter.takes(value)):
            said = "nothing" if value is None else str(value)
            problems.append(Problem(parameter.name, said, parameter.allowed()))
    return problems or foreign_settings(request.launch)


def _beyond_memory(resolved: ResolvedRequest, memory_bytes: int) -> list[Problem]:
    m, n = resolved.m, resolved.n
    needed = memory_estimate(m, n, resolved.dtype, resolved.launch, resolved.norm).total
    if needed <= memory_bytes:
        return []
    allowed = say(
        "with N = {n} a run takes {needed}, and {free} are free",
        n=n,
        needed=_gib(needed),
        free=_gib(memory_bytes),
    )
    return [Problem("m", str(m), allowed)]


def changed_fields(request: RunRequest) -> dict[str, object]:
    """Return the parameters in which a request differs from the default one, by name."""
    default = RunRequest()
    return {name: value for name, value in request.flat().items() if value != default.value(name)}


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


@frozen
class Preset:
    """A named request, with a sentence about what it is for."""

    name: Sentence
    help: Sentence
    request: RunRequest


PRESETS = (
    Preset(
        say("Lecture: M=4, G=2"),
        say(
            "Four rows and two buffers: small enough to follow every number of the reduction by"
            " hand."
        ),
        RunRequest.of(m=4, n=8, group_size_m=2),
    ),
    Preset(
        say("Tutorial's check"),
        say("The shape and data on which the tutorial compares with PyTorch."),
        RunRequest(m=1151, n=8192),
    ),
    Preset(
        say("Tutorial's benchmark"),
        say("One point of the tutorial's curve: 4096 rows, float16."),
        RunRequest(m=4096, n=8192),
    ),
    Preset(
        say("Without locks, width 8192"),
        say("The same point with the strategy that is chosen automatically."),
        RunRequest.of(m=4096, n=8192, strategy="auto"),
    ),
    Preset(
        say("Without locks, width 65536"),
        say("Rows that no program can hold: several programs share each."),
        RunRequest.of(m=4096, n=65536, strategy="split"),
    ),
    Preset(
        say("Interpreter's default"),
        say("Few rows, so that it takes well under a second without a GPU."),
        RunRequest(m=64, n=512),
    ),
    *(
        Preset(
            say("Transformer, width {n}", n=str(n)), tokens, RunRequest(m=m, n=n, dtype="bfloat16")
        )
        for m, n, tokens in (
            (16384, 768, say("32 sequences of 512 tokens.")),
            (16384, 1024, say("32 sequences of 512 tokens.")),
            (8192, 4096, say("Two sequences of 4096 tokens.")),
            (8192, 8192, say("Two sequences of 4096 tokens.")),
        )
    ),
)
