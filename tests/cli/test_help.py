import pytest

from lnexplorer import __version__
from lnexplorer.__main__ import main
from lnexplorer.cli.commands import COMMANDS
from lnexplorer.domain.parameters import PARAMETERS


def leave(arguments: list[str]) -> int | str | None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return end.value.code


def test_the_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(["--help"]) == 0
    out = capsys.readouterr().out
    for name, text in COMMANDS.items():
        assert f"  {name} " in out
        assert text in out


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert leave([command, "--help"]) == 0
    assert f"usage: lnexplorer {command}" in capsys.readouterr().out


def test_the_help_of_a_run_comes_from_the_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(["run", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for parameter in PARAMETERS:
        assert parameter.option in out
        assert parameter.help in out
    assert "--no-barrier" in out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(["--version"]) == 0
    assert capsys.readouterr().out == f"lnexplorer {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--wrong"], "unrecognized arguments: --wrong"),
        (["run", "--wrong"], "unrecognized arguments: --wrong"),
        (["run", "--group", "4"], "unrecognized arguments: --group"),
        (["doctor", "now"], "unrecognized arguments: now"),
        (["record"], "required: FILE"),
    ],
)
def test_a_wrong_option_ends_with_status_2_and_a_reason(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_what_is_neither_a_file_nor_a_command_is_said_to_be_neither(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rnu"]) == 2
    assert "FILE = rnu is not possible: name a file that is there, or a command (run, sweep" in capsys.readouterr().err
