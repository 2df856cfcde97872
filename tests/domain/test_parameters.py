import pytest

from lnexplorer.domain.parameters import PARAMETERS, Parameter


def identity(parameter: Parameter) -> str:
    return parameter.name


@pytest.mark.parametrize("parameter", PARAMETERS, ids=identity)
def test_what_a_parameter_accepts_is_said_in_words(parameter: Parameter) -> None:
    accepts = str(parameter.allowed())
    assert accepts.endswith("automatic") == parameter.automatic
    assert "None" not in accepts
    for choice in parameter.choices:
        assert choice in accepts
