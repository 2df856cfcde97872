import re
import tomllib
from pathlib import Path

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
    targets = re.findall(r"(?<!!)\[[^]]*\]\((?!https?://|#)([^)#]+)", README)
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert missing == []


def test_the_version_is_written_once_for_python_and_once_for_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (
        f'__version__ = "{project["version"]}"' in (ROOT / "lnexplorer" / "__init__.py").read_text()
    )
