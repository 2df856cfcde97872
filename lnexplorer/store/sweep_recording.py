"""Recorded sweeps: one file each, to be shown where there is no GPU, or to be handed on.

See `recorded_file` for the form of the file, `sweep_values` for its values and what is refused.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from lnexplorer.domain.parameters import BY_NAME, PARAMETERS
from lnexplorer.store.own_file import OwnKind
from lnexplorer.store.recorded_file import Manifest, heads_in, manifest_of, read_recorded, write_recorded
from lnexplorer.store.sweep_values import RecordedSweep, check_recorded_sweep, sweep_from_plain, sweep_to_plain

SUFFIX = ".lnsweep"
FILE = OwnKind(name="recorded sweep", format="lnexplorer sweep", version=1, suffix=SUFFIX, most_bytes=64 << 20)


def write_recorded_sweep(path: Path, recorded: RecordedSweep) -> None:
    """Write a sweep with all its samples, whole or not at all.

    Raises:
        RecordingError: the values do not fit together, or the file cannot be written; one sentence.
    """
    check_recorded_sweep(recorded)
    first = recorded.results[0]
    manifest = manifest_of(FILE, recorded.title or default_title(recorded), recorded.date, first.kind, first.environment)
    write_recorded(path, FILE, manifest, lambda put: sweep_to_plain(replace(recorded, title=manifest.title), put))


def read_recorded_sweep(path: Path) -> RecordedSweep:
    """The sweep in a file. What was measured comes back as "recorded", each row with the environment that it was measured in.

    Raises:
        RecordingError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    return read_recorded(path, FILE, _decode)


def recorded_sweeps_in(folder: Path) -> list[tuple[str, Path]]:
    """Title and path of each recorded sweep in `folder`, by title; files that are none are left out."""
    return sorted((head["title"], path) for path, head in heads_in(folder, FILE) if isinstance(head.get("title"), str))


def default_title(recorded: RecordedSweep) -> str:
    """A title for a sweep that was given none: what varies, of which problem, which settings somebody took over, on what."""
    sweep, base = recorded.sweep, recorded.sweep.base
    varied = " × ".join(BY_NAME[axis.name].label for axis in sweep.axes)
    fixed = [f"{name.upper()} = {getattr(base, name)}" for name in ("m", "n") if getattr(base, name) is not None]
    names = [axis.name for axis in sweep.axes]
    dtype = [] if "dtype" in names else [base.dtype]
    held = [
        f"{parameter.name} = {getattr(base, parameter.name)}"
        for parameter in PARAMETERS
        if parameter.automatic and parameter.name not in (*names, "m", "n") and getattr(base, parameter.name) is not None
    ]
    parts = [*(["search"] if sweep.search else []), *([varied] if varied else []), *fixed, *dtype, *held]
    return ", ".join([*parts, *recorded.gpus])


def _decode(_manifest: Manifest, plain: Any) -> RecordedSweep:
    return sweep_from_plain(plain)
