import re
import tomllib
from pathlib import Path

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


def test_every_file_that_the_readme_links_to_exists() -> None:
    targets = re.findall(r"\[[^]]*\]\((?!https?://|#)([^)#]+)", README)
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert missing == []
    assert "resources/pictures/window.png" in targets
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


def test_the_version_is_written_once_for_python_and_once_for_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (
        f'__version__ = "{project["version"]}"' in (ROOT / "lnexplorer" / "__init__.py").read_text()
    )
