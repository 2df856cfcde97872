"""The files that the tutorial's benchmark leaves: a table and a picture for each pass."""

from pathlib import Path

from lnexplorer.cli.bench_picture import WAYS
from lnexplorer.domain.sweep.command import sweep_command
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.tutorial import Rows, chart_rows, of_one_kind, tutorial_csv
from lnexplorer.storage.aside import reason, write_whole


def write_tutorial_files(folder: Path, sweep: SweepRequest, rows: Rows) -> tuple[list[str], bool]:
    """Write `layer-norm-backward.csv` and `.png`, and those of the other pass; what is to be said, and whether all were written.

    Args:
        folder: made where it is missing.
        sweep: one over N.
        rows: its rows, by cell; at least one.
    """
    shown, said = of_one_kind(rows)
    sentences = [said] if said else []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for direction in sweep.directions:
            path = folder / f"layer-norm-{direction}.csv"
            write_whole(path, tutorial_csv(sweep, shown, direction).encode())
            sentences.append(f"wrote {path}")
    except OSError as error:
        return [*sentences, f"{folder} cannot be written ({reason(error)})"], False
    return _pictures(folder, sweep, shown, sentences)


def _pictures(folder: Path, sweep: SweepRequest, rows: Rows, sentences: list[str]) -> tuple[list[str], bool]:
    timed = {direction: chart_rows(sweep, rows, direction) for direction in sweep.directions}
    if not any(row.gbps is not None for each in timed.values() for row in each):
        return [*sentences, "there is no speed to draw, so there is no picture"], True
    from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence  # noqa: PLC0415

    missing = missing_libraries(("offscreen",))
    if missing:
        return [*sentences, missing_sentence(missing)], False
    from lnexplorer.gui.benchmark_picture import save_benchmark_picture  # noqa: PLC0415  (Qt from here on)

    first = rows[0]
    title = f"LayerNorm, M = {first['m']}, {first['dtype']}: {WAYS[sweep.modes[0]]}"
    versions = [f"{name} {first[name]}" for name in ("driver", "torch", "triton") if first[name] is not None]
    where = " · ".join(map(str, [first["kind"], first["gpu"], *versions, first["date"]]))
    source = f"{where}\nlnexplorer sweep {sweep_command(sweep)}"
    complete = True
    for direction, chart in timed.items():
        path = folder / f"layer-norm-{direction}.png"
        why_not = save_benchmark_picture(chart, sweep.modes[0], title, source, path)
        sentences.append(why_not or f"wrote {path}")
        complete = complete and not why_not
    return sentences, complete
