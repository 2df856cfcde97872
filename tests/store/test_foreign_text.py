"""Texts of a foreign file are lines and names, and nothing that is run or computed, or never ends."""

from dataclasses import replace

import pytest
from lnexplorer.store.foreign_text import check_environment, check_line, check_names
from lnexplorer.store.validation import check_result

from lnexplorer.store.files import StoreError
from tests.store.examples import small_result


@pytest.mark.parametrize("text", ["", "NVIDIA H200", "2.11.0+cu130", "2025-11-20T09:30:00+00:00", "RTX 4090 (笔记本)"])
def test_what_machines_are_called_passes(text: str) -> None:
    check_line("gpu", text)


@pytest.mark.parametrize(
    ("text", "why"),
    [("a\nb", "one line"), ("\x1b]0;x\x07", "one line"), ("x" * 201, "201 characters"), ("=1+1", "cannot begin with =")],
)
def test_what_no_machine_is_called_does_not(text: str, why: str) -> None:
    with pytest.raises(StoreError, match=why):
        check_line("gpu", text)
    environment = small_result().provenance.environment
    with pytest.raises(StoreError, match="gpu of its environment"):
        check_environment(replace(environment, gpu=text))
    with pytest.raises(StoreError, match="throttle_reasons of its environment"):
        check_environment(replace(environment, throttle_reasons=("power cap", text)))


def test_names_hold_letters_digits_dots_and_dashes() -> None:
    check_names("a provider", ("torch", "torch.compile", "my-kernel_2"))
    for name in ("", "a b", "$(x)", "a;b", "a\n", "x" * 61):
        with pytest.raises(StoreError, match="a provider is called"):
            check_names("a provider", (name,))


def test_a_run_with_such_texts_is_refused() -> None:
    result = small_result()
    check_result(result)
    with pytest.raises(StoreError, match="a provider of its run"):
        check_result(replace(result, providers=("torch;x",)))
