"""The JSON of a run: what `lnexplorer run --json` prints. Its keys are a promise; README, "JSON of a run", explains them.

Keys may be added within one schema_version; one that goes, or changes its meaning, needs the next.
"""

import math
from dataclasses import asdict
from typing import Any

from lnexplorer.domain.parameters import LAUNCH_NAMES
from lnexplorer.domain.result import SCHEMA_VERSION, RunResult
from lnkernels.launch import Launch, belongs
from lnkernels.sentence import Sentence
from lnkernels.values.accuracy import Correctness, ErrorStats
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure, Throughput

DIRECTIONS = ("forward", "backward")
MODES = ("kernel_cold", "kernel_warm", "autograd")


def run_document(result: RunResult) -> dict[str, Any]:
    """A run as dicts, lists, strings, numbers and None, ready for JSON; a number that is not finite is None."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "request": {**result.request.flat(), "providers": list(result.providers)},
        "resolved": {**asdict(result.resolved), "launch": _launch(result.resolved.launch)},
        "provenance": {
            "kind": result.provenance.kind.value,
            "environment": asdict(result.provenance.environment),
        },
        "passed": result.correctness.passed,
        "correctness": _correctness(result.correctness),
        "compiled": {facts.name: kernel_document(facts) for facts in result.compiled},
        "throughput": None if result.throughput is None else _throughput(result.throughput),
        "device_state": _states(result.throughput),
        "refusals": {} if result.throughput is None else {r.provider: r.reason for r in result.throughput.refusals},
        "notes": list(result.notes),
    }
    cleaned: dict[str, Any] = finite(document)
    return cleaned


def _launch(launch: Launch) -> dict[str, Any]:
    """The settings of the strategy; what it does not have is None."""
    values = asdict(launch)
    foreign = [name for name in LAUNCH_NAMES if name != "strategy" and not belongs(name, launch.strategy)]
    unlimited = [name for name in ("programs", "forward_programs") if values[name] == 0]  # one program a row, or a tile
    return {**values, **dict.fromkeys([*foreign, *unlimited])}


def _correctness(correctness: Correctness) -> dict[str, Any]:
    return {
        check.name: {
            "max_abs_error": check.kernel_vs_truth.max_abs,
            "torch_max_abs_error": check.torch_vs_truth.max_abs,
            "max_abs_diff_to_torch": check.kernel_vs_torch.max_abs,
            "tolerance": check.tolerance,
            "passed": check.passed,
            "tutorial_passed": check.tutorial_passed,
            "kernel_vs_truth": _stats(check.kernel_vs_truth),
            "torch_vs_truth": _stats(check.torch_vs_truth),
            "kernel_vs_torch": _stats(check.kernel_vs_torch),
        }
        for check in correctness.checks
    }


def _stats(stats: ErrorStats) -> dict[str, Any]:
    return asdict(stats)


def kernel_document(facts: KernelFacts) -> dict[str, Any]:
    """What the compiler made of a kernel; None where that is not known."""
    return {
        "architecture": facts.architecture,
        "grid": list(facts.grid),
        "num_warps": facts.num_warps,
        "registers": facts.registers,
        "spill_bytes": facts.spill_bytes,
        "shared_bytes": facts.shared_bytes,
        "occupancy": None if facts.occupancy is None else asdict(facts.occupancy),
    }


def _throughput(throughput: Throughput) -> dict[str, Any]:
    providers = dict.fromkeys(figure.provider for figure in throughput.figures)
    return {
        provider: {
            direction: {mode: _figure(throughput.find(provider, direction, mode)) for mode in MODES} for direction in DIRECTIONS
        }
        for provider in providers
    }


def _states(throughput: Throughput | None) -> dict[str, Any] | None:
    if throughput is None or throughput.before is None or throughput.after is None:
        return None
    return {"before": asdict(throughput.before), "after": asdict(throughput.after)}


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    # GB/s is bytes over time, so its 20th percentile is that of the 80th percentile of the times.
    size = figure.gbps * figure.p50_ms
    return {
        "gbps": figure.gbps,
        "p20_gbps": size / figure.p80_ms if figure.p80_ms else None,
        "p80_gbps": size / figure.p20_ms if figure.p20_ms else None,
        "p20_ms": figure.p20_ms,
        "p50_ms": figure.p50_ms,
        "p80_ms": figure.p80_ms,
        "samples": int(figure.samples_ms.size),
        "counted_gbps": figure.counted_gbps,
        "share_of_ceiling": figure.share_of_ceiling,
        "host_us": figure.host_us,
        "settled": figure.settled,
    }


def finite(value: Any) -> Any:
    """The same with None for every number that is not finite, which JSON has no word for, and with sentences in English."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Sentence) else value
