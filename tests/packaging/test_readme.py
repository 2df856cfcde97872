import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import settings
from packaging.requirements import Requirement

from lnexplorer.doctor.facts import LEAST_CAPABILITY, LEAST_DRIVER
from lnexplorer.doctor.findings import PYTHON

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_two_commands_are_one_line_each() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert len(lines) == 2
    start, test = lines
    assert start.endswith("/lnexplorer")
    assert "[test]" in test
    assert test.endswith("-m pytest")


def test_both_commands_install_the_tested_set_which_is_names_and_versions() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert all(" -c tests/constraints.txt && " in line for line in lines)
    pins = [
        line
        for line in (ROOT / "tests" / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert pins == sorted(pins)
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .*)?", line) for line in pins)
    held = dict(line.split("==") for line in pins)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for line in wanted["dependencies"] + wanted["optional-dependencies"]["test"]:
        requirement = Requirement(line)
        assert requirement.specifier.contains(held[requirement.name.lower()]), line


def test_every_file_that_the_readme_links_to_exists() -> None:
    targets = re.findall(r"\[[^]]*\]\((?!https?://|#)([^)#]+)", README)
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert missing == []
    assert {"resources/pictures/window.png", "resources/pictures/reduction.gif"} <= {*targets}
    headings = {line.lstrip("# ").lower() for line in README.splitlines() if line.startswith("#")}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= headings


def test_what_a_gpu_needs_is_what_the_program_asks_for() -> None:
    words = " ".join(README.split())
    for cuda, driver in LEAST_DRIVER.items():
        assert f"{driver} or newer for CUDA {cuda}" in words
    assert f"compute capability {LEAST_CAPABILITY[0]}.{LEAST_CAPABILITY[1]} or above" in words


def test_the_classifiers_name_the_pythons_that_are_supported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [line.rsplit(" :: ", 1)[1] for line in project["classifiers"] if "Python :: 3" in line]
    (_, first), (_, end) = PYTHON
    assert named == [f"3.{minor}" for minor in range(first, end)]
    assert project["authors"]


def test_examples_are_random_only_where_somebody_searches(pytestconfig: pytest.Config) -> None:
    asked = pytestconfig.getoption("--hypothesis-profile")
    assert settings.get_current_profile_name() == (asked or "any machine")
    assert settings().derandomize is (asked != "search")
