import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.doctor.facts import Display, Driver, Facts, Gpu, Torch
from lnexplorer.doctor.findings import (
    BOUNDS,
    EXTRAS,
    NEWEST_TRIED,
    PYTHON,
    UNBOUND,
    Diagnosis,
    Severity,
    as_document,
    as_text,
    findings,
    usable,
)

H200 = Gpu(
    index=0,
    name="NVIDIA H200",
    compute_capability=(9, 0),
    memory_bytes=139 << 30,
    free_bytes=138 << 30,
    drives_display=False,
    processes=(),
)
WHOLE = Facts(
    system="Linux",
    python=(3, 12, 3),
    packages={
        "torch": "2.11.0",
        "triton": "3.6.0",
        "PySide6-Essentials": "6.10.3",
        "pyqtgraph": "0.14.0",
        "pandas": "3.1.1",
    },
    torch=Torch(version="2.11.0", cuda="13.0", gpus=1, triton="3.6.0"),
    extras={"optuna": "4.0.0"},
    missing_libraries={},
    display=Display("xcb", ":0", None),
    chinese_font="Noto Sans CJK SC",
    driver=Driver(version="580.95", cuda=(13, 0), gpus=(H200,), cards=1),
)


def about(facts: Facts, topic: str) -> list[Diagnosis]:
    told = [finding for finding in findings(facts) if finding.topic == topic]
    return [
        replace(finding, sentence=str(finding.sentence), remedy=str(finding.remedy))
        for finding in told
    ]


def with_gpu(**changes: object) -> Facts:
    return replace(WHOLE, driver=replace(WHOLE.driver, gpus=(replace(H200, **changes),)))  # type: ignore[arg-type]


def with_torch(**changes: object) -> Facts:
    return replace(WHOLE, torch=replace(WHOLE.torch, **changes))  # type: ignore[arg-type]


def test_a_machine_with_everything_has_nothing_to_do() -> None:
    found = findings(WHOLE)
    assert {finding.level for finding in found} == {Severity.OK}
    assert usable(found)
    assert not any(finding.remedy for finding in found)
    assert "NVIDIA H200, compute capability 9.0" in as_text(found)


@pytest.mark.parametrize("version", [(3, 10, 9), (3, 15, 0)])
def test_a_python_out_of_bounds_is_a_problem(version: tuple[int, int, int]) -> None:
    found = findings(replace(WHOLE, python=version))
    assert not usable(found)
    assert "Python 3.11 to 3.14" in str(found[0].remedy)


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ("2.10.1", Severity.WARNING),
        ("2.11.0", Severity.OK),
        ("2.13.0+cpu", Severity.OK),
        ("2.13.1a0+git0123", Severity.OK),
        ("2.16.0", Severity.WARNING),
        ("3.0", Severity.WARNING),
    ],
)
def test_versions_are_compared_with_their_bounds(version: str, level: Severity) -> None:
    assert about(with_torch(version=version), "torch")[0].level is level


def test_missing_libraries_of_qt_come_with_their_packages() -> None:
    missing = {
        "libEGL.so.1": "libegl1",
        "libglib-2.0.so.0": "libglib2.0-0",
        "libgthread-2.0.so.0": "libglib2.0-0",
    }
    (finding,) = about(replace(WHOLE, missing_libraries=missing), "Qt libraries")
    assert finding.level is Severity.PROBLEM
    assert finding.remedy == "Install them: sudo apt-get install libegl1 libglib2.0-0"


@pytest.mark.parametrize(
    ("torch", "driver", "words", "remedy"),
    [
        (
            {"cuda": None},
            {},
            "is a build without CUDA: install a build of torch with CUDA",
            "pip install torch",
        ),
        ({}, {"hidden_by": ""}, "CUDA_VISIBLE_DEVICES = '' hides it", "Unset"),
        ({}, {"hidden_by": "-1"}, "CUDA_VISIBLE_DEVICES = '-1' hides it", "Unset"),
        (
            {},
            {"cuda": (12, 4)},
            "serves CUDA 12.4 at most, and torch 2.11.0 is built for CUDA 13.0",
            "580.65.06 or newer",
        ),
        (
            {"gpu_error": "CUDA unknown error"},
            {"hidden_by": "0"},
            "torch 2.11.0 cannot use it",
            "CUDA unknown error",
        ),
    ],
)
def test_a_gpu_that_torch_cannot_use_is_named_with_the_reason(
    torch: dict[str, object], driver: dict[str, object], words: str, remedy: str
) -> None:
    facts = replace(with_torch(gpus=0, **torch), driver=replace(WHOLE.driver, **driver))  # type: ignore[arg-type]
    (finding,) = about(facts, "GPU")
    assert finding.level is Severity.WARNING
    assert "NVIDIA H200" in finding.sentence
    assert words in finding.sentence
    assert remedy in finding.remedy
    assert "Until then kernels run on Triton's interpreter." in finding.remedy


@pytest.mark.parametrize(
    ("capability", "refused"), [((6, 1), True), ((7, 0), False), ((12, 0), False)]
)
def test_a_gpu_below_compute_capability_7_is_refused(
    capability: tuple[int, int], refused: bool
) -> None:
    sentences = [
        finding.sentence for finding in about(with_gpu(compute_capability=capability), "GPU 0")
    ]
    assert any("refused" in sentence for sentence in sentences) is refused


def test_scarce_memory_other_programs_and_a_display_on_the_gpu_are_told() -> None:
    facts = with_gpu(free_bytes=1 << 30, processes=("python3 (4711)",), drives_display=True)
    levels = {finding.sentence: finding.level for finding in about(facts, "GPU 0")}
    assert levels["1.00 GiB of 139 GiB are free."] is Severity.WARNING
    assert (
        levels["Other programs use this GPU, and times will vary: python3 (4711)."]
        is Severity.WARNING
    )
    assert (
        levels["This GPU drives the display: a kernel that hangs freezes the desktop for a while."]
        is Severity.NOTE
    )
    assert usable(findings(facts))


def test_without_a_display_a_picture_is_saved_and_another_command_prints() -> None:
    (told,) = about(replace(WHOLE, display=Display("", "", "There is no display.")), "display")
    assert told.level is Severity.NOTE
    assert "saves the window's picture; lnexplorer run prints" in told.remedy


def test_the_report_ends_with_the_verdict() -> None:
    broken = replace(WHOLE, missing_libraries={"libEGL.so.1": "libegl1"})
    assert as_text(findings(WHOLE)).endswith("The explorer can be used.")
    assert "Not everything can be used yet" in as_text(findings(broken))
    assert as_document(broken, findings(broken))["usable"] is False


def test_a_version_newer_than_any_tried_is_told_in_one_sentence() -> None:
    for name, tried in NEWEST_TRIED.items():
        major, minor = map(int, tried.split("."))
        newer = {
            "torch": with_torch(version=f"{major}.{minor + 1}.0"),
            "triton": with_torch(triton=f"{major}.{minor + 1}.0"),
        }
        (finding,) = about(newer[name], name)
        assert finding.level is Severity.WARNING
        assert f"is newer than any that this program was tried with, {tried}." in str(
            finding.sentence
        )
        assert str(finding.remedy) == f"Should kernels fail: pip install '{name}=={tried}.*'"
        assert usable(findings(newer[name]))


def test_the_bounds_are_those_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">=3.{PYTHON[0][1]},<3.{PYTHON[1][1]}"
    wanted = {re.split(r"[><=]", line, maxsplit=1)[0]: line for line in project["dependencies"]}
    for name, (least, below) in BOUNDS.items():
        bounds = {f"{name}>={least},<{below}", f"{name}=={least}.*"}
        assert wanted[name].split(";")[0] in bounds


def test_extras_are_listed_with_what_they_are_for_and_how_they_come() -> None:
    facts = replace(WHOLE, extras={"optuna": "4.0.0", "pyarrow": None, "ncu": None})
    told = about(facts, "extra")
    assert [each.level for each in told] == [Severity.OK, Severity.NOTE, Severity.NOTE]
    assert told[0].sentence == "optuna 4.0.0, for sweeps that search."
    assert told[1].sentence == "pyarrow is not installed, which is for exports as Parquet."
    assert told[1].remedy == "Install it: pip install '.[parquet]' in the clone"
    assert usable(findings(facts))


def test_every_extra_of_the_package_is_known_to_the_doctor() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = {how for _, how in EXTRAS.values()}
    for extra in extras.keys() - {"test"}:
        assert f"pip install '.[{extra}]' in the clone" in named
    required = {re.split(r"[^\w-]", each)[0] for each in project["dependencies"]}
    assert required == {*BOUNDS, *UNBOUND}
