"""The program from a wheel: built from the source distribution, installed elsewhere, started there.

Needs no network.
"""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN_SECONDS = 150


def run(
    command: Sequence[str | Path], folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in `folder`, away from the checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "TRITON_INTERPRET"}
    }
    return subprocess.run(
        command,
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )


def build(kind: str, source: Path, target: Path) -> Path:
    """Build an sdist or a wheel, as pip does, with what is installed here."""
    built = run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", target], source)
    assert built.returncode == 0, built.stderr
    (file,) = target.iterdir()
    return file


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    unpacked = tmp_path_factory.mktemp("unpacked")
    done = run(
        [sys.executable, "-m", "tarfile", "-e", sdist, unpacked], unpacked
    )  # Python 3.11.2 has no filters yet
    assert done.returncode == 0, done.stderr
    (source,) = unpacked.iterdir()
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel, and sees this one's packages
    after its own.
    """
    environment = tmp_path_factory.mktemp("environment")
    made = run([sys.executable, "-m", "venv", "--without-pip", environment], environment)
    assert made.returncode == 0, made.stderr
    python = environment / "bin" / "python"
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        wheel,
    ]
    done = run(pip, environment)
    assert done.returncode == 0, done.stderr
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(
        f"import site; site.addsitedir({sysconfig.get_paths()['purelib']!r})\n"
    )
    return environment / "bin"


def test_two_packages_and_the_resources_of_the_checkout_are_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"lnexplorer", "lnkernels"}
    assert {"lnexplorer/py.typed", "lnkernels/py.typed"} <= {*names}
    assert "lnexplorer/report/templates/report.html" in names
    packed = {name.removeprefix("lnexplorer/resources/") for name in names if "/resources/" in name}
    listed = subprocess.run(
        ["git", "ls-files", "resources"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    # What the catalogues and icons are made from and by, and the README's film.
    sources = (".py", ".ts", ".gif")
    assert packed >= {
        name.removeprefix("resources/")
        for name in listed.stdout.splitlines()
        if not name.endswith(sources)
    }
    assert not any(name.endswith(sources) for name in packed)


def test_the_installed_program_is_the_one_from_the_wheel_with_its_resources(
    installed: Path, tmp_path: Path
) -> None:
    imports = (
        "import lnexplorer, lnkernels.launch; from lnexplorer.store.resources import resources"
    )
    program = (
        f"{imports}; print(lnexplorer.__file__, lnkernels.launch.__file__, resources(), sep='\\n')"
    )
    found = run([installed / "python", "-c", program], tmp_path).stdout.splitlines()
    assert [Path(line).is_relative_to(installed.parent) for line in found] == [True, True, True]
    assert Path(found[2]).is_dir()


def test_the_installed_program_runs_the_kernels(installed: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [
        installed / "lnexplorer",
        "run",
        "--m",
        "4",
        "--n",
        "8",
        "--device",
        "interpreter",
        "--json",
    ]
    ran = run(command, tmp_path, LNEXPLORER_HOME=str(tmp_path / "home"))
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert document["passed"] is True
    assert document["provenance"]["kind"] == "interpreted"
