"""Options of the command line, from the parameters' one declaration, and its help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.cli.commands import COMMANDS
from lnexplorer.cli.options import (
    CommandParser,
    add_device_option,
    add_run_options,
    read_request,
)
from lnexplorer.domain.parameters import BY_NAME, PARAMETERS
from lnexplorer.domain.request import RunRequest
from tests.cli.conftest import Command


def request_of(*arguments: str) -> RunRequest:
    parser = CommandParser("run", "", "")
    add_run_options(parser)
    add_device_option(parser)
    return read_request(parser.read(arguments))


def test_every_option_reaches_the_request() -> None:
    given = {
        each.name: each.choices[-1] if each.choices else each.type(1 << each.power_of_two)
        for each in PARAMETERS
        if each.type is not bool and each.name != "strategy"
    }
    arguments = [
        text for name, value in given.items() for text in (BY_NAME[name].option, str(value))
    ]
    parser = CommandParser("run", "", "")
    add_run_options(parser)
    options = parser.read([*arguments, "--no-barrier"])
    read = options.read_parameters(PARAMETERS)
    assert read == given | {"barrier": False}


@pytest.mark.parametrize("eps", ["-0.5", "-1e-5", "-inf"])
def test_eps_is_any_number(eps: str) -> None:
    assert request_of("--m", "4", "--eps", eps) == RunRequest(m=4, eps=float(eps))


def test_automatic_can_be_said() -> None:
    assert request_of("--m", "automatic", "--partial-dtype", "automatic") == RunRequest()


def test_the_help_names_every_command(lnexplorer: Command) -> None:
    out = lnexplorer("--help").out
    for name, text in COMMANDS.items():
        assert f"  {name} " in out
        assert text in out


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command: str, lnexplorer: Command) -> None:
    out = lnexplorer(f"{command} --help").out
    assert f"usage: lnexplorer {command}" in out
    if command in ("experiment", "neighbours"):  # each experiment has its own number of runs
        assert "Default: the experiment's own" in " ".join(out.split("--repeats INT")[-1].split())
    assert ("--repeats" in out) == (command in ("run", "record", "experiment", "neighbours"))
    assert ("--seed" in out) == (command in {*RUNNING, "trace"})
    assert ("--eps" in out) == (command in {*RUNNING, "trace", "compile"})
    assert ("of neighbours:" in out) == (command == "experiment")


RUNNING = {"run", "record", "sweep", "bench", "experiment", "neighbours"}
ROOT = Path(__file__).parents[2]


def test_a_package_that_is_not_installed_is_named_with_the_way_out(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")])}

    def started(*arguments: str) -> subprocess.CompletedProcess[str]:
        # Without site-packages, only the standard library and the program itself are there.
        command = [sys.executable, "-S", "-m", "lnexplorer", *arguments]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    run = started("run", "--m", "4")
    assert run.returncode == 3
    said = (
        "No module named 'numpy'. `lnexplorer doctor` says what is missing and how to install it."
    )
    assert run.stderr == f"lnexplorer: {said}\n"
    doctor = started("doctor")
    assert doctor.returncode == 1
    assert "numpy is not installed." in doctor.stdout
    assert "Install it: pip install 'torch>=2.11,<3'" in doctor.stdout


def test_a_type_may_be_named_as_others_do() -> None:
    assert request_of("--dtype", "bf16").dtype == "bfloat16"


def test_help_of_a_command_is_had_by_its_name_too(lnexplorer: Command) -> None:
    for line, begin in (
        ("help", "usage: lnexplorer [options]"),
        ("help run", "usage: lnexplorer run"),
        ("-q run --help", "usage: lnexplorer run"),
    ):
        assert lnexplorer(line).out.startswith(begin)
