"""What tuning searches, how it shares its time, and what it takes for the best."""

import pytest

from lnkernels.launch import limits_for_architecture
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.tuned import Entry, StrategyEntry, read_tuned, write_tuned
from lnkernels.launch.tuning import candidates
from lnkernels.tune_search import COMPARED, Search, Times, searches, tune, with_candidates

A100, H200 = limits_for_architecture("sm_80"), limits_for_architecture("sm_90")
NOW = "2026-01-01T00:00:00+00:00"


pytestmark = pytest.mark.usefixtures("tuned_home")


def test_the_fastest_over_all_row_counts_wins_and_one_that_failed_anywhere_does_not() -> None:
    def measure(_: Search, entries: list[Entry], __: float | None) -> dict[int, Times]:
        first, second, third, *_others = entries
        return {4096: {first: 1.0, second: 3.0, third: 0.1}, 8192: {first: 2.0, second: 0.5}}

    ((search, best, times),) = tune([Search("rows", 1024, "float16")], A100, measure)
    assert (search.n, times) == (1024, [3.0, 0.5])
    assert best == candidates("rows", 1024, "float16", A100)[1]


@pytest.mark.parametrize(("time", "place"), [(0.995, 0), (0.98, 3)])
def test_what_is_used_untuned_stays_unless_another_is_worth_it(time: float, place: int) -> None:
    ((_, best, _times),) = tune(
        [Search("rows", 4096, "float16")], A100, lambda _, entries, __: {4096: {entries[0]: 1.0, entries[3]: time}}
    )
    assert best == candidates("rows", 4096, "float16", A100)[place]


def test_the_forward_pass_gets_an_entry_for_few_rows_and_one_for_many() -> None:
    def measure(_: Search, entries: list[Entry], __: float | None) -> dict[int, Times]:
        first, second, *_others = entries
        return {4096: {first: 1.0, second: 2.0}, 32768: {first: 8.0, second: 4.0}}

    found = [(entry, times) for _, entry, times in tune([Search("forward", 4096, "float16")], A100, measure)]
    first, second, *_others = candidates("forward", 4096, "float16", A100)
    assert [times for _, times in found] == [[1.0], [4.0]]
    (few, _), (many, _) = found
    assert isinstance(few, ForwardEntry)
    assert isinstance(many, ForwardEntry)
    assert few == first
    assert (many.many_rows, many.num_warps, many.rows) == (True, second.num_warps, second.rows)


@pytest.mark.parametrize(("split", "faster"), [(0.5, "split"), (2.0, "persistent"), (0.995, "persistent")])
def test_the_best_of_both_strategies_are_measured_in_turns_and_the_faster_one_is_kept(split: float, faster: str) -> None:
    compared: list[list[Entry]] = []

    def measure(search: Search, entries: list[Entry], _: float | None) -> dict[int, Times]:
        if search.kind != COMPARED:
            return {4096: {entries[2]: 1.0}}
        compared.append(entries)
        return {4096: {entry: 1.0 if isinstance(entry, RowsEntry) else split for entry in entries}}

    found = list(tune(searches([8192], ["float16"], ["rows", "split"]), H200, measure))
    assert [search.kind for search, *_ in found] == ["rows", "split", COMPARED]
    assert compared == [[entry for _, entry, _ in found[:2]]]
    assert found[2][1] == StrategyEntry(element_bytes=2, up_to_n=8192, strategy=faster)


def test_nothing_is_compared_where_one_of_the_two_could_not_be_timed() -> None:
    def measure(search: Search, entries: list[Entry], _: float | None) -> dict[int, Times]:
        return {4096: dict.fromkeys(entries[: 1 if search.kind == COMPARED else None], 1.0)}

    found = tune(searches([8192, 1024], ["float16"], ["rows", "split"]), H200, measure)
    assert [(search.kind, search.n) for search, *_ in found] == [("rows", 8192), ("split", 8192), ("rows", 1024)]


def test_no_search_begins_after_its_time_and_each_has_a_fair_share_of_what_is_left() -> None:
    clock = iter([0.0, 2.0, 11.0])
    deadlines: list[float | None] = []

    def measure(_: Search, entries: list[Entry], deadline: float | None) -> dict[int, Times]:
        deadlines.append(deadline)
        return {4096: {entries[0]: 1.0}}

    wanted = searches([1024, 2048, 4096], ["float16"], ["rows", "split"])
    assert len(with_candidates(wanted, A100)) == 3  # rows this narrow are not shared
    assert [search.n for search, *_ in tune(wanted, A100, measure, 9.0, lambda: next(clock))] == [1024, 2048]
    assert deadlines == [3.0, 5.5]


def test_an_interruption_keeps_what_was_found() -> None:
    def measure(search: Search, entries: list[Entry], _: float | None) -> dict[int, Times]:
        if search.n == 2048:
            raise KeyboardInterrupt
        return {4096: {entries[0]: 1.0}}

    found = tune(searches([1024, 2048], ["float16"], ["rows"]), A100, measure)
    write_tuned(A100, NOW, [next(found)[1]])
    with pytest.raises(KeyboardInterrupt):
        next(found)
    assert [entry.up_to_n for one in read_tuned() for entry in one.entries] == [1024]


def test_a_shape_that_does_not_fit_costs_nothing_but_itself() -> None:
    def measure(search: Search, entries: list[Entry], _: float | None) -> dict[int, Times]:
        return {} if search.n == 1024 else {4096: {entries[0]: 1.0}}

    wanted = searches([1024, 2048], ["float16"], ["rows", "forward"])
    assert [search.n for search, *_ in tune(wanted, A100, measure)] == [2048, 2048]


def test_of_two_element_types_of_one_size_one_is_enough() -> None:
    assert {search.dtype for search in searches([64], ["bfloat16", "float16", "float32"], ["rows"])} == {"bfloat16", "float32"}
