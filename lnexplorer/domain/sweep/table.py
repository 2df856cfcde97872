"""The columns of a sweep's rows, in CSV files and other tables."""

import math

from lnexplorer.domain.history import HEADLINE_MODE
from lnexplorer.domain.parameters import LAUNCH_NAMES, PARAMETERS, owner_of
from lnexplorer.domain.sweep.cells import VERSION, CellResult
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnkernels.launch import belongs
from lnkernels.values.accuracy import TENSORS
from lnkernels.values.environment import DeviceState

Plain = int | float | str | bool | None

KERNELS = ("forward", "backward_stage1", "backward_stage2")
WAITS = ("lock_trying_ns", "lock_queued_ns")
FIGURES = (
    "gbps",
    "p20_gbps",
    "p80_gbps",
    "p20_ms",
    "p50_ms",
    "p80_ms",
    "requested_gbps",
    "share_of_ceiling",
    "samples",
    "settled",
)
ERRORS = ("max_abs_error", "torch_max_abs_error", "tolerance", "passed")
STATE = ("sm_clock_mhz", "temperature_c", "power_w", "throttle_reasons", "other_processes")
# Of the device around the timing of a row. Files of earlier versions do not have them.
STATE_COLUMNS = tuple(f"{name}_{when}" for when in ("before", "after") for name in STATE)
COMPILED = ("registers", "spill_bytes", "shared_bytes", "programs_per_sm")


def columns(sweep: SweepRequest) -> tuple[str, ...]:
    """Return the names of a sweep's columns, in their order."""
    return (
        *("cell", "status", "verdict", "reason", "provider"),
        *(parameter.name for parameter in PARAMETERS),
        *(axis.name for axis in sweep.axes if owner_of(axis.name)),
        *("kind", "gpu", "device"),
        *(
            f"{speed_column(direction, mode)}_{name}"
            for direction in sweep.directions
            for mode in sweep.modes
            for name in FIGURES
        ),
        *(WAITS if sweep.waits else ()),
        *(f"{tensor}_{name}" for tensor in TENSORS for name in ERRORS),
        *(f"{kernel}_{name}" for kernel in KERNELS for name in COMPILED),
        *(
            "seconds",
            "notes",
            *STATE_COLUMNS,
            "date",
            "driver",
            "torch",
            "triton",
            "peers",
            "schema_version",
            "sweep",
        ),
    )


def row(sweep: SweepRequest, result: CellResult) -> dict[str, Plain]:
    """Return one row by column; None where something is not known or not finite."""
    environment = result.environment
    found: dict[str, Plain] = {
        "cell": result.cell.number,
        "status": result.status,
        "verdict": result.verdict,
        "reason": " ".join(str(result.reason or "").split()),
        "provider": result.cell.provider,
        **_parameters(result),
        **{f"{result.cell.provider}.{name}": value for name, value in result.cell.settings},
        "kind": result.kind.value,
        "gpu": environment.gpu,
        "device": result.device,
        "seconds": round(result.seconds, 3),
        "notes": " ".join(" ".join(map(str, result.notes)).split()),
        "date": environment.date,
        "driver": environment.driver,
        "torch": environment.torch,
        "triton": environment.triton,
        "peers": environment.peers,
        "schema_version": VERSION,
        "sweep": sweep_command(sweep),
    }
    if result.before is not None:
        found |= _state("before", result.before) | _state("after", environment.state)
    if result.wait is not None:
        found |= zip(WAITS, (result.wait.trying_ns, result.wait.queued_ns), strict=True)
    for figure in result.figures:
        speed = speed_column(figure.direction, figure.mode)
        found |= {f"{speed}_{name}": value for name, value in figure.flat().items()}
    for error in result.errors:
        errors = (error.max_abs, error.torch_max_abs, error.tolerance, error.passed)
        found |= {f"{error.name}_{name}": value for name, value in zip(ERRORS, errors, strict=True)}
    for facts in result.compiled:
        programs = None if facts.occupancy is None else facts.occupancy.programs_per_sm
        values = (facts.registers, facts.spill_bytes, facts.shared_bytes, programs)
        found |= {
            f"{facts.name}_{name}": value for name, value in zip(COMPILED, values, strict=True)
        }
    return {name: _finite(found.get(name)) for name in columns(sweep)}


def _finite(value: Plain) -> Plain:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _parameters(result: CellResult) -> dict[str, Plain]:
    """Return every parameter as it was resolved, or as it was asked for if it is not possible."""
    request, resolved = result.cell.request, result.resolved
    found: dict[str, Plain] = {}
    for parameter in PARAMETERS:
        name = parameter.name
        if name in LAUNCH_NAMES and result.cell.peer:
            found[name] = None
        elif resolved is None:
            found[name] = request.value(name)
        elif name in LAUNCH_NAMES:
            launch = resolved.launch
            found[name] = (
                getattr(launch, name)
                if name == "strategy" or belongs(name, launch.strategy)
                else None
            )
        else:
            found[name] = getattr(resolved, name)
    return found


def _state(when: str, state: DeviceState) -> dict[str, Plain]:
    values = {name: getattr(state, name) for name in STATE} | {
        "throttle_reasons": ", ".join(state.throttle_reasons) or None
    }
    return {f"{name}_{when}": value for name, value in values.items()}


def speed_column(direction: str, mode: str) -> str:
    """Return how a column's name starts. The kernels' own time with a cold L2 has no mode in it."""
    return direction if mode == HEADLINE_MODE else f"{direction}_{mode}"


# With which a text begins that a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def as_text(text: str) -> str:
    """Escape a text that a spreadsheet would take for a formula, by an apostrophe before it."""
    return f"'{text}" if text.startswith(FORMULA) else text


def from_text(text: str) -> str:
    """Return the text of which `as_text` made this one."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(FORMULA) else text
