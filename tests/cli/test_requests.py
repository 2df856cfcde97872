"""Options of the command line, from the parameters' one declaration, and its help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.cli.commands import COMMANDS
from lnexplorer.cli.main import main
from lnexplorer.cli.options import (
    CommandParser,
    add_device_option,
    add_run_options,
    read_parameters,
    read_request,
)
from lnexplorer.domain.parameters import BY_NAME, PARAMETERS
from lnexplorer.domain.request import RunRequest


def request_of(*arguments: str) -> RunRequest:
    parser = CommandParser("run", "", "")
    add_run_options(parser)
    add_device_option(parser)
    return read_request(parser.read(arguments), [])


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
    read = read_parameters(options, PARAMETERS, [])
    assert read == given | {"barrier": False}


@pytest.mark.parametrize("eps", ["-0.5", "-1e-5", "-inf"])
def test_eps_is_any_number(eps: str) -> None:
    assert request_of("--m", "4", "--eps", eps) == RunRequest(m=4, eps=float(eps))


def test_automatic_can_be_said() -> None:
    assert request_of("--m", "automatic", "--partial-dtype", "automatic") == RunRequest()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--m", "0"],
            "m = 0 (--m) is not possible: take a whole number from 1 to 16777216, or automatic",
        ),
        (
            ["--num-warps", "3"],
            "num_warps = 3 (--num-warps) is not possible: take a power of two from 1 to 32",
        ),
        (["--eps", "nan"], "eps = nan (--eps) is not possible: take a number"),
        (
            ["--n", "8", "--block-size-n", "4"],
            "block_size_n = 4 (--block-size-n) is not possible: take at least 8",
        ),
        (["--device", "gpu"], "device = gpu is not possible: take auto, cuda:N"),
    ],
)
def test_an_impossible_value_is_named_with_what_is_allowed(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--wrong"], "unrecognized arguments: --wrong"),
        (["run", "--group", "4"], "unrecognized arguments: --group"),
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


def test_a_word_that_is_nearly_one_is_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--grp-size-m", "4"]) == 2
    assert (
        "unrecognized arguments: --grp-size-m 4: did you mean --group-size-m?"
        in capsys.readouterr().err
    )
    assert main(["benhc"]) == 2
    said = capsys.readouterr().err
    assert (
        "FILE = benhc is not possible: name a file that is there, or a command (run, sweep" in said
    )
    assert "did you mean bench?" in said


ROOT = Path(__file__).parents[2]


def test_a_package_that_is_not_installed_is_named_with_the_way_out(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")])}

    def lnexplorer(*arguments: str) -> subprocess.CompletedProcess[str]:
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

    run = lnexplorer("run", "--m", "4")
    assert run.returncode == 3
    said = (
        "No module named 'numpy'. `lnexplorer doctor` says what is missing and how to install it."
    )
    assert run.stderr == f"lnexplorer: {said}\n"
    doctor = lnexplorer("doctor")
    assert doctor.returncode == 1
    assert "numpy is not installed." in doctor.stdout
    assert "Install it: pip install 'torch>=2.11,<3'" in doctor.stdout


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_an_architecture_alone_is_refused_with_the_way_to_it(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--device", "sm_90"]) == 2
    assert "take interpreter:sm_90, which runs on the interpreter" in capsys.readouterr().err


def test_a_type_may_be_named_as_others_do() -> None:
    assert request_of("--dtype", "bf16").dtype == "bfloat16"


def test_help_of_a_command_is_had_by_its_name_too(capsys: pytest.CaptureFixture[str]) -> None:
    for words, begin in (
        (["help"], "usage: lnexplorer [options]"),
        (["help", "run"], "usage: lnexplorer run"),
        (["-q", "run", "--help"], "usage: lnexplorer run"),
    ):
        with pytest.raises(SystemExit) as left:
            main(words)
        assert left.value.code == 0
        assert capsys.readouterr().out.startswith(begin)
