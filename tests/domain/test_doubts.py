from dataclasses import replace

import numpy as np

from lnexplorer.domain.doubts import ONE_OTHER, concerns, is_doubt, state_lines
from lnexplorer.domain.doubts import doubts as doubts_of
from lnkernels.values.environment import DeviceState, Environment
from lnkernels.values.figures import DIRECTIONS, MODES, Figure
from lnkernels.values.sentence import verbatim
from tests.sample_results import figure_of

CALM = Environment(
    date="2026-01-01",
    python="3.12",
    torch="2.11",
    triton="3.6",
    sm_clock_mhz=1980,
    other_processes=0,
)
FIGURE = figure_of(np.array([0.1]), 1.0)


def doubts(before: DeviceState, after: DeviceState, figures: list[Figure]) -> tuple[str, ...]:
    """What is doubtful, in English."""
    found = doubts_of(before, after, figures)
    assert all(is_doubt(sentence) for sentence in found)
    return tuple(map(str, found))


def test_a_clock_that_fell_is_told_with_its_values() -> None:
    (sentence,) = doubts(CALM, replace(CALM, sm_clock_mhz=1782), [FIGURE])
    assert "10 %" in sentence
    assert "1980 to 1782 MHz" in sentence
    assert doubts(CALM, replace(CALM, sm_clock_mhz=1940), [FIGURE]) == ()


def test_what_holds_the_clocks_down_is_named_once() -> None:
    hot = replace(CALM, throttle_reasons=("power cap", "clocks set by the user"))
    (sentence,) = doubts(hot, hot, [FIGURE])
    assert sentence.endswith(": power cap.")
    assert doubts(CALM, hot, [FIGURE]) == doubts(hot, CALM, [FIGURE]) == (sentence,)


def test_what_came_and_went_between_two_looks_is_counted_by_the_driver() -> None:
    before = replace(CALM, power_held_ms=100.0, heat_held_ms=7.0)
    assert doubts(before, replace(before, power_held_ms=100.5), [FIGURE]) == ()
    power, heat = doubts(before, replace(before, power_held_ms=140.0, heat_held_ms=19.0), [FIGURE])
    assert "power cap" in power
    assert "40 ms" in power
    assert "Heat" in heat
    assert "12 ms" in heat


def test_company_counts_wherever_it_was_seen() -> None:
    (sentence,) = doubts(
        replace(CALM, other_processes=1), replace(CALM, other_processes=3), [FIGURE]
    )
    assert sentence.startswith("3 other processes")
    assert doubts(CALM, replace(CALM, other_processes=3), [FIGURE]) == (sentence,)


RESTLESS = replace(FIGURE, settled=False)
CEILING = replace(RESTLESS, provider="add", direction="backward")
WARM = replace(RESTLESS, direction="backward", mode="kernel_warm")


def test_medians_that_did_not_settle_are_named_by_pass_and_way_and_up_to_a_few() -> None:
    warm, cold = doubts(CALM, CALM, [WARM, CEILING, replace(CEILING, provider="locked")])
    assert "given, backward, warm L2: locked. Measure longer." in warm
    assert "given, backward, cold L2: ceiling, locked. Measure longer." in cold
    (many,) = doubts(CALM, CALM, [replace(RESTLESS, provider=name) for name in "abcde"])
    assert "a, b, c, 2 more." in many


def test_a_doubt_about_medians_concerns_its_pass_and_way_of_calling_and_any_other_one_all() -> None:
    (restless,) = doubts_of(CALM, CALM, [RESTLESS])
    assert concerns(restless, ("forward", "backward"), "kernel_cold")
    assert not concerns(restless, ("backward",), "kernel_cold")
    assert not concerns(restless, ("forward",), "autograd")
    assert concerns(ONE_OTHER, ("backward",), "autograd")
    assert not is_doubt(verbatim("A note of another kind."))


BEFORE = DeviceState(
    sm_clock_mhz=1980, memory_clock_mhz=3201, temperature_c=41, power_w=310.4, other_processes=0
)
AFTER = DeviceState(
    sm_clock_mhz=1785,
    memory_clock_mhz=3201,
    temperature_c=58,
    power_w=698.7,
    other_processes=1,
    throttle_reasons=("power cap",),
)


def test_what_changed_stands_with_both_values_and_what_did_not_once() -> None:
    assert [f"{label}: {value}" for label, value in state_lines(BEFORE, AFTER)] == [
        "SM clock: 1980 → 1785 MHz",
        "memory clock: 3201 MHz",
        "temperature: 41 → 58 °C",
        "power: 310 → 699 W",
        "clocks held down by: – → power cap",
        "other processes: 0 → 1",
    ]


def test_a_call_that_no_graph_can_hold_is_said_of_its_pass_and_of_no_call_through_autograd() -> (
    None
):
    eager = [
        replace(FIGURE, direction=direction, mode=mode, host_us=9.0)
        for direction in DIRECTIONS
        for mode in MODES
    ]
    notes = doubts_of(CALM, CALM, eager)
    assert [str(note).partition(": ")[0] for note in notes] == [
        f"{FIGURE.provider}, {each}" for each in DIRECTIONS
    ]
    assert all(map(is_doubt, notes))
    assert [concerns(note, ["backward"], "kernel_warm") for note in notes] == [False, True]
    assert not any(concerns(note, DIRECTIONS, "autograd") for note in notes)
