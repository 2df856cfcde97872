"""From facts to findings, and those as text and JSON: pure functions.

A finding says what is, and what to do about it.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from lnexplorer.doctor.facts import (
    LEAST_CAPABILITY,
    Driver,
    Facts,
    Gpu,
    Torch,
    WorkerFacts,
    why_no_gpu,
)
from lnexplorer.doctor.qt_libraries import missing_sentence
from lnexplorer.domain.wording import bytes_text
from lnkernels.values.sentence import Sentence, say

PYTHON = ((3, 11), (3, 15))
# At least, and below. A test holds these and the bounds in pyproject.toml together.
BOUNDS = {
    "torch": ("2.11", "2.14"),
    "triton": ("3.6", "3.8"),
    "PySide6-Essentials": ("6.10", "6.11"),
    "pyqtgraph": ("0.14", "0.15"),
}
SCARCE_BYTES = 2 << 30  # the default run takes about 1.5 GiB


class Severity(StrEnum):
    OK = "ok"
    NOTE = "note"  # good to know
    WARNING = "warning"  # works, but not as it could
    PROBLEM = "problem"  # the explorer cannot be used


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Sentences where the window says them of another machine; of this one the terminal does, in
    English.
    """

    topic: str
    level: Severity
    sentence: Sentence | str
    remedy: Sentence | str = ""


def findings(facts: WorkerFacts, device: str = "auto") -> list[Diagnosis]:
    """Of this machine, or of one that has a worker and no window; `device` of it is wanted."""
    packages = (
        _package(name, version)
        for name, version in facts.packages.items()
        if name not in {"torch", "triton"}
    )
    window = [*_qt(facts), *_display(facts)] if isinstance(facts, Facts) else []
    return [
        *_python(facts),
        *packages,
        *_torch(facts.torch),
        *window,
        *_gpus(facts.driver, facts.torch, device),
    ]


def usable(found: list[Diagnosis]) -> bool:
    return all(finding.level is not Severity.PROBLEM for finding in found)


def _python(facts: WorkerFacts) -> Iterator[Diagnosis]:
    version = ".".join(map(str, facts.python))
    least, below = PYTHON
    if least <= facts.python[:2] < below:
        yield Diagnosis("Python", Severity.OK, f"Python {version}.")
    else:
        remedy = say(
            "Use Python {least} to {newest}.", least=f"3.{least[1]}", newest=f"3.{below[1] - 1}"
        )
        yield Diagnosis(
            "Python",
            Severity.PROBLEM,
            say("Python {version} is not supported.", version=version),
            remedy,
        )
    if facts.system != "Linux":
        untested = say("{system} is not tested; triton is made for Linux.", system=facts.system)
        yield Diagnosis("system", Severity.WARNING, untested)


def _torch(torch: Torch) -> Iterator[Diagnosis]:
    for name, version, error in (
        ("torch", torch.version, torch.error),
        ("triton", torch.triton, torch.triton_error),
    ):
        if error is not None and version is not None:
            broken = say(
                "{name} {version} is installed but cannot be imported: {error}",
                name=name,
                version=version,
                error=error,
            )
            yield Diagnosis(name, Severity.PROBLEM, broken, _again(name))
        else:
            yield _package(name, version)


def _package(name: str, version: str | None) -> Diagnosis:
    least, below = BOUNDS.get(name, ("0", "999999"))
    if version is None:
        remedy = say("Install it: {command}", command=_install(name))
        return Diagnosis(name, Severity.PROBLEM, say("{name} is not installed.", name=name), remedy)
    if _numbers(least) <= _numbers(version) < _numbers(below):
        return Diagnosis(name, Severity.OK, f"{name} {version}.")
    untested = say(
        "{name} {version} is not a version that this program is tested with: at least {least},"
        " below {below}.",
        name=name,
        version=version,
        least=least,
        below=below,
    )
    return Diagnosis(
        name,
        Severity.WARNING,
        untested,
        say("Install one that is: {command}", command=_install(name)),
    )


def _qt(facts: Facts) -> Iterator[Diagnosis]:
    if facts.missing_libraries:
        sentence, _, remedy = missing_sentence(facts.missing_libraries).partition(" Install with: ")
        yield Diagnosis("Qt libraries", Severity.PROBLEM, sentence, f"Install them: {remedy}")
    else:
        yield Diagnosis(
            "Qt libraries", Severity.OK, "All system libraries that Qt needs, and a font, are here."
        )
    if facts.qt_error is not None:
        sentence = f"Qt is installed but cannot be imported: {facts.qt_error}"
        yield Diagnosis("Qt", Severity.PROBLEM, sentence, _again("PySide6-Essentials"))


def _display(facts: Facts) -> Iterator[Diagnosis]:
    display = facts.display
    if display.why_not is not None:
        remedy = (
            "Without one, lnexplorer runs its default experiment, prints it and saves the window's"
            " picture."
        )
        yield Diagnosis("display", Severity.NOTE, display.why_not, remedy)
    else:
        yield Diagnosis(
            "display", Severity.OK, f"Windows appear on {display.name} ({display.platform})."
        )
    if facts.chinese_font is None:
        remedy = "For the window in Chinese: sudo apt-get install fonts-noto-cjk"
        yield Diagnosis(
            "Chinese font", Severity.WARNING, "There is no font with Chinese characters.", remedy
        )
    else:
        yield Diagnosis("Chinese font", Severity.OK, f"{facts.chinese_font}.")


def _gpus(driver: Driver, torch: Torch, device: str) -> Iterator[Diagnosis]:
    count = len(driver.visible)
    if device.startswith("cuda:") and int(device.removeprefix("cuda:")) >= count:
        told = say(
            "There is no {device}. GPUs that can be used: {count}.", device=device, count=count
        )
        remedy = say(
            "Name another one, or interpreter. A GPU without a driver needs one: sudo apt-get"
            " install nvidia-driver"
        )
        yield Diagnosis("device", Severity.PROBLEM, told, remedy)
    if driver.version is not None:
        up_to = "" if driver.cuda is None else f", for CUDA up to {_dotted(driver.cuda)}"
        yield Diagnosis("driver", Severity.OK, f"NVIDIA driver {driver.version}{up_to}.")
    elif driver.cards:
        silent = say(
            "An NVIDIA GPU is here, but no driver answers: {error}.", error=driver.error or ""
        )
        load = say("Install NVIDIA's driver, or load it: sudo modprobe nvidia.")
        yield Diagnosis("GPU", Severity.WARNING, silent, _until_then(load))
        return
    if not driver.gpus:
        yield Diagnosis(
            "GPU",
            Severity.NOTE,
            "There is no NVIDIA GPU: kernels run on Triton's interpreter, and nothing is timed.",
        )
    elif torch.version is not None and torch.error is None and torch.gpus == 0:
        sentence, way_out = why_no_gpu(driver, torch)
        yield Diagnosis("GPU", Severity.WARNING, sentence, _until_then(way_out))
    for gpu in driver.gpus:
        yield from _gpu(gpu)


def _until_then(remedy: Sentence | str) -> Sentence:
    return say("{remedy} Until then kernels run on Triton's interpreter.", remedy=remedy)


def _gpu(gpu: Gpu) -> Iterator[Diagnosis]:
    topic = f"GPU {gpu.index}"
    if gpu.compute_capability is not None and gpu.compute_capability < LEAST_CAPABILITY:
        dotted = _dotted(gpu.compute_capability)
        old = say(
            "{name} is refused: its compute capability is {capability}.",
            name=gpu.name,
            capability=dotted,
        )
        yield Diagnosis(
            topic,
            Severity.WARNING,
            old,
            say("The spin lock needs 7.0 or above. Take another GPU, as cuda:N."),
        )
        return
    capability = (
        ""
        if gpu.compute_capability is None
        else f", compute capability {_dotted(gpu.compute_capability)}"
    )
    yield Diagnosis(topic, Severity.OK, f"{gpu.name}{capability}.")
    if gpu.free_bytes is not None and gpu.memory_bytes is not None:
        room = say(
            "{free} of {all} are free.",
            free=bytes_text(gpu.free_bytes),
            all=bytes_text(gpu.memory_bytes),
        )
        if gpu.free_bytes < SCARCE_BYTES:
            yield Diagnosis(
                topic,
                Severity.WARNING,
                room,
                say("Large runs will not fit: end other programs on this GPU."),
            )
        else:
            yield Diagnosis(topic, Severity.OK, room)
    if gpu.processes:
        shared = say(
            "Other programs use this GPU, and times will vary: {programs}.",
            programs=", ".join(gpu.processes),
        )
        yield Diagnosis(
            topic, Severity.WARNING, shared, say("End them, or take another GPU, as cuda:N.")
        )
    if gpu.drives_display:
        sentence = (
            "This GPU drives the display: a kernel that hangs freezes the desktop for a while."
        )
        yield Diagnosis(
            topic, Severity.NOTE, sentence, "Where there is another GPU, take it, as cuda:N."
        )


def _install(name: str) -> str:
    least, below = BOUNDS.get(name, ("", ""))
    return f"pip install '{name}>={least},<{below}'" if least else f"pip install {name}"


def _again(name: str) -> Sentence:
    return say("Install it again: {command}", command=_install(name))


def _numbers(version: str) -> tuple[int, ...]:
    """The release of a version: "2.13.0+cpu" is (2, 13, 0)."""
    return tuple(
        int(number) for number in re.findall(r"\d+", version.split("+", maxsplit=1)[0])[:3]
    )


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


SCHEMA_VERSION = 1


def as_text(found: list[Diagnosis]) -> str:
    """One line a finding, what to do about it below, and the verdict at the end."""
    width = max(len(finding.topic) for finding in found)
    lines = []
    for finding in found:
        mark = "PROBLEM" if finding.level is Severity.PROBLEM else finding.level
        lines.append(f"{mark:<7}  {finding.topic:<{width}}  {finding.sentence}")
        if finding.remedy:
            lines.append(f"{'':<7}  {'':<{width}}  {finding.remedy}")
    verdict = (
        "The explorer can be used."
        if usable(found)
        else "The explorer cannot be used yet: see the lines marked PROBLEM."
    )
    return "\n".join([*lines, "", verdict])


def as_document(facts: WorkerFacts, found: list[Diagnosis]) -> dict[str, Any]:
    """The same, ready for JSON, with the facts behind it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "usable": usable(found),
        "findings": [
            asdict(finding) | {"sentence": str(finding.sentence), "remedy": str(finding.remedy)}
            for finding in found
        ],
        "facts": asdict(facts),
    }
