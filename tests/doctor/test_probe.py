import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo

from lnexplorer.doctor import probe
from lnexplorer.doctor.facts import count_cards, find_display
from lnexplorer.doctor.qt_libraries import BASE, X11, lacking, missing_libraries, platforms
from tests.programs import printed


def test_this_machine_can_be_looked_at() -> None:
    facts = probe.find_facts()
    assert facts.python == sys.version_info[:3]
    assert facts.torch.version is not None
    assert facts.torch.error is None
    assert facts.qt_error is None
    assert facts.packages["msgspec"] is not None


def test_a_torch_that_kills_its_process_becomes_a_fact(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("import os\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert probe.find_torch().error == "its process ended with status -6"


def test_the_doctor_needs_neither_qt_nor_torch_nor_numpy() -> None:
    program = (
        "import sys; from lnexplorer.doctor import findings, probe; print([name for name in"
        " ('PySide6', 'torch', 'triton', 'numpy', 'msgspec', 'pandas') if name in sys.modules])"
    )
    assert printed(program) == "[]\n"


def _have_only(monkeypatch: pytest.MonkeyPatch, libraries: Collection[str]) -> None:
    monkeypatch.setattr(
        "lnexplorer.doctor.qt_libraries.lacking",
        lambda soname: None if soname in libraries else soname,
    )


def test_every_library_that_is_missing_is_found_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lacking("libc.so.6") is None
    assert lacking("libsurely-not-here.so.1") == "libsurely-not-here.so.1"
    _have_only(monkeypatch, BASE.keys() - {"libEGL.so.1", "libGL.so.1"})
    assert missing_libraries(("offscreen",)) == {"libEGL.so.1": "libegl1", "libGL.so.1": "libgl1"}


def test_a_window_on_x11_needs_more_than_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    _have_only(monkeypatch, BASE)
    assert missing_libraries(("offscreen",)) == {}
    assert missing_libraries(("xcb",)) == X11
    _have_only(monkeypatch, BASE | X11)
    assert missing_libraries(("wayland", "xcb")) == {}


def test_every_library_that_qt_s_windows_need_is_looked_for() -> None:
    (readelf := shutil.which("readelf")) or pytest.skip(
        "readelf, of Debian's binutils, is not here"
    )
    plugins = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
    files = [f"{plugins}/platforms/libqxcb.so", f"{plugins}/platforms/libqoffscreen.so"]
    libraries = QLibraryInfo.path(QLibraryInfo.LibraryPath.LibrariesPath)
    files += [
        f"{libraries}/libQt6{name}.so.6" for name in ("Core", "Gui", "Widgets", "DBus", "XcbQpa")
    ]
    printed = subprocess.run(
        [str(readelf), "-d", *files], capture_output=True, text=True, check=True
    ).stdout
    needed = set(re.findall(r"NEEDED.*\[(lib[^]]+)\]", printed))
    always = {
        "libc.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "libstdc++.so.6",
        "libz.so.1",
        "libzstd.so.1",
        "libxcb.so.1",
    }
    assert {
        name for name in needed if not name.startswith(("libQt6", "libicu"))
    } - always <= BASE.keys() | X11.keys()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ("offscreen",)),
        ({"DISPLAY": ":0"}, ("xcb",)),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, ("wayland", "xcb")),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen:size=1x1"}, ("offscreen",)),
    ],
)
def test_the_platform_follows_the_environment(
    environment: dict[str, str], expected: tuple[str, ...]
) -> None:
    assert platforms(environment) == expected


@pytest.mark.skipif(
    lacking("libxcb.so.1") is not None,
    reason="the X11 client library, which would ask the display, is not here",
)
def test_a_display_that_does_not_answer_is_not_used() -> None:
    assert find_display({"DISPLAY": ":9876"}).why_not == "The display :9876 does not answer."


def test_cards_are_counted_on_the_bus_without_a_driver(tmp_path: Path) -> None:
    for name, vendor, kind in (
        ("a", "0x10de", "0x030200"),
        ("b", "0x10de", "0x040300"),
        ("c", "0x1002", "0x030000"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "vendor").write_text(vendor + "\n")
        (tmp_path / name / "class").write_text(kind + "\n")
    (tmp_path / "d").mkdir()
    assert count_cards(tmp_path) == 1
    assert count_cards(tmp_path / "nowhere") == 0


TORCH_FOR_CUDA_13 = """
class version: cuda = "13.0"
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 1)
    get_arch_list = staticmethod(lambda: ["sm_75", "sm_90a", "sm_100f", "sm_120", "compute_120"])
"""


def test_the_least_capability_of_a_torch_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text(TORCH_FOR_CUDA_13)
    (tmp_path / "triton.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = probe.find_torch()
    assert (found.cuda, found.gpus, found.error) == ("13.0", 1, None)
    assert found.least_capability == (7, 5)
