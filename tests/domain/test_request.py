from dataclasses import replace

import pytest

from lnexplorer.domain.measuring import MeasureRequest, label
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
from lnkernels.launch import KNOWN_DEVICES, STRATEGIES, Problem, belongs

AUTOMATIC = [parameter for parameter in PARAMETERS if parameter.automatic]


def names(problems: list[Problem]) -> list[str]:
    return [problem.field for problem in problems]


def test_the_flat_form_names_every_parameter_once_and_is_read_back() -> None:
    request = RunRequest.of(m=4, strategy="split", slices=3, eps=0.0)
    assert list(request.flat()) == [parameter.name for parameter in PARAMETERS]
    assert RunRequest.of(**request.flat()) == request
    with pytest.raises(TypeError, match="warps"):
        RunRequest.of(warps=3)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_a_value_beyond_what_a_parameter_takes_is_refused_with_what_is_allowed(
    parameter: Parameter,
) -> None:
    wrong: list[object] = ["nonsense", 2.5 if parameter.type is int else -1.0]
    wrong += [] if parameter.minimum is None else [parameter.minimum - 1]
    wrong += [] if parameter.maximum is None else [parameter.maximum + 1]
    wrong += [24] if parameter.power_of_two else []
    wrong += [] if parameter.automatic else [None]
    for value in wrong:
        (problem,) = check(RunRequest.of(**{parameter.name: value}), "cuda")
        assert (problem.field, problem.allowed) == (parameter.name, parameter.allowed())


@pytest.mark.parametrize(("dtype", "widest"), [("float16", 32768), ("float32", 16384)])
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


SHAPE = RunRequest(m=64, n=256)
TWO = MeasureRequest(settings=(SHAPE, SHAPE.changed(group_size_m=8)), providers=("torch",))


def test_a_setting_is_called_by_its_strategy_and_what_is_not_automatic() -> None:
    assert (
        label(SHAPE.changed(group_size_m=8, barrier=False))
        == "locked, GROUP_SIZE_M = 8, barrier = off"
    )


def test_every_candidate_has_a_label_of_its_own() -> None:
    request = MeasureRequest(settings=(SHAPE, SHAPE), providers=("torch", "locked"))
    assert request.labels == ("locked #1", "locked #2", "torch", "locked #3")


def test_the_problem_of_wide_rows_does_not_depend_on_a_strategy_that_refuses_them() -> None:
    assert replace(TWO, settings=(replace(SHAPE, n=65536),)).subject.strategy == "auto"
