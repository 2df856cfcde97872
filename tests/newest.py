"""The tests with the newest of everything: `python -m tests.newest [--pre] [-- PYTEST …]`.

Makes an environment of its own, in which `pyproject.toml` alone bounds the packages, runs the tests
in it, and prints which packages differ from `tests/constraints.txt` and what broke. `--pre` takes
pre-releases, too; `--oldest` takes the lowest versions that `pyproject.toml` allows; `--hold
torch==2.13.0` keeps one as it is, for what an index has only in a size that nobody waits for. What
follows `--` goes to pytest, such as `tests/lnkernels -n 0`. `--keep FOLDER` leaves the environment
there, and finds it there the next time. The exit status is pytest's, or pip's.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.programs import described

ROOT = Path(__file__).parents[1]
TESTED = ROOT / "tests" / "constraints.txt"
_BAD = re.compile(r"^(FAILED|ERROR) ")


def main() -> int:
    parser = described(__doc__)
    parser.add_argument("--pre", action="store_true", help="pre-releases, too")
    parser.add_argument("--oldest", action="store_true", help="the lowest versions instead")
    parser.add_argument("--hold", action="append", default=[], metavar="NAME==VERSION")
    parser.add_argument("--python", default=sys.executable, help="the Python to try")
    parser.add_argument("--keep", type=Path, help="the folder of the environment")
    parser.add_argument("pytest", nargs="*", metavar="PYTEST")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lnexplorer-newest-") as temporary:
        held = given.hold + (oldest(given.hold) if given.oldest else [])
        constraints = Path(temporary) / "constraints.txt"
        constraints.write_text("".join(f"{line}\n" for line in held))
        folder = given.keep or Path(temporary) / "environment"
        if subprocess.run([given.python, "-m", "venv", folder], check=False).returncode != 0:
            return 1
        python = folder / "bin" / "python"
        # Eager: what --keep has from the last time gets newer, too.
        install = [python, "-m", "pip", "install", "-q", "--upgrade", "-c", constraints]
        install += ["--upgrade-strategy", "eager"]
        pre = ["--pre"] if given.pre else []
        installed = subprocess.run(
            [*install, *pre, "-e", ".[test]"], cwd=ROOT, env=_environment(), check=False
        )
        if installed.returncode != 0:
            return installed.returncode
        return tried(python, given.pytest)


def oldest(held: list[str]) -> list[str]:
    """Return the lower bounds of the package and its tests as constraints, but for what is held."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["test"]
    kept = {name_of(line) for line in held}
    return [
        f"{name_of(line)}=={least[1] if '.' in least[1] else f'{least[1]}.0'}.*"
        for line in wanted
        if (least := re.search(r">=([\d.]+)", line)) is not None and name_of(line) not in kept
    ]


def name_of(requirement: str) -> str:
    """Return the name in a requirement as an index has it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


def tried(python: Path, arguments: list[str]) -> int:
    """Run the tests, print what differs and what broke, and return pytest's exit status."""
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True
    )
    found = {name_of(one["name"]): one["version"] for one in json.loads(listed.stdout)}
    tested = dict(
        line.split("==") for line in TESTED.read_text().splitlines() if not line.startswith("#")
    )
    for name, version in sorted(found.items()):
        if version.partition("+")[0] != tested.get(name) and name not in ("lnexplorer", "pip"):
            print(f"{name} {version} (tested: {tested.get(name, 'not')})", flush=True)
    ran = subprocess.Popen(
        [python, "-m", "pytest", "-q", *arguments],
        cwd=ROOT,
        env=_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert ran.stdout is not None, "it is a pipe"
    lines = []
    for line in ran.stdout:
        print(line, end="", flush=True)
        lines.append(line.rstrip())
    broken = list(filter(_BAD.match, lines))
    print("\nwhat broke:" if broken else "\nnothing broke", *broken, *lines[-1:], sep="\n")
    return ran.wait()


def _environment() -> dict[str, str]:
    """The environment without what would bring this Python's packages into the other."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME")
    }


if __name__ == "__main__":
    raise SystemExit(main())
