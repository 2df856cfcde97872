import pytest

from lnexplorer.domain.sweep.table import as_text


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"]
)
def test_what_begins_as_a_formula_is_marked_as_text(text: str) -> None:
    assert as_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "NVIDIA H200", "a = b", "'=1", "1e-3"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert as_text(text) == text
