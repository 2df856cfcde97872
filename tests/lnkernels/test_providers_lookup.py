"""Whether a function is there, without importing its module."""

import sys

import pytest

from lnkernels.providers.libraries import missing


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose import would fail the test, on the path."""
    name = "lnkernels_lookup_example"
    folder = tmp_path / name
    (folder / "ops").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('the package was imported')\n")
    (folder / "ops" / "__init__.py").write_text("raise AssertionError('the package was imported')\n")
    (folder / "ops" / "norm.py").write_text(
        "import os\n"
        "try:\n    import fast as backend\nexcept ImportError:\n    def backend(): ...\n"
        "if os.name == 'posix':\n    class Norm: ...\nelse:\n    Norm = None\n"
        "def forward(x):\n    def inner(): ...\n    return x\n"
    )
    (folder / "broken.py").write_text("def forward(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    assert name not in sys.modules


def test_names_that_a_module_defines_are_not_missing(package):
    assert missing(f"{package}.ops.norm", "forward", "Norm", "backend") is None


def test_a_package_that_is_not_installed_is_named():
    assert missing("no_such_package_at_all.ops", "forward") == "package no_such_package_at_all is not installed"


def test_another_package_of_the_same_name_has_not_the_module(package):
    assert missing(f"{package}.contrib.norm", "forward") == f"{package} has no module {package}.contrib.norm"


def test_an_older_version_has_the_module_and_not_the_function(package):
    reason = missing(f"{package}.ops.norm", "forward", "backward")
    assert reason == f"{package}.ops.norm has no backward: another version is needed"


def test_a_function_inside_a_function_does_not_count(package):
    assert "inner" in missing(f"{package}.ops.norm", "inner")


def test_a_module_that_cannot_be_parsed_is_a_reason_and_no_crash(package):
    assert "broken.py cannot be read" in missing(f"{package}.broken", "forward")


def test_an_extension_module_is_enough_by_itself():
    assert missing("torch._C") is None
