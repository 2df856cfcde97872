"""The data of a page that plays a timeline, and its Chinese."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from PySide6.QtCore import QTranslator

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import RowState, free_ns, phase_names, summarize
from lnexplorer.gui.kit import (
    CATALOGUE,
    CHINESE,
    CONTEXT,
    LOCK_COLOURS,
    RESULT_COLOURS,
    THEMES,
    Theme,
)
from lnexplorer.gui.timeline.facts import details_text, facts_text, summary_text
from lnexplorer.gui.timeline.frame import GROUPINGS, HUES, picture_colours
from lnexplorer.gui.timeline.lanes import arranged
from lnexplorer.gui.timeline.source import kernel_source, step_of_adding
from lnexplorer.store.resources import resource
from lnkernels.values import Words
from lnkernels.values.timeline import ReductionTimeline


def replay_facts(timeline: ReductionTimeline, launch: ResolvedRequest | None) -> list[Words]:
    """Return what the window says about a timeline as a whole, a line each."""
    summary = summarize(timeline)
    facts = [] if launch is None else [facts_text(timeline, launch, None)]
    return [*facts, summary_text(timeline, summary), details_text(timeline, summary)]


def replay_source(timeline: ReductionTimeline) -> tuple[tuple[int, str], ...]:
    """Return the numbered lines that rows run through; none of a kernel of one's own."""
    return () if timeline.source else kernel_source().lines


def replay_data(timeline: ReductionTimeline, launch: ResolvedRequest | None) -> dict[str, Any]:
    """Return a timeline as plain values. A time is its distance to the one before: of a row's
    start and a tile's to that of the last row and tile, of others to the row's event before.
    """
    free = free_ns(timeline)
    source = kernel_source()
    data = {
        "group_size_m": timeline.group_size_m,
        "counted": timeline.counted,
        "source": timeline.source,
        "lanes": timeline.lanes,
        "names": phase_names(timeline.phases) if timeline.phases else {},
        "barrier": launch is None or launch.launch.barrier,
        "atomic_count": launch is None or launch.launch.atomic_count,
        "lock": timeline.lock,
        "order": timeline.order,
        "sm": timeline.sm,
        "tries": timeline.tries,
        "start": np.diff(timeline.start_ns, prepend=0),
        "computes": timeline.wanted_ns - timeline.start_ns,
        "queues": free - timeline.wanted_ns,
        "tries_for": timeline.held_ns - free,
        "holds": timeline.released_ns - timeline.held_ns,
        "tile_start": np.diff(timeline.tile_start_ns, prepend=0),
        "tile_lasts": timeline.tile_end_ns - timeline.tile_start_ns,
        "deepest": {name: arranged(timeline, name).deepest for name in GROUPINGS},
        "steps": {step.name: lines for step, lines in source.steps.items()},
        "adding": (
            "" if launch is None else step_of_adding(launch, interpreted=timeline.counted).name
        ),
    }
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in data.items()
    }


def page_data(
    timelines: dict[str, dict[str, Any]], replays: Sequence[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Return the data of a page's scripts, with the colours of the window's pictures.

    Args:
        timelines: by name.
        replays: what plays, each with its anchor and the name of its timeline; if not given each
            timeline at an anchor of its own name.
    """
    if replays is None:
        replays = [{"anchor": name, "plays": name} for name in timelines]
    themes = {name: _theme(theme) for name, theme in THEMES.items()}
    return {"themes": themes, "timelines": timelines, "replays": replays}


def _theme(theme: Theme) -> dict[str, Any]:
    colours, hues = picture_colours(theme), range(HUES)
    return asdict(theme) | {
        "locks": LOCK_COLOURS,
        "results": RESULT_COLOURS,
        "states": [[colours.state(state, hue).name() for hue in hues] for state in RowState],
        "over": [colours.over(hue).name() for hue in hues],
        "heat": [[shade.name() for shade in colours.heats(hue)] for hue in hues],
    }


def chinese() -> Callable[[str], str]:
    """Return a function from an English template to the Chinese one of the program's catalogue; to
    the English one where that lacks it.
    """
    catalogue = resource(f"translations/{CATALOGUE}_{CHINESE}.qm").read_bytes()
    translator = QTranslator()
    translator.load(catalogue)

    def look_up(template: str, _catalogue: bytes = catalogue) -> str:  # Qt reads in it
        return translator.translate(CONTEXT, template) or template

    return look_up
