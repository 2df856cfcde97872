"""The options of a sweep are those of a run, with several values."""

import pytest

from lnexplorer.cli.sweep_options import read_sweep, sweep_parser
from lnexplorer.domain.parameters import PARAMETERS
from lnexplorer.domain.sweep.request import SweepRequest

SWITCHES = [parameter for parameter in PARAMETERS if parameter.type is bool]


@pytest.mark.parametrize("parameter", SWITCHES, ids=lambda parameter: parameter.name)
def test_a_switch_goes_off_by_the_word_that_a_run_has(parameter: object) -> None:
    name, option = parameter.name, parameter.option  # type: ignore[attr-defined]
    off = option.replace("--", "--no-", 1)
    assert "_" not in off
    strategy = "locked" if name == "barrier" else "persistent"
    sweep = read_sweep(sweep_parser().parse_args(f"--m 8 --n 64,128 --strategy {strategy} {off}".split()))
    assert isinstance(sweep, SweepRequest)
    assert sweep.base.value(name) is False
