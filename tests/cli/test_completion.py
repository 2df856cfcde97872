"""The script of a shell completes what the parsers take: bash itself runs that of bash."""

import shlex
import shutil
import subprocess
from collections.abc import Callable

import pytest

from lnexplorer.cli.commands import COMMANDS, command_module
from lnexplorer.domain.parameters import BY_NAME
from tests.cli.conftest import Command

Complete = Callable[[str], list[str]]
bash = shutil.which("bash")


@pytest.fixture
def complete(lnexplorer: Command) -> Complete:
    """What bash offers at the end of a line; <files> where it would look for files."""
    if bash is None:
        pytest.skip("there is no bash here")
    source = lnexplorer("completion bash").out

    def ask(line: str) -> list[str]:
        asked = f"""{source}
compopt() {{ offered=("<files>"); }}
COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)} COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
_lnexplorer
printf '%s\\n' "${{COMPREPLY[@]}}" "${{offered[@]}}"
"""
        ran = subprocess.run(
            [bash, "--norc"], input=asked, capture_output=True, text=True, check=True, timeout=60
        )
        assert ran.stderr == ""
        return ran.stdout.split()

    return ask


def test_commands_are_completed(complete: Complete) -> None:
    assert {*complete("lnexplorer ")} >= {*COMMANDS, "<files>"}
    assert complete("lnexplorer swe") == ["sweep", "<files>"]
    assert complete("lnexplorer --scr") == ["--screenshot"]


def test_every_option_of_every_command_is_completed(complete: Complete) -> None:
    for name in COMMANDS:
        parser = command_module(name).parser()
        declared = {option for action in parser._actions for option in action.option_strings}
        assert set(complete(f"lnexplorer {name} -")) == declared, name


def test_the_values_of_a_choice_are_completed(complete: Complete) -> None:
    assert complete("lnexplorer run --dtype ") == list(BY_NAME["dtype"].choices)
    assert complete("lnexplorer run --m 4 --dtype=fl") == ["float16", "float32"]
    assert complete("lnexplorer experiment b") == ["barrier"]
    assert complete("lnexplorer tune --device cu") == ["cuda:0"]
    assert complete("lnexplorer run --m ") == []


def test_a_list_goes_on_after_its_comma(complete: Complete) -> None:
    assert complete("lnexplorer sweep --strategy locked,per") == ["locked,persistent"]
    assert complete("lnexplorer run --strategy locked,per") == []  # one alone
    assert complete("lnexplorer tune --dtype float16,bf") == ["float16,bfloat16"]


def test_files_are_looked_for_where_a_file_is_named(complete: Complete) -> None:
    assert complete("lnexplorer sweep --csv ") == ["<files>"]
    assert complete("lnexplorer compare ") == ["<files>"]
    assert complete("lnexplorer run ") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_every_option_and_read_it_without_an_error(
    shell: str, lnexplorer: Command
) -> None:
    source = lnexplorer(f"completion {shell}").out
    for name in COMMANDS:
        assert name in source
    for parameter in BY_NAME.values():
        assert parameter.option.lstrip("-") in source
        assert all(choice in source for choice in parameter.choices)
    if (found := shutil.which(shell)) is not None:
        ran = subprocess.run(
            [found, "-n"], input=source, capture_output=True, text=True, check=True, timeout=60
        )
        assert ran.stderr == ""


def test_names_of_sheets_settings_and_architectures_are_completed(complete: Complete) -> None:
    assert complete("lnexplorer exercises show 08") == ["08-missing-barrier"]
    assert complete("lnexplorer compile --device sm_9") == ["sm_90"]
    assert complete("lnexplorer compile --architectures sm_80,sm_9") == ["sm_80,sm_90"]
    assert complete("lnexplorer compile --device interpreter:sm_12") == ["sm_120", "sm_121"]
    assert complete("lnexplorer compare --who torch,kern") == ["torch,kernels"]
    assert complete("lnexplorer compile --only stage") == ["stage1", "stage2"]
    assert complete("lnexplorer compile --diff barr") == ["barrier="]
