"""Launch settings as `triton.Config` values, and as a table for `triton.autotune`: Python text."""

from collections.abc import Iterable, Sequence
from typing import Any

from lnexplorer.domain.sweep.best import best, measures, strategy_of
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.wording import WAYS
from lnexplorer.store.files import short
from lnkernels.launch import Launch, own_settings

OVER_N = '''import triton


def over_n(best):
    """Decorate a triton.jit kernel that takes N: it takes the configuration of the nearest N."""

    def of_nearest(configs, named, **given):
        n = {**named, **given}["N"]
        return [best[min(best, key=lambda known: abs(known - n))]]

    return triton.autotune(
        list(best.values()), key=["N"], prune_configs_by={"early_config_prune": of_nearest}
    )
'''


def triton_config(launch: Launch) -> str:
    """Return the settings of each kernel of a launch as a triton.Config."""
    return _assigned(launch.strategy, _configs(launch))


def cell_config(result: CellResult) -> str:
    """Return the settings of a row; empty for a peer, which has none."""
    if result.cell.settings:
        return _assigned(result.cell.provider, {"config": _config(dict(result.cell.settings))})
    if result.resolved is None or result.cell.peer:
        return ""
    return triton_config(result.resolved.launch)


def autotune_table(
    sweep: SweepRequest, results: Iterable[CellResult], like: CellResult, mode: str
) -> str:
    """Return a table for `triton.autotune` with the best settings of every N.

    Args:
        sweep: over N.
        results: its rows.
        like: one whose kernels, M, dtype and hardware the table is for.
        mode: of timing, in a sweep that is no search.

    Returns:
        Text that runs by itself; empty where nothing of them was timed.
    """
    rivals = [each for each in results if _problem(each) == _problem(like)]
    found: dict[str, dict[int, str]] = {}
    for directions, timing in measures(sweep):
        for each in best(rivals, directions, timing) if sweep.search or timing == mode else ():
            assert each.result.resolved is not None
            for kernel, config in _of_passes(each.result, directions).items():
                found.setdefault(kernel, {})[each.result.resolved.n] = config
    if not found:
        return ""
    whose, m, dtype, hardware = _problem(like)
    way = WAYS[sweep.modes[0] if sweep.search else mode]
    about = f"{whose}: the best of each N; M = {m}, {dtype}, {hardware}, {way}"
    parts = [f"# {short(about)}"]
    for kernel, configs in found.items():
        lines = (f"        {n}: {config},\n" for n, config in sorted(configs.items()))
        parts.append(f"{kernel} = over_n(\n    {{\n{''.join(lines)}    }}\n)")
    return "\n".join([OVER_N, *parts]) + "\n"


def _problem(result: CellResult) -> tuple[str, int, str, str]:
    resolved = result.resolved
    m, dtype = (0, "") if resolved is None else (resolved.m, resolved.dtype)
    return strategy_of(result), m, dtype, result.hardware


def _of_passes(result: CellResult, directions: Sequence[str]) -> dict[str, str]:
    """Return the settings of the kernels of some passes, by the kernel's name."""
    if result.cell.settings:
        return dict.fromkeys(directions, _config(dict(result.cell.settings)))
    assert result.resolved is not None
    return {
        kernel: config
        for kernel, config in _configs(result.resolved.launch).items()
        if ("forward" if kernel == "forward" else "backward") in directions
    }


def _configs(launch: Launch) -> dict[str, str]:
    kernels: dict[str, dict[str, Any]] = {"forward": {}, "stage1": {}, "stage2": {}}
    for name, value in own_settings(launch).items():
        if value is None:
            continue  # as the launch has it
        kernel = "stage1"
        if name.startswith("reduce_"):
            kernel = "stage2"
        elif name == "block_size" or name.startswith("forward_"):
            kernel = "forward"
        own = name.removeprefix("reduce_").removeprefix("forward_")
        kernels[kernel][own if own.startswith("num_") else own.upper()] = value
    return {
        kernel: _config({"num_warps": launch.num_warps} | settings)
        for kernel, settings in kernels.items()
    }


def _config(settings: dict[str, Any]) -> str:
    options = {name: settings.pop(name, None) for name in ("num_warps", "num_stages")}
    given = "".join(f", {name}={value}" for name, value in options.items() if value is not None)
    return f"triton.Config({settings!r}{given})"


def _assigned(name: str, configs: dict[str, str]) -> str:
    lines = (f"{kernel} = {config}" for kernel, config in configs.items())
    return "\n".join([f"# {short(name)}", *lines]) + "\n"
