from dataclasses import replace

import numpy as np

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.provenance import Environment
from lnexplorer.domain.result import Figure

CALM = Environment(date="2026-01-01", python="3.12", torch="2.11", triton="3.6", sm_clock_mhz=1980, other_processes=0)
FIGURE = Figure(
    provider="locked",
    direction="forward",
    mode="kernel_cold",
    samples_ms=np.array([0.1]),
    p20_ms=0.1,
    p50_ms=0.1,
    p80_ms=0.1,
    gbps=1.0,
    counted_gbps=1.0,
    share_of_ceiling=None,
    host_us=None,
    settled=True,
)


def test_a_calm_device_leaves_no_doubt() -> None:
    assert doubts(CALM, replace(CALM, sm_clock_mhz=1940), [FIGURE]) == ()


def test_a_clock_that_fell_is_told_with_its_values() -> None:
    (sentence,) = doubts(CALM, replace(CALM, sm_clock_mhz=1782), [FIGURE])
    assert "10 %" in sentence
    assert "1980 to 1782 MHz" in sentence


def test_a_clock_that_rose_is_no_reason_for_doubt() -> None:
    assert doubts(replace(CALM, sm_clock_mhz=1400), CALM, [FIGURE]) == ()


def test_what_holds_the_clocks_down_is_named_once() -> None:
    hot = replace(CALM, throttle_reasons=("power cap", "clocks set by the user"))
    (sentence,) = doubts(hot, hot, [FIGURE])
    assert sentence.endswith(": power cap.")


def test_company_on_the_gpu_is_told() -> None:
    (sentence,) = doubts(CALM, replace(CALM, other_processes=2), [FIGURE])
    assert sentence.startswith("2 other processes were on the GPU")


def test_medians_that_did_not_settle_are_named_up_to_a_few() -> None:
    restless = [replace(FIGURE, settled=False, provider=name) for name in "abcde"]
    (sentence,) = doubts(CALM, CALM, restless)
    assert "a forward (kernel_cold), b forward (kernel_cold), c forward (kernel_cold) and of 2 more" in sentence


def test_what_is_not_known_is_no_reason_for_doubt() -> None:
    unknown = Environment(date="", python="", torch="", triton="")
    assert doubts(unknown, unknown, [FIGURE]) == ()


def test_without_figures_there_is_nothing_to_doubt() -> None:
    assert doubts(CALM, replace(CALM, sm_clock_mhz=100), []) == ()
