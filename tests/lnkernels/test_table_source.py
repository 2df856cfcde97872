"""The built-in table is what its command would print, if it measured the same."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import lnkernels.device
import lnkernels.launch.measured as table
from lnkernels import tune
from lnkernels.launch import limits_for_architecture
from lnkernels.launch.forward import usual_forward
from lnkernels.launch.measured import FORWARD, FORWARD_OF_MANY_ROWS, ROWS, SPLIT, ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.shapes import DTYPE_BYTES
from lnkernels.launch.tuned import KINDS, Entry
from lnkernels.launch.tuning import candidates, table_source, table_widths
from lnkernels.tune_search import Search, Times, table_searches

EVERY = ROWS + SPLIT + FORWARD + FORWARD_OF_MANY_ROWS
H200 = limits_for_architecture("sm_90")


def _read(text: str) -> dict[str, tuple[Entry, ...]]:
    found: dict[str, tuple[Entry, ...]] = {}
    exec(text, {"RowsEntry": RowsEntry, "SplitEntry": SplitEntry, "ForwardEntry": ForwardEntry}, found)
    return found


def _settings(entries: tuple[Entry, ...], widths: Iterable[int]) -> dict[tuple[int, int], Entry | None]:
    """From size and width to what a table says there."""

    def at(size: int, n: int) -> Entry | None:
        found = next((entry for entry in entries if entry.element_bytes == size and n <= entry.up_to_n), None)
        return found and replace(found, up_to_n=0)

    return {(size, n): at(size, n) for size in (2, 4) for n in widths}


WIDTHS = sorted({n for entry in EVERY for n in (entry.up_to_n, entry.up_to_n + 1)})


def test_the_table_is_printed_as_it_stands_in_its_file() -> None:
    content = Path(str(table.__file__)).read_text(encoding="utf-8").splitlines()
    text = table_source(EVERY)
    assert [line for line in text.splitlines() if line and line not in content] == []
    many = tuple(replace(entry, many_rows=False) for entry in FORWARD_OF_MANY_ROWS)
    for name, entries in (("ROWS", ROWS), ("SPLIT", SPLIT), ("FORWARD", FORWARD), ("_MANY", many)):
        assert _settings(_read(text)[name], WIDTHS) == _settings(entries, WIDTHS)


def test_the_table_is_measured_at_all_of_its_own_widths_and_in_both_sizes() -> None:
    for kind, made in KINDS.items():
        for size in (2, 4):
            own = {entry.up_to_n for entry in EVERY if isinstance(entry, made) and entry.element_bytes == size}
            widths = table_widths(kind, size)
            assert own <= set(widths.values()), (kind, size)
            assert list(widths) == sorted(widths)
            assert max(widths) <= 131072
            assert sorted(widths.values()) == list(widths.values())


def test_neighbours_with_the_same_settings_are_one_entry() -> None:
    first, second, third = (entry for entry in ROWS[:3])
    again = replace(second, up_to_n=700)
    assert _read(table_source([third, again, second, first]))["ROWS"] == (first, again, third)
    apart = replace(second, up_to_n=2000)
    assert _read(table_source([third, apart, second, first]))["ROWS"] == (first, second, third, apart)
    assert _read(table_source([replace(second, element_bytes=4, up_to_n=700), second]))["ROWS"] == (
        second,
        replace(second, element_bytes=4, up_to_n=700),
    )


def test_every_entry_of_the_table_is_tried_where_it_is_measured_anew() -> None:
    for kind, made in KINDS.items():
        for entry in (one for one in EVERY if isinstance(one, made)):
            widths = table_widths(kind, entry.element_bytes)
            n = next(measured for measured, up_to_n in widths.items() if up_to_n == entry.up_to_n)
            few = {"many_rows": False} if isinstance(entry, ForwardEntry) else {}
            dtype = "float16" if entry.element_bytes == 2 else "float32"
            assert replace(entry, up_to_n=n, **few) in candidates(kind, n, dtype, H200)


@pytest.fixture
def without_a_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Search]:
    """`python -m lnkernels.tune` with a device on which all candidates take the same time; what it was asked."""
    asked: list[Search] = []

    def measurement(rows: list[int], *_: object) -> object:
        def measure(search: Search, entries: list[Entry], _: float | None) -> dict[int, Times]:
            asked.append(search)
            return {m: dict.fromkeys(entries, 1.0) for m in rows}

        return measure

    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr(tune, "_open", lambda _: None)
    monkeypatch.setattr(tune, "_measurement", measurement)
    monkeypatch.setattr(lnkernels.device, "device_limits", lambda _: H200)
    monkeypatch.setattr(lnkernels.device, "environment", lambda _: SimpleNamespace(date="today"))
    return asked


def test_one_command_measures_the_whole_table_and_prints_it_and_keeps_nothing(
    without_a_gpu: list[Search], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune.main(["--table"]) == 0
    printed = _read(capsys.readouterr().out)
    for name, entries in (("ROWS", ROWS), ("SPLIT", SPLIT), ("FORWARD", FORWARD)):
        assert _settings(printed[name], WIDTHS) == _settings(entries, WIDTHS)
    # The table may have entries for many rows in half precision alone, and the command measures all.
    for n in table_widths("forward", 2).values():
        usual = usual_forward(n, 2, H200, many_rows=True)
        assert _settings(printed["_MANY"], [n])[2, n] == replace(usual, up_to_n=0, many_rows=False)
    wanted = table_searches(["float16", "float32"], tuple(KINDS))
    assert without_a_gpu == wanted
    assert {search.dtype for search in wanted} == {"float16", "float32"}
    assert list(tmp_path.iterdir()) == []


def test_without_that_option_widths_that_people_use_are_measured_and_kept(
    without_a_gpu: list[Search], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune.main(["--kind", "forward"]) == 0
    assert {768, 1024, 3584, 5120, 7168, 65536} <= {search.n for search in without_a_gpu}
    assert {search.dtype for search in without_a_gpu} == {"float16"}
    assert (tmp_path / "tuned.json").exists()
    assert str(tmp_path) in capsys.readouterr().err


def test_widths_and_the_table_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        tune.main(["--table", "--n", "1024"])
    assert ended.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err


def test_a_width_of_the_table_is_measured_with_what_its_entry_says() -> None:
    for size, dtype in ((2, "float16"), (4, "float32")):
        assert DTYPE_BYTES[dtype] == size
        for n, up_to_n in table_widths("forward", size).items():
            assert usual_forward(n, size, H200) == usual_forward(up_to_n, size, H200)
