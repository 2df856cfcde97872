"""The pictures of reports and benchmarks: the window's charts, drawn without a window."""

import os
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import DIRECTIONS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.panels import PanelPicture, error_histogram
from lnexplorer.domain.parameters import label_of
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.views import QUANTITIES, SweepTable, View
from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.panel_chart import PanelChart
from lnexplorer.gui.charts.picture import charts_picture
from lnexplorer.gui.charts.setting_map import SettingMap
from lnexplorer.gui.charts.speed_chart import ThroughputChart, provider_colour
from lnexplorer.gui.charts.speed_runs import Run, legend_of
from lnexplorer.gui.charts.sweep_chart import (
    OverlayLine,
    SweepChart,
    SweepPicture,
)
from lnexplorer.gui.charts.sweep_pictures import axis_scales, setting_grid, sweep_picture
from lnexplorer.gui.kit import (
    CHINESE,
    ENGLISH,
    LIGHT,
    Languages,
    apply_style,
    has_chinese_font,
    translate_message,
)
from lnexplorer.gui.timeline.canvas import TimelinePicture
from lnexplorer.report.signals import signals_held
from lnexplorer.store.recordings import RecordedSweep
from lnkernels.values import Sentence, join_sentences, say
from lnkernels.values.figures import Figure
from lnkernels.values.timeline import ReductionTimeline

TAGS = {ENGLISH: "en", CHINESE: "zh-Hans"}  # languages as pages name them
MODE = "kernel_cold"
SHOWN_SHARE = 0.4  # of a timeline's time
WIDTH, HEIGHT, LOW = 960, 400, 260  # px on the page
SHARPNESS = 2  # pixels of a PNG for each of the page
BENCHMARK_SIZE, BENCHMARK_TEXT = QSize(1600, 800), 125  # px, per cent


@signals_held()
def begin_drawing(text_percent: int = 100) -> None:
    """Make the QApplication that widgets need, without a display, in the look of all pictures.

    Another QApplication in this process has to be one that draws offscreen.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication.instance() or QApplication(["lnexplorer"])
    assert isinstance(application, QApplication), "it draws widgets"
    apply_style(application, LIGHT, text_percent)


@signals_held()
def in_languages(draw: Callable[[], bytes]) -> dict[str, str]:
    """Return a picture in base64 for each language, by the name that pages give it: English, and
    Chinese where that has a font and gives another picture.
    """
    languages, found = Languages(), {}
    for language, tag in TAGS.items() if has_chinese_font() else ((ENGLISH, TAGS[ENGLISH]),):
        languages.use(language)
        found[tag] = b64encode(draw()).decode()
    languages.use(ENGLISH)
    return {tag: each for tag, each in found.items() if tag == "en" or each != found["en"]}


@signals_held()
def speeds_picture(runs: Sequence[tuple[int, RunResult]]) -> bytes:
    """Draw GB/s of all runs, which have their numbers, as PNG; empty where none has a speed."""
    points = [point for number, result in runs for point in Run.of(result, number).points(MODE)]
    if not points:
        return b""
    chart = ThroughputChart()
    chart.legend = lambda: legend_of(points, named=False)
    chart.apply_theme()
    chart.set_points(points)
    chart.set_labels("" if chart.is_of_one_run else translate_message(say("run")), "GB/s")
    return _png([chart], HEIGHT)


@signals_held()
def sweep_pictures(recorded: RecordedSweep) -> dict[Sentence, Callable[[], bytes]]:
    """Return what draws each pass of a sweep, of two parameters each strategy, as PNG; by title."""
    sweep = recorded.sweep
    if not sweep.axes and not sweep.search:
        return {}
    table = SweepTable(sweep, recorded.results)
    pictures: dict[Sentence, Callable[[], bytes]] = {}
    for direction in sweep.directions:
        view = View("gbps" if table.timed else "error", direction, sweep.modes[0])
        name = DIRECTIONS[direction]
        title = say("{direction}, largest error", direction=name)
        if table.timed:
            way = wording.WAYS[view.mode]
            title = say("{direction}, {way}, GB/s", direction=name, way=way)
        if not table.is_map:
            pictures[title] = partial(_curve, table, view)
            continue
        for key in table.subjects():
            subject = f"{key[0]}, {key[1]}" if len(table.hardware) > 1 else key[0]
            of_subject = join_sentences([subject, title], ": ")
            pictures[of_subject] = partial(_map, table, view, key)
    return pictures


def _curve(table: SweepTable, view: View) -> bytes:
    axes = table.sweep.axes
    across = say("trial") if table.sweep.search else label_of(axes[0].name)
    up = translate_message(QUANTITIES[view.quantity])
    picture = sweep_picture(table, view)
    return _png([_curves(picture, translate_message(across), up)], HEIGHT)


@signals_held()
def experiment_picture(result: ExperimentResult) -> bytes:
    """Return the charts of an experiment that have panels, below each other, as PNG; empty without
    any.
    """
    charts = [_panel(chart) for chart in result.charts() if isinstance(chart, PanelPicture)]
    return _png(charts, sum(max(chart.legible_height(WIDTH) + 60, LOW) for chart in charts))


@signals_held()
def curves_picture(
    sweep: SweepRequest,
    results: Sequence[CellResult],
    directions: Sequence[str],
    title: str,
    source: Sequence[str],
    kind: str = "png",
    ceilings: Mapping[int, Sequence[Figure]] | None = None,
) -> bytes:
    """Draw GB/s of a sweep over N, the passes beside each other, with the source below.

    Args:
        sweep: over N.
        results: its rows.
        directions: the passes.
        title: above all.
        source: a line each.
        kind: png or svg.
        ceilings: figures of a copy and an addition, by N.
    """
    table, charts = SweepTable(sweep, results), []
    scale = axis_scales(table)[0]
    for direction in directions:
        view = View("gbps", direction, sweep.modes[0])
        speeds = {
            n: figure.gbps
            for n, figures in (ceilings or {}).items()
            for figure in figures
            if (figure.direction, figure.mode) == (view.direction, view.mode)
        }
        x = np.array([scale.place_of(n) for n in speeds])
        line = OverlayLine("copy · a + b → c", LIGHT.text, x, np.array([*speeds.values()]))
        picture = sweep_picture(table, view, [line] if speeds else ())
        charts.append(_curves(picture, "N", "GB/s"))
    titles, scale_of = list(map(str.capitalize, directions)), SHARPNESS if kind == "png" else 1
    size = BENCHMARK_SIZE * scale_of
    return charts_picture(
        charts, size, source, kind, scale_of, heading=title, titles=titles, columns=len(charts)
    )


@signals_held()
def reduction_picture(timeline: ReductionTimeline, launch: ResolvedRequest | None) -> bytes:
    """Draw a timeline at the moment that the window shows first, as PNG."""
    picture = TimelinePicture()
    picture.apply_theme()
    picture.show_timeline(timeline, atomic_count=launch is None or launch.launch.atomic_count)
    picture.set_time(SHOWN_SHARE * timeline.end_ns)
    return _png([picture], HEIGHT)


@signals_held()
def errors_picture(result: RunResult) -> bytes:
    """Draw histograms of the errors of the kernels and of PyTorch, for y, dx, dw and db, as PNG;
    empty without any.
    """
    colours = (provider_colour(result.resolved.launch.strategy), provider_colour("torch"))
    histograms = result.correctness.histograms
    charts = [_panel(error_histogram(histogram, colours)) for histogram in histograms]
    return _png(charts, LOW, [histogram.name for histogram in histograms], len(charts))


def _panel(picture: PanelPicture) -> PanelChart:
    chart = PanelChart()
    chart.legend = chart.entries
    chart.apply_theme()
    chart.set_picture(picture)
    return chart


def _curves(picture: SweepPicture, across: str, up: str) -> SweepChart:
    chart = SweepChart()
    chart.apply_theme()
    entries = tuple(picture.legend())
    chart.legend = lambda: entries
    chart.set_labels(across, up)
    chart.set_picture(picture)
    return chart


def _map(table: SweepTable, view: View, key: tuple[str, str]) -> bytes:
    chart = SettingMap()
    chart.apply_theme()
    columns, rows = (translate_message(label_of(axis.name)) for axis in table.sweep.axes)
    chart.set_labels(columns, rows)
    chart.set_grid(setting_grid(table, view, key))
    return _png([chart], HEIGHT)


def _png(
    charts: Sequence[Chart | Drawing], height: int, titles: Sequence[str] = (), columns: int = 1
) -> bytes:
    """Draw charts as PNG; empty without any."""
    if not charts:
        return b""
    size = QSize(WIDTH, height) * SHARPNESS
    return charts_picture(charts, size, (), "png", SHARPNESS, titles=titles, columns=columns)
