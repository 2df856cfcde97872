"""The manual names every key of the documents that commands print."""

import json
import re
from pathlib import Path

import pytest

from lnexplorer.cli.main import main
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import find_paths
from lnexplorer.store.resources import resource
from tests.store.examples import small_result

RECORDINGS = resource("recordings")
ONE, OTHER = (str(RECORDINGS / f"h200_4096x1024_g{count}.lnrec") for count in (16, 64))
DOCUMENTS = {
    "history": (["history"], ()),
    "compare": (["compare", ONE, OTHER], ("figures",)),
    "sweep": (
        ["sweep", "--recorded", str(RECORDINGS / "h200_sweep_blocks.lnsweep")],
        ("sweep", "best"),
    ),
    "touch": (["touch", "--m", "4", "--n", "16"], ("accesses",)),
    "doctor": (["doctor"], ("findings", "facts")),
}


@pytest.mark.parametrize("command", DOCUMENTS)
def test_the_manual_names_the_keys_of_a_document(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, inner = DOCUMENTS[command]
    if command == "history":
        with open_history(find_paths().history, pytest.fail) as history:
            history.runs.add(small_result())
    assert main([*arguments, "--json", "-q"]) in {0, 1}
    document = json.loads(capsys.readouterr().out)
    keys = set(document) - {"schema_version"}
    for name in inner:
        value = document[name]
        keys |= set(value[0] if isinstance(value, list) else value)
    text = Path(resource("manual/formats.md")).read_text(encoding="utf-8")
    chapter = text.partition(f"\n**{command}**")[2].partition("\n\n")[0]
    said = " ".join(re.findall(r"`[^`]+`", chapter)) + chapter
    assert not [key for key in keys if key not in said and not key.endswith("_interval")]
