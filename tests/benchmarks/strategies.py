"""Prints a table of the strategies' speed beside PyTorch's and the ceilings', by the project's own protocol.

    PYTHONPATH=kernels python tests/benchmarks/strategies.py --m 4096 --dtype float16

Kernels alone in a CUDA graph, cold L2, all of a width in one interleaved run, each checked first. GB/s count the tutorial's
bytes; the share is of the copy (forward) or the a + b -> c (backward) of the same bytes.
"""

import argparse
import json
from pathlib import Path

import torch

from lnkernels.device import device_limits, environment
from lnkernels.inputs import make_inputs
from lnkernels.launch import LaunchOverrides, resolve_launch
from lnkernels.measure import measure
from lnkernels.providers.eager import Eager
from lnkernels.providers.inductor import Inductor
from lnkernels.providers.locked import Locked
from lnkernels.providers.planned import Planned
from lnkernels.providers.protocol import Case, Provider
from lnkernels.providers.verify import Verifier
from lnkernels.timing.rounds import Effort

EPS = 1e-5
DEVICE = torch.device("cuda", 0)


def main() -> None:
    """Measure every width asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=4096)
    parser.add_argument("--dtype", default="float16", choices=("float16", "bfloat16", "float32"))
    parser.add_argument("--n", type=int, nargs="*", default=[1024, 2048, 4096, 8192, 12288, 16384, 32768, 65536])
    parser.add_argument("--providers", nargs="*", default=["auto", "torch"], help="auto, persistent, split, atomic, locked, …")
    parser.add_argument("--autograd", action="store_true", help="time the autograd path too")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    chosen = parser.parse_args()
    print(environment(DEVICE))
    print("     N  pass      provider       GB/s   p20    p80  share  host µs")
    figures = [row for n in chosen.n for row in _width(n, chosen)]
    if chosen.json:
        chosen.json.write_text(json.dumps({"m": chosen.m, "dtype": chosen.dtype, "figures": figures}, indent=1))


def _width(n: int, chosen: argparse.Namespace) -> list[dict[str, object]]:
    inputs = make_inputs(chosen.m, n, getattr(torch, chosen.dtype), "tutorial", 0, DEVICE)
    launch = resolve_launch(n, chosen.dtype, LaunchOverrides(strategy="auto"), device_limits(DEVICE))
    case = Case.of(inputs, EPS, launch)
    modes = ("kernel_cold", "autograd") if chosen.autograd else ("kernel_cold",)
    which = tuple((direction, mode) for mode in modes for direction in ("forward", "backward"))
    providers = [_provider(name) for name in chosen.providers]
    found = measure(case, providers, which=which, effort=Effort(seconds=1.0), check=Verifier(case))  # type: ignore[arg-type]
    for refusal in found.refusals:
        print(f"{n:6}  {refusal.direction or '-':8}  {refusal.provider:12}  {refusal.reason}")
    rows: list[dict[str, object]] = []
    for figure in sorted(found.figures, key=lambda one: (one.subject.direction, one.subject.mode, -one.gbps.p50)):
        subject, gbps, share = figure.subject, figure.gbps, figure.share_of_ceiling
        kind = subject.direction + (" ag" if subject.mode == "autograd" else "")
        speed = f"{gbps.p50:6.0f} {gbps.p20:6.0f} {gbps.p80:6.0f}"
        of_ceiling = f"{share:6.3f}" if share is not None else "      "
        host = f"{figure.host_us:7.0f}" if figure.host_us is not None else ""
        print(f"{n:6}  {kind:11} {subject.provider:12} {speed} {of_ceiling} {host}", flush=True)
        row = {"n": n, "pass": kind, "provider": subject.provider, "gbps": gbps.p50, "share": share}
        rows.append({**row, "host_us": figure.host_us})
    return rows


def _provider(name: str) -> Provider:
    match name:
        case "torch":
            return Eager()
        case "torch.compile":
            return Inductor()
        case "locked":
            return Locked()
        case _:
            return Planned(name)


if __name__ == "__main__":
    main()
