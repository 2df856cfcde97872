import math
from dataclasses import replace

import pytest

from lnexplorer.domain.parameters import LAUNCH_NAMES, PARAMETERS, Parameter
from lnexplorer.domain.request import (
    DEFAULT_SHAPE,
    PRESETS,
    Preset,
    RunRequest,
    check,
    pinned,
    plan_run,
    resolve,
)
from lnkernels.launch import KNOWN_DEVICES, STRATEGIES, Problem, belongs, own_settings

AUTOMATIC = [parameter for parameter in PARAMETERS if parameter.automatic]
FIXED = [parameter for parameter in PARAMETERS if not parameter.automatic]
COUNTED = [parameter for parameter in PARAMETERS if parameter.type is int]


def names(problems: list[Problem]) -> list[str]:
    return [problem.field for problem in problems]


@pytest.mark.parametrize("backend", list(DEFAULT_SHAPE))
def test_the_default_request_is_possible(backend: str) -> None:
    assert check(RunRequest(), backend) == []
    resolved = resolve(RunRequest(), backend)
    assert (resolved.m, resolved.n) == DEFAULT_SHAPE[backend]


def test_what_is_given_stays_and_what_is_not_is_decided() -> None:
    launch = resolve(RunRequest.of(n=1000, group_size_m=7, num_warps=16), "cuda").launch
    assert (launch.group_size_m, launch.num_warps) == (7, 16)
    assert all(value is not None for value in own_settings(launch).values())
    assert launch.block_size_n >= 1000


def test_the_flat_form_names_every_parameter_once_and_is_read_back() -> None:
    request = RunRequest.of(m=4, strategy="split", slices=3, eps=0.0)
    assert list(request.flat()) == [parameter.name for parameter in PARAMETERS]
    assert RunRequest.of(**request.flat()) == request
    with pytest.raises(TypeError, match="warps"):
        RunRequest.of(warps=3)


@pytest.mark.parametrize("parameter", FIXED)
def test_any_other_parameter_may_not(parameter: Parameter) -> None:
    problems = check(RunRequest.of(**{parameter.name: None}), "cuda")
    assert names(problems) == [parameter.name]
    assert problems[0].allowed == parameter.allowed()


@pytest.mark.parametrize("parameter", COUNTED)
def test_a_number_outside_its_range_is_refused_with_its_name(parameter: Parameter) -> None:
    assert parameter.minimum is not None
    beyond = [parameter.minimum - 1]
    if parameter.maximum is not None:
        beyond.append(parameter.maximum + 1)
    for value in beyond:
        assert names(check(RunRequest.of(**{parameter.name: value}), "cuda")) == [parameter.name]


@pytest.mark.parametrize("parameter", [each for each in PARAMETERS if each.power_of_two])
@pytest.mark.parametrize("value", [3, 12, 24])
def test_a_block_that_is_no_power_of_two_is_refused(parameter: Parameter, value: int) -> None:
    problems = check(RunRequest.of(**{parameter.name: value}), "cuda")
    assert parameter.name in names(problems)


@pytest.mark.parametrize("parameter", [each for each in PARAMETERS if each.choices])
def test_a_word_that_is_no_choice_is_refused_with_the_choices(parameter: Parameter) -> None:
    (problem,) = check(RunRequest.of(**{parameter.name: "nonsense"}), "cuda")
    assert problem.field == parameter.name
    assert all(choice in str(problem.allowed) for choice in parameter.choices)


@pytest.mark.parametrize(
    ("field", "value"),
    [("m", True), ("m", 4.0), ("m", "4"), ("barrier", 1), ("eps", "small"), ("data", 3)],
)
def test_a_value_of_another_type_is_refused(field: str, value: object) -> None:
    assert names(check(RunRequest.of(**{field: value}), "cuda")) == [field]


def test_eps_is_any_number_from_0_on() -> None:
    assert all(
        names(check(RunRequest(eps=eps), "cuda")) == ["eps"] for eps in (math.nan, -1.0, -math.inf)
    )
    assert (
        str(check(RunRequest(eps=-1.0), "cuda")[0])
        == "eps = -1.0 is not possible: take a number, at least 0"
    )
    assert all(check(RunRequest(eps=eps), "cuda") == [] for eps in (0, 1e30, math.inf))


@pytest.mark.parametrize(
    ("dtype", "widest"), [("float16", 32768), ("bfloat16", 32768), ("float32", 16384)]
)
def test_rows_beyond_64_kib_are_refused_with_the_widest(dtype: str, widest: int) -> None:
    assert check(RunRequest(n=widest, dtype=dtype), "cuda") == []
    (problem,) = check(RunRequest(n=widest + 1, dtype=dtype), "cuda")
    assert problem.field == "n"
    assert str(widest) in str(problem.allowed)


def test_a_run_beyond_memory_is_refused_with_what_it_takes_and_its_launch_is_known() -> None:
    plan = plan_run(RunRequest(m=1 << 20), "cuda", memory_bytes=8 << 30)
    (problem,) = plan.problems
    assert problem.field == "m"
    assert "8.0 GiB are free" in str(problem.allowed)
    assert plan.shaped == RunRequest(m=1 << 20, n=8192)


def test_an_impossible_value_has_no_launch() -> None:
    plan = plan_run(RunRequest(m=0), "cuda")
    assert plan.launched is None
    with pytest.raises(ValueError, match="m = 0 is not possible"):
        _ = plan.resolved


@pytest.mark.parametrize("backend", list(DEFAULT_SHAPE))
@pytest.mark.parametrize(
    "request_", [RunRequest(), RunRequest(n=1000), RunRequest.of(m=4, n=8, group_size_m=2)]
)
def test_a_request_of_a_gpu_means_the_same_on_the_interpreter_once_it_is_pinned(
    request_: RunRequest, backend: str
) -> None:
    resolved = resolve(request_, "cuda")
    assert resolve(pinned(request_, resolved, backend), backend) == resolved
    assert pinned(request_, resolved, "cuda") == request_


def test_a_request_whose_heuristics_have_changed_is_pinned_whole() -> None:
    resolved = resolve(RunRequest.of(num_warps=16, group_size_m=3), "cuda")
    assert resolve(pinned(RunRequest(), resolved, "interpreter"), "interpreter") == resolved


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_belongs_to_another_strategy_is_refused(strategy: str) -> None:
    for parameter in AUTOMATIC:
        if parameter.name not in LAUNCH_NAMES or belongs(parameter.name, strategy):
            continue
        value = (
            parameter.choices[0]
            if parameter.choices
            else parameter.type is bool or parameter.minimum
        )
        (problem,) = check(RunRequest.of(**{"strategy": strategy, parameter.name: value}), "cuda")
        assert problem.field == parameter.name
        assert str(problem.allowed).startswith("it belongs to strategy ")
        assert str(problem.allowed).endswith(f", not to {strategy}")


def test_a_run_of_a_larger_gpu_is_asked_for_again_as_it_was_asked() -> None:
    for strategy in STRATEGIES:
        request = RunRequest.of(m=4096, n=1000, strategy=strategy)
        resolved = resolve(request, "cuda", KNOWN_DEVICES[-2])
        # So few that nothing but the number of programs follows from them.
        fewer = replace(KNOWN_DEVICES[-2], sm_count=KNOWN_DEVICES[-2].sm_count - 4)
        assert pinned(request, resolved, "cuda", fewer) == request


def test_a_choice_that_was_made_otherwise_is_written_out_in_settings_of_its_strategy() -> None:
    request = RunRequest.of(m=4096, n=1000, strategy="auto")
    resolved = resolve(request, "cuda", KNOWN_DEVICES[-2])
    other = replace(resolved, launch=replace(resolved.launch, num_stages=2))
    again = pinned(request, other, "cuda", KNOWN_DEVICES[-2])
    assert check(again, "cuda") == []
    assert again.strategy == "persistent"
    assert resolve(again, "cuda", KNOWN_DEVICES[-2]) == other


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: str(preset.name))
def test_every_preset_is_possible_on_a_gpu_with_24_gib(preset: Preset) -> None:
    assert check(preset.request, "cuda", memory_bytes=24 << 30) == []
    assert str(preset.help).endswith(".")
