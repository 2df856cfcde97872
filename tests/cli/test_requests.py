import json

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli.options import CommandParser, add_device_option, add_run_options, read_request
from lnexplorer.domain.request import RunRequest


def request_of(*arguments: str) -> RunRequest:
    parser = CommandParser("run", "", "")
    add_run_options(parser)
    add_device_option(parser)
    return read_request(parser.read(arguments), [])


def test_what_is_not_given_is_automatic() -> None:
    assert request_of() == RunRequest()


def test_every_option_reaches_the_request() -> None:
    given = {
        "m": 4,
        "n": 8,
        "dtype": "bfloat16",
        "eps": 1e-3,
        "strategy": "locked",
        "group_size_m": 2,
        "block_size": 16,
        "block_size_n": 32,
        "reduce_block_size_m": 4,
        "reduce_block_size_n": 64,
        "num_warps": 2,
        "reduce_num_warps": 1,
        "num_stages": 2,
        "partial_dtype": "same",
        "data": "spike",
        "seed": 7,
        "repeats": 3,
    }
    arguments = [text for name, value in given.items() for text in ("--" + name.replace("_", "-"), str(value))]
    assert request_of(*arguments, "--no-barrier") == RunRequest.of(**given, barrier=False)  # type: ignore[arg-type]
    assert request_of("--barrier") == RunRequest.of(barrier=True)


@pytest.mark.parametrize("eps", ["-1", "-0.5", "-1e-5", "-inf", "1e300"])
def test_eps_is_any_number(eps: str) -> None:
    assert request_of("--m", "4", "--eps", eps) == RunRequest(m=4, eps=float(eps))


def test_automatic_can_be_said() -> None:
    assert request_of("--m", "automatic", "--partial-dtype", "automatic") == RunRequest()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--m", "0"], "m = 0 (--m) is not possible: take a whole number from 1 to 16777216, or automatic"),
        (["--m", "many"], "m = many (--m) is not possible: take a whole number"),
        (["--n", "2.5"], "n = 2.5 (--n) is not possible"),
        (["--num-warps", "3"], "num_warps = 3 (--num-warps) is not possible: take a power of two from 1 to 32"),
        (["--dtype", "float64"], "dtype = float64 (--dtype) is not possible: take one of float16, bfloat16, float32"),
        (["--dtype", "automatic"], "dtype = automatic (--dtype) is not possible"),
        (["--eps", "nan"], "eps = nan (--eps) is not possible: take a number"),
        (["--seed", "-1"], "seed = -1 (--seed) is not possible"),
        (["--n", "8", "--block-size-n", "4"], "block_size_n = 4 (--block-size-n) is not possible: take at least 8"),
        (["--n", "65536"], "n = 65536 (--n) is not possible: strategy locked holds a row in one program"),
        (["--data", "tutorials"], "data = tutorials (--data) is not possible: take one of tutorial"),
        (["--device", "gpu"], "device = gpu is not possible: take auto, cuda:N"),
        (["--device", "cuda:-1"], "device = cuda:-1 is not possible: take auto"),
    ],
)
def test_an_impossible_value_is_named_with_what_is_allowed(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_all_impossible_values_are_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--m", "0", "--num-warps", "3"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_an_impossible_request_is_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--num-warps", "3", "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    (problem,) = document["error"]["problems"]
    assert problem == {"field": "num_warps", "value": "3", "allowed": "take a power of two from 1 to 32, or automatic"}


def test_an_impossible_device_is_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--device", "gpu", "--json"]) == 2
    (problem,) = json.loads(capsys.readouterr().out)["error"]["problems"]
    assert problem["field"] == "device"
