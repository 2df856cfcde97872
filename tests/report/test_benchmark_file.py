import csv
import io
import json
from pathlib import Path

import pytest

from lnexplorer.report.benchmark_file import (
    COLUMNS,
    MOST_PARTS,
    MOST_ROWS,
    benchmark_csv,
    benchmark_document,
    file_text,
    read_benchmark,
)
from lnexplorer.report.tables import write
from lnexplorer.store.files import StoreError
from tests.sample_benchmark import ENVIRONMENT, benchmark


def test_the_csv_has_a_row_for_each_figure_ceiling_and_refusal() -> None:
    lines = list(csv.DictReader(io.StringIO(benchmark_csv(benchmark(256, 512)))))
    assert tuple(lines[0]) == COLUMNS
    assert [(line["n"], line["provider"], line["status"]) for line in lines][3:] == [
        ("512", "copy", "ok"),
        ("512", "locked", "ok"),
        ("512", "torch", "incorrect"),
    ]
    assert (lines[2]["gbps"], lines[2]["reason"]) == ("", "dw is wrong in 3 elements")


def test_the_json_keeps_samples_and_has_null_for_what_is_not_finite() -> None:
    document = json.loads(file_text(benchmark_document(benchmark(256))))
    candidate = document["points"][0]["candidates"]["locked"]
    assert candidate["figures"][0]["samples_ms"] == [0.1, 0.2, 0.3]
    assert candidate["errors"]["y"]["torch_max_abs"] is None
    assert document["schema_version"] == 1


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    made, path = benchmark(256, 512), tmp_path / "bench.json"
    write(path, file_text(benchmark_document(made)))
    read = read_benchmark(path)
    assert read.rows == tuple(made.rows())
    assert read.environment == ENVIRONMENT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "holds no benchmark"),
        ('{"kind": "lnexplorer benchmark", "schema_version": 9}', "version 9"),
        ('{"kind": "lnexplorer benchmark", "schema_version": 1}', "damaged"),
        ('{"kind": "lnexplorer benchmark", "schema_version": 1, "rows": [{"m": "x"}]}', "damaged"),
        ("[" + "[]," * (MOST_PARTS // 2) + "[]]", "more than 4194304 values"),
        (
            '{"kind": "lnexplorer benchmark", "schema_version": 1, "rows": ['
            + "1," * MOST_ROWS
            + "1]}",
            "more than 65536 rows",
        ),
    ],
)
def test_another_file_is_refused_with_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bench.json"
    path.write_text(text)
    with pytest.raises(StoreError, match=words):
        read_benchmark(path)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        read_benchmark(tmp_path / "nowhere" / "bench.json")


def test_a_full_disk_leaves_a_sentence() -> None:
    with pytest.raises(StoreError, match="No space left"):
        write(Path("/dev/full"), "x")


def test_a_low_percentile_of_throughput_comes_from_a_high_one_of_time() -> None:
    row = benchmark(256).rows()[1]
    assert (row.p20_gbps, row.gbps, row.p80_gbps) == (500.0, 1000.0, 2000.0)
    assert row.ceiling_gbps == 2000.0
    assert row.samples == 3
