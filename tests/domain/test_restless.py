"""Figures whose median did not settle, in a sentence and out of it."""

from dataclasses import replace

from lnexplorer.domain.doubts import doubts, narrowed, restless_in
from tests.domain.test_doubts import CALM, FIGURE

RESTLESS = replace(FIGURE, settled=False)
CEILING = replace(RESTLESS, provider="add", direction="backward")
WARM = replace(RESTLESS, direction="backward", mode="kernel_warm")


def sentence_of(*figures: object) -> str:
    (sentence,) = doubts(CALM, CALM, figures)  # type: ignore[arg-type]
    return sentence


def test_a_sentence_gives_back_the_figures_that_it_names() -> None:
    restless = restless_in(sentence_of(RESTLESS, CEILING, WARM, RESTLESS, RESTLESS))
    assert restless is not None
    assert [str(figure) for figure in restless.named] == [
        "locked forward (kernel_cold)",
        "add backward (kernel_cold)",
        "locked backward (kernel_warm)",
    ]
    assert restless.more == 2
    assert str(restless) == sentence_of(RESTLESS, CEILING, WARM, RESTLESS, RESTLESS)
    assert restless_in("Another process was on the GPU: times may include their work.") is None


def test_a_doubt_about_the_other_pass_is_none_about_this_one() -> None:
    both = sentence_of(RESTLESS, CEILING)
    assert narrowed(both, ("forward",), "kernel_cold") == sentence_of(RESTLESS)
    assert narrowed(both, ("backward",), "kernel_cold") == sentence_of(CEILING)
    assert narrowed(sentence_of(RESTLESS), ("backward",), "kernel_cold") == ""
    assert narrowed(sentence_of(WARM), ("forward", "backward"), "kernel_cold") == ""


def test_figures_through_autograd_are_held_against_the_ceiling_of_cold_kernels() -> None:
    assert narrowed(sentence_of(CEILING), ("backward",), "autograd") == sentence_of(CEILING)
    assert narrowed(sentence_of(RESTLESS), ("forward",), "autograd") == ""


def test_figures_that_a_sentence_does_not_name_may_be_any() -> None:
    many = sentence_of(RESTLESS, RESTLESS, RESTLESS, WARM)
    assert narrowed(many, ("backward",), "kernel_warm") == many


def test_every_other_doubt_is_about_all_figures() -> None:
    (sentence,) = doubts(CALM, replace(CALM, sm_clock_mhz=1000), [FIGURE])
    assert narrowed(sentence, ("backward",), "autograd") == sentence
