"""Tuned settings: where they are kept, for what they hold, and what becomes of a file that is not one."""

import json
import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest

from lnkernels.launch import DeviceLimits, LaunchOverrides, check_launch, limits_for_architecture, resolve_launch
from lnkernels.launch.choice import choose
from lnkernels.launch.settings_choice import choose_again
from lnkernels.launch.settings_forward import forward_of, forward_settings
from lnkernels.launch.settings_table import ForwardEntry, RowsEntry
from lnkernels.launch.tuned import (
    Entry,
    Tuned,
    TunedFileError,
    forget_tuned,
    read_tuned,
    tuned_file,
    write_tuned,
)
from lnkernels.tune import Search, searches, tune

A100, H200 = limits_for_architecture("sm_80"), limits_for_architecture("sm_90")
ENTRY = RowsEntry(element_bytes=2, up_to_n=4096, rows=4, num_warps=16, num_stages=2, programs_per_sm=1)
NOW = "2026-01-01T00:00:00+00:00"


def _read_anew() -> None:
    choose_again()
    choose.cache_clear()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    _read_anew()
    yield tmp_path
    monkeypatch.undo()
    _read_anew()


def _rows(n: int, limits: DeviceLimits = A100) -> int:
    _read_anew()
    return resolve_launch(n, "float16", LaunchOverrides(strategy="persistent"), limits).rows


def test_what_was_tuned_is_used_for_the_same_device() -> None:
    automatic = _rows(4096)
    assert automatic != 4
    assert write_tuned(A100, NOW, [ENTRY]) == tuned_file()
    assert _rows(4096) == 4
    assert _rows(4096, replace(A100, sm_count=56)) == automatic
    assert _rows(4096, replace(A100, name="NVIDIA A100-PCIE-40GB")) == automatic
    assert forget_tuned()
    assert _rows(4096) == automatic
    assert not forget_tuned()


def test_two_who_write_at_once_keep_each_others_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    other = threading.Thread(target=write_tuned, args=(A100, NOW, [replace(ENTRY, up_to_n=8192)]))

    def read_slowly() -> list[Tuned]:
        found = read_tuned()
        if not other.ident:
            other.start()
            other.join(0.2)  # all the time it would need to write
        return found

    monkeypatch.setattr("lnkernels.launch.tuned.read_tuned", read_slowly)
    write_tuned(A100, NOW, [ENTRY])
    other.join()
    (kept,) = read_tuned()
    assert sorted(entry.up_to_n for entry in kept.entries) == [4096, 8192]


def test_another_version_of_triton_is_another_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    write_tuned(A100, NOW, [ENTRY])
    monkeypatch.setattr("lnkernels.launch.tuned._version", lambda _package: "99.0")
    assert _rows(4096) == 1


def test_a_new_measurement_takes_the_place_of_an_older_one_and_of_nothing_else() -> None:
    other = ForwardEntry(element_bytes=2, up_to_n=4096, rows=1, block_n=0, num_warps=8, num_stages=1, programs_per_sm=0)
    write_tuned(A100, NOW, [ENTRY, other])
    write_tuned(replace(A100, sm_count=56), NOW, [ENTRY])
    write_tuned(A100, NOW, [replace(ENTRY, rows=2)])
    found = {one.device["sm_count"]: set(one.entries) for one in read_tuned()}
    assert found == {A100.sm_count: {replace(ENTRY, rows=2), other}, 56: {ENTRY}}
    assert sorted(os.listdir(tuned_file().parent)) == [tuned_file().name, "tuned.lock"]  # noqa: PTH208


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "null",
        json.dumps({"format": "something else", "devices": []}),
        json.dumps({"format": "lnkernels tuned settings 1", "devices": [{"device": {}, "date": NOW}]}),
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_such_file_is_ignored_with_one_warning_that_names_it(content: str) -> None:
    tuned_file().write_text(content)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert _rows(4096) == 1
        resolve_launch(1024, "float16", LaunchOverrides(strategy="persistent"), A100)
    assert [str(tuned_file()) in str(warning.message) for warning in told] == [True]
    with pytest.raises(TunedFileError, match=r"tuned\.json"):
        write_tuned(A100, NOW, [ENTRY])
    assert tuned_file().read_text() == content


@pytest.mark.parametrize("wrong", [{"rows": 3}, {"num_warps": -4}, {"rows": "4"}, {"num_stages": True}, {"colour": 1}])
def test_an_entry_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    write_tuned(A100, NOW, [ENTRY])
    document = json.loads(tuned_file().read_bytes())
    document["devices"][0]["rows"][0].update(wrong)
    tuned_file().write_text(json.dumps(document))
    with pytest.raises(TunedFileError):
        read_tuned()


def test_without_a_home_the_file_is_in_the_cache_folder_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LNEXPLORER_HOME")
    for cache in (None, str(tmp_path / "cache")):
        monkeypatch.setenv("XDG_CACHE_HOME", cache) if cache else monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        assert tuned_file().parent == platformdirs.user_cache_path("lnexplorer", appauthor=False)


def test_no_file_is_no_reason_to_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _rows(4096) == 1


def test_the_fastest_over_all_row_counts_wins_and_one_that_failed_anywhere_does_not() -> None:
    def measure(_: Search, entries: list[Entry]) -> Sequence[dict[Entry, float]]:
        first, second, third, *_others = entries
        return [{first: 1.0, second: 3.0, third: 0.1}, {first: 2.0, second: 0.5}]

    ((search, best, times),) = tune([Search("rows", 1024, "float16")], A100, measure, rows=[4096, 8192])
    assert (search.n, times) == (1024, [3.0, 0.5])
    assert not check_launch(1024, "float16", resolve_launch(1024, "float16", LaunchOverrides(strategy="persistent"), A100), A100)
    assert isinstance(best, RowsEntry)


def test_the_forward_pass_gets_an_entry_for_few_rows_and_one_for_many() -> None:
    def measure(_: Search, entries: list[Entry]) -> Sequence[dict[Entry, float]]:
        first, second, *_others = entries
        return [{first: 1.0, second: 2.0}, {first: 8.0, second: 4.0}]

    found = list(tune([Search("forward", 4096, "float16")], A100, measure, rows=[4096, 32768]))
    assert [(entry.many_rows, times) for _, entry, times in found if isinstance(entry, ForwardEntry)] == [
        (False, [1.0]),
        (True, [4.0]),
    ]
    few, many = (entry for _, entry, _ in found)
    assert isinstance(few, ForwardEntry)
    assert replace(few, many_rows=True) != many
    write_tuned(A100, NOW, [few])
    write_tuned(A100, NOW, [many])
    _read_anew()
    settings = [forward_settings(4096, "float16", A100, many_rows=which) for which in (False, True)]
    assert settings == [forward_of(entry, 4096, A100) for entry in (few, many)]


def test_what_was_tuned_with_few_rows_holds_for_many_until_those_are_tuned() -> None:
    few = ForwardEntry(element_bytes=2, up_to_n=4096, rows=2, block_n=0, num_warps=8, num_stages=1, programs_per_sm=0)
    write_tuned(A100, NOW, [few])
    _read_anew()
    assert forward_settings(4096, "float16", A100, many_rows=True) == forward_of(few, 4096, A100)
    few_on_h200 = replace(few, num_warps=2)
    write_tuned(H200, NOW, [few_on_h200])
    _read_anew()
    assert forward_settings(4096, "float16", H200) == forward_of(few_on_h200, 4096, H200)
    assert forward_settings(4096, "float16", H200, many_rows=True).num_warps != 2  # its table has entries for many rows


def test_no_search_begins_after_its_time() -> None:
    clock = iter([0.0, 5.0, 11.0])
    wanted = searches([1024, 2048, 4096], ["float16"], ["rows"])
    done = [
        search.n
        for search, *_ in tune(wanted, A100, lambda _, entries: [{entries[0]: 1.0}], 10.0, lambda: next(clock), rows=[4096])
    ]
    assert done == [1024, 2048]


def test_an_interruption_keeps_what_was_found() -> None:
    def measure(search: Search, entries: list[Entry]) -> Sequence[dict[Entry, float]]:
        if search.n == 2048:
            raise KeyboardInterrupt
        return [{entries[0]: 1.0}]

    found = tune(searches([1024, 2048], ["float16"], ["rows"]), A100, measure, rows=[4096])
    write_tuned(A100, NOW, [next(found)[1]])
    with pytest.raises(KeyboardInterrupt):
        next(found)
    assert [entry.up_to_n for one in read_tuned() for entry in one.entries] == [1024]


def test_of_two_element_types_of_one_size_one_is_enough() -> None:
    assert {search.dtype for search in searches([64], ["bfloat16", "float16", "float32"], ["rows"])} == {"bfloat16", "float32"}
