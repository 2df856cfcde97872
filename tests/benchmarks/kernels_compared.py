"""The kernels of two checkouts against each other on one GPU: `kernels_compared.py OLD NEW`, six to nine minutes.

    git archive 64cd18a kernels | tar -x -C /tmp/old      # the checkout to compare with; any folder that holds
    `kernels` python tests/benchmarks/kernels_compared.py /tmp/old .

Each side has a process of its own, as both packages have one name. The two prepare a case together, and then are timed
in turns, round by round, so that a change of the clocks meets both: kernels alone in a CUDA graph, L2 flushed before
each repetition. Traces are taken in turns likewise. Needs torch, triton and numpy alone. Writes kernels_compared.md and
.json to $OUT, or to the current folder; what it prints ends with the ratios that are farthest from 1. The exit status
is 1 where a case failed.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHAPES = (
    (512, 512, "float16"),
    (4096, 1024, "float16"),
    (4096, 1000, "bfloat16"),
    (4096, 2048, "float32"),
    (4096, 4096, "float16"),
    (32768, 2048, "bfloat16"),
    (4096, 8192, "float16"),
    (2048, 5000, "float32"),
    (4096, 10752, "bfloat16"),
    (4096, 32768, "float16"),
)
STRATEGIES = ("locked", "persistent", "split", "atomic")
ROUNDS, ROUND_MS, FLUSH_BYTES = 16, 8.0, 256 << 20
TRACES = 6
STOP_AFTER_S = 530  # a machine is lent for ten minutes


# --- One side, in a process of its own. It reads a line of JSON for each thing to do, and answers with one.


class Side:
    """The kernels of one checkout, with one case prepared."""

    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.device = torch.device("cuda", 0)
        self.flush = torch.empty(FLUSH_BYTES // 4, dtype=torch.int32, device=self.device)
        self.graphs: dict[str, Any] = {}
        self.trace: Callable[[], dict[str, float]] | None = None

    def prepare(self, strategy: str, m: int, n: int, dtype: str) -> str:
        torch = self.torch
        run_forward, run_backward, self.trace = _old(self, strategy, m, n, dtype) or _new(self, strategy, m, n, dtype)
        self.graphs = {}
        for name, call in (("forward", run_forward), ("backward", run_backward)):
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                for _ in range(3):
                    call()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                call()
            self.graphs[name] = graph
        return "ready"

    def measure(self, what: str, repetitions: int) -> list[float]:
        """Times of one pass in µs."""
        torch = self.torch
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repetitions)]
        for start, end in events:
            self.flush.zero_()
            start.record()
            self.graphs[what].replay()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) * 1000 for start, end in events]

    def traced(self) -> dict[str, float]:
        """Figures of one traced pass, in µs."""
        assert self.trace is not None, "a case is prepared first"
        return self.trace()

    def inputs(self, m: int, n: int, dtype: str) -> dict[str, Any]:
        torch = self.torch
        kind = getattr(torch, dtype)
        torch.manual_seed(0)
        x = (-2.3 + 0.5 * torch.randn(m, n, device=self.device)).to(kind)
        dy = (0.1 * torch.randn(m, n, device=self.device)).to(kind)
        weight, bias = (torch.rand(n, device=self.device).to(kind) for _ in range(2))
        column = {"dtype": torch.float32, "device": self.device}
        return {
            "x": x,
            "dy": dy,
            "weight": weight,
            "bias": bias,
            "y": torch.empty_like(x),
            "mean": torch.empty(m, **column),
            "rstd": torch.empty(m, **column),
            "written": {"dx": torch.empty_like(x), "dw": torch.empty_like(weight), "db": torch.empty_like(weight)},
        }


Case = tuple[Callable[[], None], Callable[[], None], Callable[[], dict[str, float]]]


def _old(side: Side, strategy: str, m: int, n: int, dtype: str) -> Case | None:
    """The case in a checkout from before kernels and their traced forms were one; None for a later one."""
    try:
        from lnkernels import lock_trace
    except ImportError:
        return None
    from lnkernels.locked import LockedWorkspace, launch_backward

    from lnkernels import atomic_trace, persistent_trace, split_trace
    from lnkernels.device import device_limits
    from lnkernels.forward import launch_forward
    from lnkernels.launch import LaunchOverrides, check_launch, resolve_launch
    from lnkernels.strategies import plan_of

    limits = device_limits(side.device)
    config = resolve_launch(n, dtype, LaunchOverrides(strategy=strategy), limits, m=m)
    if check_launch(n, dtype, config, limits):
        raise LookupError("the strategy has no launch for this shape")
    given = side.inputs(m, n, dtype)
    x, dy, weight, bias, y, mean, rstd, written = given.values()
    arguments, statistics = (x, dy, weight, mean, rstd), {"y": y, "mean": mean, "rstd": rstd}
    if strategy == "locked":
        workspace = LockedWorkspace.allocate(m, n, x.dtype, config, x.device)
        return (
            lambda: launch_forward(x, weight, bias, 1e-5, config, **statistics),
            lambda: launch_backward(*arguments, config, workspace, **written),
            lambda: _of_locks(lock_trace.trace_backward(*arguments, config, workspace, **written)),
        )
    plan = plan_of(config, n, dtype, side.device)
    tracing = {"persistent": persistent_trace, "split": split_trace, "atomic": atomic_trace}[strategy]
    return (
        lambda: plan.run_forward(x, weight, bias, 1e-5, **statistics),
        lambda: plan.run_backward(*arguments, **written),
        lambda: _of_programs(tracing.trace_backward(*arguments, plan.backward, **written)),
    )


def _new(side: Side, strategy: str, m: int, n: int, dtype: str) -> Case:
    """The case in this checkout."""
    from lnkernels.device import device_limits
    from lnkernels.launch import LaunchWish, check_launch, resolve_launch
    from lnkernels.strategies.registry import STRATEGIES as KERNELS
    from lnkernels.tracing import carry_out

    limits = device_limits(side.device)
    launch = resolve_launch(n, dtype, LaunchWish(strategy=strategy), limits, m=m)
    if check_launch(n, dtype, launch, limits):
        raise LookupError("the strategy has no launch for this shape")
    given = side.inputs(m, n, dtype)
    x, dy, weight, bias, y, mean, rstd, written = given.values()
    arguments = (x, dy, weight, mean, rstd, launch)
    kernels = KERNELS[strategy]

    def trace() -> dict[str, float]:
        workspace, memory = kernels.allocate_workspace(x, launch), kernels.allocate_trace(x, launch)
        carry_out(lambda: kernels.run_backward(*arguments, **written, workspace=workspace, trace=memory), side.device)
        found = kernels.read_trace(x, launch, memory, dw=written["dw"], db=written["db"])
        return _of_locks(found) if strategy == "locked" else _of_programs(found)

    return (
        lambda: kernels.run_forward(x, weight, bias, 1e-5, launch, y=y, mean=mean, rstd=rstd),
        lambda: kernels.run_backward(*arguments, **written),
        trace,
    )


def _of_locks(trace: Any) -> dict[str, float]:
    waited, held = trace.held_ns - trace.wanted_ns, trace.released_ns - trace.held_ns
    return {
        "stage 1": float(trace.released_ns.max()) / 1000,
        "stage 2": float(trace.tile_end_ns.max() - trace.tile_start_ns.min()) / 1000,
        "mean wait": float(waited.mean()) / 1000,
        "mean hold": float(held.mean()) / 1000,
    }


def _of_programs(trace: Any) -> dict[str, float]:
    found = {
        "stage 1": float(trace.add_end_ns.max()) / 1000,
        "stage 2": float(trace.tile_end_ns.max() - trace.tile_start_ns.min()) / 1000,
        "mean turn": float((trace.ready_ns - trace.start_ns).mean()) / 1000,
        "mean adding": float((trace.add_end_ns - trace.add_begin_ns).mean()) / 1000,
    }
    begun, ended = getattr(trace, "wait_begin_ns", None), getattr(trace, "wait_end_ns", None)
    if begun is None and getattr(trace, "waits_ns", None) is not None and trace.waits_ns.ndim == 2:
        begun, ended = trace.waits_ns
    if begun is not None and ended is not None:
        found["mean wait"] = float((ended - begun).mean()) / 1000
    return found


def serve() -> None:
    """Do what is asked, line by line."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    side = Side()
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        try:
            answer: Any = {"value": getattr(side, what)(*arguments)}
        except Exception as error:  # noqa: BLE001 - told to the other side
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


# --- The process that asks both.


class Asked:
    """A side, as this process sees it."""

    def __init__(self, root: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(root).resolve() / "kernels")}
        command = [sys.executable, __file__, "--serve"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def begin(self, *what: Any) -> None:
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def end(self) -> Any:
        assert self._process.stdout is not None, "it is a pipe"
        answer = json.loads(self._process.stdout.readline() or '{"error": "the process has ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def ask(self, *what: Any) -> Any:
        self.begin(*what)
        return self.end()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def compared(sides: list[Asked], case: tuple[str, int, int, str]) -> list[dict[str, Any]]:
    """Rows of the table of one case: medians of both sides and their ratio."""
    rows = []
    for side in sides:
        side.begin("prepare", *case)
    why_not = []
    for side in sides:
        try:
            side.end()
        except RuntimeError as error:
            why_not.append(str(error))
    if why_not:
        raise RuntimeError("; ".join(why_not))
    for what in ("forward", "backward"):
        longest = max(statistics.median(side.ask("measure", what, 5)) for side in sides)
        repetitions = max(3, min(100, int(ROUND_MS * 1000 / longest)))
        samples: list[list[list[float]]] = [[], []]
        for turn in range(ROUNDS):
            for at in (0, 1) if turn % 2 == 0 else (1, 0):
                samples[at].append(sides[at].ask("measure", what, repetitions))
        flat = [[value for each in rounds for value in each] for rounds in samples]
        # How far the medians of one side's rounds are apart says what a ratio may be by chance.
        medians = [statistics.median(values) for values in flat]
        spreads = [statistics.pstdev(map(statistics.median, rounds)) for rounds in samples]
        spread = max(apart / median for apart, median in zip(spreads, medians, strict=True))
        rows.append(_row(case, what, "time", *medians, spread))
    traces: list[list[dict[str, float]]] = [[], []]
    for _ in range(TRACES):
        for at in (0, 1):
            traces[at].append(sides[at].ask("traced"))
    for figure in traces[0][0]:
        values = [[trace[figure] for trace in side] for side in traces]
        spread = max(statistics.pstdev(each) / max(statistics.median(each), 1e-9) for each in values)
        rows.append(_row(case, "trace", figure, *map(statistics.median, values), spread))
    return rows


def _row(case: tuple[str, int, int, str], what: str, figure: str, old: float, new: float, spread: float) -> dict[str, Any]:
    strategy, m, n, dtype = case
    shape = {"strategy": strategy, "m": m, "n": n, "dtype": dtype, "pass": what, "figure": figure}
    return {**shape, "old_us": old, "new_us": new, "ratio": new / max(old, 1e-9), "spread": spread}


def main(old: str, new: str) -> int:
    """Compare them all."""
    begun, rows, failed = time.monotonic(), [], []
    sides = [Asked(old), Asked(new)]
    cases = [(strategy, *shape) for shape in SHAPES for strategy in STRATEGIES]
    for at, case in enumerate(cases):
        if time.monotonic() - begun > STOP_AFTER_S:
            failed.append(f"no time was left for {len(cases) - at} cases")
            break
        try:
            rows += compared(sides, case)
        except RuntimeError as error:
            if "LookupError" not in str(error) and "ValueError" not in str(error):
                failed.append(f"{case}: {error}")
            print(f"{case}: {error}", flush=True)
        else:
            print(f"{time.monotonic() - begun:.0f} s {case}: {_ratios(rows, case)}", flush=True)
    for side in sides:
        side.close()
    folder = Path(os.environ.get("OUT", "."))
    (folder / "kernels_compared.json").write_text(json.dumps({"rows": rows, "failed": failed}, indent=1))
    lines = ["| strategy | M | N | dtype | pass | figure | old µs | new µs | ratio | spread |", "|" + "---|" * 10]
    for row in rows:
        numbers = f"{row['old_us']:.2f} | {row['new_us']:.2f} | {row['ratio']:.4f} | {row['spread']:.4f}"
        names = " | ".join(str(row[name]) for name in ("strategy", "m", "n", "dtype", "pass", "figure"))
        lines.append(f"| {names} | {numbers} |")
    (folder / "kernels_compared.md").write_text("\n".join([*lines, "", *failed]) + "\n")
    for what in ("forward", "backward", "trace"):
        those = [row for row in rows if row["pass"] == what]
        if those:
            middle = statistics.median(row["ratio"] for row in those)
            print(f"{what}: {len(those)} ratios, median {middle:.4f}; farthest from 1:")
            for row in sorted(those, key=lambda row: -abs(row["ratio"] - 1))[:6]:
                names = [row[name] for name in ("strategy", "m", "n", "dtype", "figure")]
                print("   ", *names, f"{row['ratio']:.4f} ± {row['spread']:.4f}")
    print("\n".join(failed) or "every case was compared")
    return 1 if failed or not rows else 0


def _ratios(rows: list[dict[str, Any]], case: tuple[str, int, int, str]) -> str:
    own = [row for row in rows if (row["strategy"], row["m"], row["n"], row["dtype"]) == case]
    return ", ".join(f"{row['pass'] if row['figure'] == 'time' else row['figure']} {row['ratio']:.3f}" for row in own)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        raise SystemExit(main(*sys.argv[1:3]))
