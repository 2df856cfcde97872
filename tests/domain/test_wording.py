"""Numbers as text."""

import math

import pytest

from lnexplorer.domain import wording


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1689.2, 3, "1690"),
        (9.996, 3, "10.0"),
        (-12.34, 3, "-12.3"),
        (0, 3, "0"),
        (4.94e-6, 2, "0.0000049"),
    ],
)
def test_a_number_keeps_so_many_significant_digits(value: float, digits: int, text: str) -> None:
    assert wording.significant(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.13e-6, "2.1e-6"),
        (0.0131, "1.3e-2"),
        (5.44, "5.4"),
        (123.4, "1.2e2"),
        (0.0, "0"),
        (math.nan, "NaN"),
        (-math.inf, "−∞"),
        (None, "–"),
    ],
)
def test_an_error_is_shown_to_two_digits(value: float | None, text: str) -> None:
    assert wording.error(value) == text


def test_ulps_are_whole_above_ten() -> None:
    assert [wording.ulp(value) for value in (0.5, 9.94, 10.4, 3e7, math.inf)] == [
        "0.5",
        "9.9",
        "10",
        "3.0e7",
        "∞",
    ]


def test_speeds_and_shares_are_rounded_to_what_is_known() -> None:
    assert wording.figure(1689.4) == "1690"
    assert wording.figure(96.25) == "96.2"
    assert wording.figure(None) == "–"
    assert wording.share(0.4451) == "45 %"
    assert [wording.share(each) for each in (0.0, 0.004, 0.006)] == ["0 %", "< 1 %", "1 %"]
    assert wording.share(None) == "–"
    assert wording.share(math.nan) == "NaN"
    assert wording.ratio(1.1778) == "1.18×"
    assert wording.ratio(None) == "–"


def test_a_duration_takes_the_unit_that_suits_it() -> None:
    assert [wording.milliseconds(value) for value in (1234.0, 1.5, 0.99999, 0.0389, 0.000032)] == [
        "1.23 s",
        "1.50 ms",
        "1.00 ms",
        "38.9 µs",
        "32 ns",
    ]
    assert wording.microseconds(38.4) == "38.4 µs"
    assert wording.microseconds(None) == "–"
    assert wording.milliseconds(math.nan) == "NaN"


def test_indices_read_as_a_range_or_as_one_number() -> None:
    assert wording.span(3, 4) == "3"
    assert wording.span(0, 16) == "0–15"
    assert wording.shape(4096, 8192, "float16") == "4096×8192 float16"
