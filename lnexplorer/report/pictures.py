"""Pictures of a run for a report, as SVG inside its page: it takes the page's colours, light or dark, and prints sharply."""

import math
from html import escape

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.result import RunResult
from lnkernels.values.accuracy import ErrorHistogram
from lnkernels.values.figures import Figure

WIDTH = 640
LEFT, RIGHT, LINE = 150, 110, 26  # room for names and for numbers; height of one bar's line
MOST_SAMPLES = 60
MODE = "kernel_cold"
CEILINGS = {"forward": "copy", "backward": "add"}


def speeds(result: RunResult) -> str:
    """Bars of GB/s with their samples, by counted bytes in brackets, and the ceiling as a line; empty without times."""
    if result.throughput is None:
        return ""
    parts = []
    for direction, ceiling in CEILINGS.items():
        shown = [f for f in result.throughput.figures if (f.direction, f.mode) == (direction, MODE) and f.provider != ceiling]
        own = result.resolved.launch.strategy
        if not result.correctness.passed:
            shown = [figure for figure in shown if figure.provider != own]
        shown.sort(key=lambda figure: (figure.provider != own, -figure.gbps))
        if shown:
            parts.append(_bars(direction, own, shown, result.throughput.find(ceiling, direction, MODE)))
    return "\n".join(parts)


def errors(result: RunResult) -> str:
    """Histograms of the errors of y, dx, dw and db, of the kernels and of PyTorch."""
    return "\n".join(_histogram(histogram) for histogram in result.correctness.histograms)


def _bars(direction: str, own: str, figures: list[Figure], ceiling: Figure | None) -> str:
    height = LINE * (len(figures) + 1) + 8
    top = max([_fastest(figure) for figure in figures] + ([ceiling.gbps] if ceiling else []))
    scale = (WIDTH - LEFT - RIGHT) / top
    lines = [_open(WIDTH, height, f"GB/s, {direction}"), _text(0, 16, f"{direction}, GB/s", weight="bold")]
    for row, figure in enumerate(figures, 1):
        y = row * LINE
        moved = figure.gbps * figure.p50_ms
        low, high = moved / figure.p80_ms, moved / figure.p20_ms
        lines.append(_text(0, y + 16, figure.provider))
        kind = "own" if figure.provider == own else "peer"
        lines.append(f'<rect class="{kind}" x="{LEFT}" y="{y + 4}" width="{figure.gbps * scale:.1f}" height="16"/>')
        lines.append(_line(LEFT + low * scale, y + 12, LEFT + high * scale, y + 12, "spread"))
        lines += [f'<circle class="sample" cx="{LEFT + x * scale:.1f}" cy="{y + 12}" r="1.5"/>' for x in _some(figure)]
        speed = f"{wording.gbps(figure.gbps)} ({wording.gbps(figure.counted_gbps)})"
        lines.append(_text(WIDTH, y + 16, speed, anchor="end"))
    if ceiling is not None:
        x = LEFT + ceiling.gbps * scale
        lines.append(_line(x, LINE - 4, x, height, "ceiling"))
        lines.append(_text(x, 16, f"ceiling {wording.gbps(ceiling.gbps)}", anchor="end"))
    return "\n".join([*lines, "</svg>"])


def _some(figure: Figure) -> list[float]:
    """Speeds of a part of the samples, spread evenly over the sorted ones."""
    samples = np.sort(figure.samples_ms[figure.samples_ms > 0])
    if samples.size == 0:
        return []
    chosen = samples[np.linspace(0, samples.size - 1, min(samples.size, MOST_SAMPLES)).astype(np.int64)]
    return [float(speed) for speed in figure.gbps * figure.p50_ms / chosen]


def _fastest(figure: Figure) -> float:
    return max([figure.gbps, *_some(figure)])


def _histogram(histogram: ErrorHistogram) -> str:
    width, height, foot = 228, 120, 18  # four beside each other
    seen = np.flatnonzero(histogram.kernel + histogram.torch)
    lines = [_open(width, height, f"errors of {histogram.name}"), _text(0, 14, histogram.name, weight="bold")]
    if seen.size == 0:
        return "\n".join([*lines, _text(0, 40, "every element is exact"), "</svg>"])
    first, last = int(seen[0]), int(seen[-1])
    bins = last - first + 1
    most = math.log10(1 + max(int(histogram.kernel.max()), int(histogram.torch.max())))
    for counts, kind in ((histogram.torch, "peer"), (histogram.kernel, "own")):
        for place, count in enumerate(counts[first : last + 1]):
            bar = (height - foot - 20) * math.log10(1 + int(count)) / most
            if count:
                x, step = place * width / bins, width / bins
                y = height - foot - bar
                lines.append(f'<rect class="{kind} thin" x="{x:.1f}" y="{y:.1f}" width="{step:.1f}" height="{bar:.1f}"/>')
    edges = histogram.log10_edges
    lines.append(_text(0, height - 4, wording.error(float(10 ** edges[first]))))
    lines.append(_text(width, height - 4, wording.error(float(10 ** edges[last + 1])), anchor="end"))
    return "\n".join([*lines, "</svg>"])


def _open(width: int, height: int, title: str) -> str:
    return (
        f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(title)}</title>"
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
