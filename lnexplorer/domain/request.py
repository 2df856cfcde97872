"""What somebody asks to be run, and the same with every choice made."""

import math
from dataclasses import dataclass, fields, replace

from lnexplorer.domain.parameters import BY_NAME, LAUNCH_NAMES, PARAMETERS, Parameter
from lnkernels.launch import (
    USUAL_LIMITS,
    DeviceLimits,
    LaunchConfig,
    LaunchOverrides,
    Problem,
    belongs,
    check_launch,
    foreign_settings,
    memory_estimate,
    resolve_launch,
)
from lnkernels.launch.shapes import ceil_div, is_power_of_two
from lnkernels.launch.validation import MAX_BLOCKS

# The interpreter takes about 3 ms a program, so its default has few rows; see resolve().
DEFAULT_SHAPE = {"cuda": (4096, 8192), "interpreter": (64, 512)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run of the forward and backward kernels, checked and timed. None leaves a choice to the heuristics."""

    m: int | None = None
    n: int | None = None
    dtype: str = "float16"
    eps: float = 1e-5
    strategy: str = "locked"
    group_size_m: int | None = None
    block_size: int | None = None
    block_size_n: int | None = None
    reduce_block_size_m: int | None = None
    reduce_block_size_n: int | None = None
    num_warps: int | None = None
    reduce_num_warps: int | None = None
    num_stages: int | None = None
    partial_dtype: str | None = None
    barrier: bool | None = None
    rows: int | None = None
    programs_per_sm: int | None = None
    forward_rows: int | None = None
    forward_num_warps: int | None = None
    forward_held: bool | None = None
    forward_num_stages: int | None = None
    forward_grid_per_sm: int | None = None
    sums_per_row: bool | None = None
    slices: int | None = None
    data: str = "tutorial"
    seed: int = 0
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRequest:
    """A request without open choices."""

    m: int
    n: int
    dtype: str
    eps: float
    data: str
    seed: int
    repeats: int
    launch: LaunchConfig


def resolve(request: RunRequest, backend: str, limits: DeviceLimits | None = None) -> ResolvedRequest:
    """Make every open choice.

    Args:
        request: a request that `check` finds no single value wrong with.
        backend: "cuda" or "interpreter", which decides the default shape.
        limits: of the device, on which the grids of the strategies without locks depend; None where it is not known yet.
    """
    default_m, default_n = DEFAULT_SHAPE[backend]
    m = default_m if request.m is None else request.m
    n = default_n if request.n is None else request.n
    return ResolvedRequest(
        m=m,
        n=n,
        dtype=request.dtype,
        eps=request.eps,
        data=request.data,
        seed=request.seed,
        repeats=request.repeats,
        launch=resolve_launch(n, request.dtype, _wished(request), limits or USUAL_LIMITS, m=m),
    )


def pinned(request: RunRequest, resolved: ResolvedRequest, backend: str, limits: DeviceLimits | None = None) -> RunRequest:
    """The request with as much of it written out as it takes to mean `resolved` on this device, and no more.

    A default run of a GPU has another shape than one of the interpreter; a version before this one may have chosen otherwise.
    How many programs fill a GPU is the device's to say, and stays so.
    """
    if _same(resolve(request, backend, limits), resolved):
        return request
    shaped = replace(request, m=resolved.m, n=resolved.n)
    if _same(resolve(shaped, backend, limits), resolved):
        return shaped
    return written_out(request, resolved)


def written_out(request: RunRequest, resolved: ResolvedRequest) -> RunRequest:
    """The request with its shape and every setting of its launch written out.

    It means this launch on every device, whatever is tuned or measured for it, but for grids that depend on the number of SMs.
    """
    launch = resolved.launch
    return replace(request, m=resolved.m, n=resolved.n, **own_settings(launch), strategy=launch.strategy)  # type: ignore[arg-type]


def own_settings(launch: LaunchConfig) -> dict[str, int | str | bool | None]:
    """Every setting that the launch's strategy has, strategy left out; None for one that an earlier version did not tell."""
    return {name: getattr(launch, name) for name in LAUNCH_NAMES if name != "strategy" and belongs(name, launch.strategy)}


def _same(one: ResolvedRequest, other: ResolvedRequest) -> bool:
    """Whether they differ in nothing but grids that depend on the number of SMs, and what an earlier version did not tell."""
    silent = {field.name: None for field in fields(LaunchConfig) if getattr(other.launch, field.name) is None}
    grids = {"programs": other.launch.programs, "forward_programs": other.launch.forward_programs}
    return replace(one, launch=replace(one.launch, **silent, **grids)) == other  # type: ignore[arg-type]


def check(
    request: RunRequest, backend: str, memory_bytes: int | None = None, limits: DeviceLimits | None = None
) -> list[Problem]:
    """Everything that makes a request impossible; empty when it can be run.

    Args:
        request: what is asked.
        backend: "cuda" or "interpreter".
        memory_bytes: memory that a run may take, in bytes; None when it is not known.
        limits: of the device; None when it is not known.
    """
    problems = [problem for parameter in PARAMETERS if (problem := _check_value(parameter, request)) is not None]
    problems = problems or foreign_settings(_wished(request))
    if problems:
        return problems
    resolved = resolve(request, backend, limits)
    # The interpreter has neither SMs nor shared memory to run out of.
    usable = limits if backend == "cuda" else None
    problems = [
        _of_what_was_taken(p, request, resolved, usable)
        for p in check_launch(resolved.n, resolved.dtype, resolved.launch, usable)
    ]
    if memory_bytes is not None and not problems:
        needed = memory_estimate(resolved.m, resolved.n, resolved.dtype, resolved.launch).total
        if needed > memory_bytes:
            allowed = f"with N = {resolved.n} a run takes {_gib(needed)}, and {_gib(memory_bytes)} are free"
            problems.append(Problem("m", str(resolved.m), allowed))
    return problems


def changed_fields(request: RunRequest) -> dict[str, object]:
    """The fields in which a request differs from the default one, by name."""
    default = RunRequest()
    return {f.name: value for f in fields(request) if (value := getattr(request, f.name)) != getattr(default, f.name)}


def _of_what_was_taken(problem: Problem, request: RunRequest, resolved: ResolvedRequest, limits: DeviceLimits | None) -> Problem:
    """The problem with the setting that was taken over: of split, BLOCK_SIZE_N follows from SLICES, and SLICES from it."""
    launch, given = resolved.launch, request.slices
    if given is None or request.block_size_n is not None or problem.field != "block_size_n":
        return problem
    most = limits.sm_count * max(launch.programs_per_sm, 1) if limits is not None else given
    if given > most and limits is not None:
        reason = f"take at most {most}: programs of a row wait for each other, and there are {limits.sm_count} SMs"
        return Problem("slices", str(given), reason)
    least = ceil_div(resolved.n, MAX_BLOCKS * max(launch.block_size_n, 1))
    reason = (
        f"take at least {least}, or a larger block_size_n: a program holds {MAX_BLOCKS} blocks of {launch.block_size_n} columns"
    )
    return Problem("slices", str(given), reason)


def _wished(request: RunRequest) -> LaunchOverrides:
    return LaunchOverrides(**{name: getattr(request, name) for name in LAUNCH_NAMES})


def _check_value(parameter: Parameter, request: RunRequest) -> Problem | None:
    value = getattr(request, parameter.name)
    if value is None:
        return None if parameter.automatic else Problem(parameter.name, "nothing", f"take {parameter.accepts()}")
    if _fits(BY_NAME[parameter.name], value):
        return None
    return Problem(parameter.name, str(value), f"take {parameter.accepts()}")


def _fits(parameter: Parameter, value: object) -> bool:
    if parameter.type is str:
        return value in parameter.choices
    if parameter.type is bool or isinstance(value, bool):
        return parameter.type is bool and isinstance(value, bool)
    if parameter.type is float:
        return isinstance(value, int | float) and not math.isnan(value)
    return isinstance(value, int) and _in_range(parameter, value)


def _in_range(parameter: Parameter, value: int) -> bool:
    if parameter.minimum is not None and value < parameter.minimum:
        return False
    if parameter.maximum is not None and value > parameter.maximum:
        return False
    return not parameter.power_of_two or is_power_of_two(value)


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
