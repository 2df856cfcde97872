"""The manual names every key of the documents that commands print."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.report.documents import experiment_document, run_document
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import read_experiment, read_recording
from lnexplorer.store.resources import resource
from tests.cli.conftest import Command
from tests.store.examples import small_result

RECORDINGS = resource("recordings")
TEXT = Path(resource("manual/formats.md")).read_text(encoding="utf-8")
SIMULATED = "trace --source simulated --m 8 --n 8 --resident-programs 4"
COMMANDS = {
    "history": "history",
    "history show": "history show 1",
    "compare": "compare h200_4096x1024_g16 h200_4096x1024_g64",
    "sweep": "sweep --recorded h200_sweep_blocks",
    "touch": "touch --m 4 --n 16",
    "trace": "trace --recording h200_lecture",
    "trace simulated": SIMULATED,
    "trace several": f"{SIMULATED} --group-size-m 1,2",
    "compile": "compile --m 4 --n 16 --device sm_90 --diff num_warps=2",
    "exercises show": "exercises show 05",
    "exercises check": "exercises check 05 --answer '300 µs'",
}
# Whose keys are names: of packages, providers, reasons, files.
NAMED = {"axes", "candidates", "extras", "others", "packages", "samples", "source", "stages"}
NAMED |= {"peers", "refusals", "roles", "stalls", "tensors", "throughput", "verdicts"}


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for key, inner in value.items():
            yield from keys_of(
                inner.values() if key in NAMED and isinstance(inner, dict) else inner
            )
    elif not isinstance(value, str) and hasattr(value, "__iter__"):
        for inner in value:
            yield from keys_of(inner)


def unnamed(document: Any) -> list[str]:
    """Keys that the manual does not name, nor a pattern such as `forward_…` with a name."""
    said = {*BY_NAME, *re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", TEXT)))}
    patterns = [
        re.compile(text.replace("…", r"(\w+)")) for text in re.findall(r"`(_?\w*…\w*)`", TEXT)
    ]

    def is_named(key: str) -> bool:
        matched = (pattern.fullmatch(key) for pattern in patterns)
        return key in said or any(found is not None and is_named(found[1]) for found in matched)

    return sorted({key for key in keys_of(document) if not is_named(key)})


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_manual_names_the_keys_of_a_document(name: str, lnexplorer: Command) -> None:
    with open_history(find_paths().history, pytest.fail) as history:
        history.runs.add(small_result())
    document = lnexplorer(f"{COMMANDS[name]} --json -q").document
    assert unnamed(document) == []
    chapter = TEXT.partition(f"\n**{name.split(maxsplit=1)[0]}**")[2].partition("\n\n")[0]
    beside = {"schema_version", *run_document(small_result())}
    assert [key for key in document if key not in beside and key not in chapter] == []


def test_the_manual_names_the_keys_of_a_run_and_a_benchmark() -> None:
    result = read_recording(RECORDINGS / "h200_counters_locked.lnrec").result
    assert result is not None
    assert unnamed(run_document(result)) == []
    benchmark = RECORDINGS / "h200_bench_4096_float16.json"
    assert unnamed(json.loads(benchmark.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("name", ["barrier", "gpus", "group_size", "strategies"])
def test_the_manual_names_what_an_experiment_finds(name: str) -> None:
    result = read_experiment(RECORDINGS / f"h200_{name}.lnexperiment")
    assert unnamed(experiment_document(result)) == []
