import pytest

from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.ranges import (
    MOST_VALUES,
    RangeError,
    read_names,
    read_setting,
    read_values,
    read_whole_numbers,
    write_values,
)
from lnkernels.launch import Problem


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", ""),
        ("1,,2", ""),
        ("a:b:c", "a:b:c"),
        ("10:1", "10:1"),
        ("1:10:0", "1:10:0"),
        ("1:10:x1", "1:10:x1"),
        ("9" * 5000, "9" * 5000),
        ("0:1000000000000", "0:1000000000000"),
        ("１２", "１２"),
    ],
)
def test_an_unreadable_part_is_named_with_what_is_allowed(text: str, part: str) -> None:
    with pytest.raises(RangeError) as caught:
        read_whole_numbers(text)
    assert caught.value.part == part
    assert caught.value.allowed
    assert str(caught.value)


def test_more_values_than_anybody_waits_for_are_refused() -> None:
    assert len(read_whole_numbers(f"1:{MOST_VALUES}")) == MOST_VALUES
    with pytest.raises(RangeError, match="at most"):
        read_whole_numbers(f"1:{MOST_VALUES},{2 * MOST_VALUES}:{3 * MOST_VALUES}")


def test_names_by_comma() -> None:
    assert read_names("locked, persistent,locked") == ("locked", "persistent")
    with pytest.raises(RangeError):
        read_names("locked,")


@pytest.mark.parametrize(
    ("name", "text"),
    [("num_warps", "four"), ("barrier", "perhaps"), ("eps", "small"), ("seed", "automatic")],
)
def test_a_value_of_another_type_is_a_problem_of_its_field(name: str, text: str) -> None:
    problem = read_values(BY_NAME[name], text)
    assert isinstance(problem, Problem)
    assert (problem.field, problem.value) == (name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n", "1024:15872:512"),
        ("num_warps", "1:32:x2"),
        ("num_warps", "automatic,4,8"),
        ("dtype", "float16,float32"),
        ("barrier", "on,off"),
        ("eps", "1e-05,0.5"),
    ],
)
def test_values_are_written_as_they_are_read(name: str, text: str) -> None:
    values = read_values(BY_NAME[name], text)
    assert not isinstance(values, Problem)
    assert write_values(values) == text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1:10:4", (1, 5, 9)),
        ("1:256:x4", (1, 4, 16, 64, 256)),
        ("8, 1:3, 2,64", (8, 1, 2, 3, 64)),
        ("-3:-1", (-3, -2, -1)),
    ],
)
def test_ranges_with_their_stop_and_lists_name_each_value_once(
    text: str, values: tuple[int, ...]
) -> None:
    assert read_whole_numbers(text) == values


def test_a_setting_of_ones_own_takes_what_its_file_has_and_what_is_written_like_it() -> None:
    known = (4, 8.5, "on", True)
    assert read_setting("mine.A", write_values(known[:3]), known[:3]) == known[:3]
    assert read_setting("mine.A", "on, fast,8:32:x2,1e-3,off", ()) == (
        True,
        "fast",
        8,
        16,
        32,
        1e-3,
        False,
    )
    assert isinstance(read_setting("mine.A", "4,,8", known), Problem)
    assert isinstance(read_setting("mine.A", "8:4", known), Problem)
    assert read_setting("mine.A", "fast", known) == ("fast",)
    for word in ("fast", "nan", "1e999"):
        refused = read_setting("mine.A", f"4,{word}", (4, 8.5, True))
        assert isinstance(refused, Problem)
        assert (refused.field, refused.value) == ("mine.A", word)
