import pytest

from lnexplorer.domain.parameters import GROUPS, PARAMETERS, Parameter


def identity(parameter: Parameter) -> str:
    return parameter.name


@pytest.mark.parametrize("parameter", PARAMETERS, ids=identity)
def test_a_parameter_has_a_group_and_a_sentence_of_help(parameter: Parameter) -> None:
    assert parameter.group in GROUPS
    assert parameter.help[0].isupper()
    assert parameter.help.endswith(".")
    assert parameter.label


@pytest.mark.parametrize("parameter", PARAMETERS, ids=identity)
def test_what_a_parameter_accepts_is_said_in_words(parameter: Parameter) -> None:
    accepts = str(parameter.allowed())
    assert accepts.endswith("automatic") == parameter.automatic
    assert "None" not in accepts
    for choice in parameter.choices:
        assert choice in accepts


def test_options_are_written_with_hyphens() -> None:
    options = {parameter.name: parameter.option for parameter in PARAMETERS}
    assert options["reduce_block_size_m"] == "--reduce-block-size-m"
    assert len(set(options.values())) == len(options)
