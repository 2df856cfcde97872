"""Recordings from before there was more than one strategy are opened, and mean what they meant."""

import json
import zipfile
from pathlib import Path

import pytest

from lnexplorer.domain.request import check, pinned, resolve
from lnexplorer.report.document import run_document
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource

RECORDINGS = sorted(resource("recordings").glob("*.lnrec"))
NEW = ("rows", "programs_per_sm", "programs", "slices", "forward_rows", "forward_num_warps", "forward_programs", "forward_held")


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_a_recording_of_locked_has_the_launch_that_it_had(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        kept = json.loads(archive.read("content.json"))
    launch = kept["result"]["resolved"]["launch"]
    result = read_recording(file).result
    assert result is not None
    assert result.resolved.launch.strategy == "locked"
    for name, value in launch.items():
        assert getattr(result.resolved.launch, name) == value
    assert check(result.request, "cuda") == []
    asked = pinned(result.request, result.resolved, "cuda")
    assert resolve(asked, "cuda") == result.resolved
    document = run_document(result)["resolved"]["launch"]
    assert {name: document[name] for name in NEW} == dict.fromkeys(NEW)
    assert document["group_size_m"] == launch["group_size_m"]
