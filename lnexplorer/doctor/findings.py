"""From facts to findings, and those as text and JSON: pure functions.

A finding says what is, and what to do about it.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from lnexplorer.doctor.facts import (
    LEAST_CAPABILITY,
    LEAST_DRIVER,
    OLDEST_CUDA,
    Driver,
    Facts,
    Gpu,
    Torch,
    WorkerFacts,
    why_no_gpu,
    why_silent,
)
from lnexplorer.doctor.qt_libraries import missing_sentence
from lnexplorer.domain.machines import NO_TRITON
from lnexplorer.domain.wording import bytes_text
from lnkernels.values import Sentence, frozen, say

LINUX = "Linux"
PYTHON = ((3, 11), (3, 15))
# At least, and below. A test holds these and the bounds in pyproject.toml together.
BOUNDS = {
    "torch": ("2.11", "3"),
    "triton": ("3.6", "4"),
    "PySide6-Essentials": ("6.10", "6.12"),
    "pyqtgraph": ("0.14", "0.15"),
}
# The newest that the tests were run with, on the interpreter and the compiler at least.
NEWEST_TRIED = {"torch": "2.15", "triton": "3.9"}
UNBOUND = ("jinja2", "msgspec", "numpy", "nvidia-ml-py", "pandas", "platformdirs")
PROGRAMS = ("ffmpeg", "ncu")
# What one can do without: its purpose, and how it comes.
EXTRAS = {
    "optuna": ("sweeps that search", "pip install '.[search]' in the clone"),
    "distributed": ("sweeps on a Dask cluster", "pip install '.[cluster]' in the clone"),
    "pyarrow": ("exports as Parquet", "pip install '.[parquet]' in the clone"),
    "Pillow": ("films as GIF", "pip install '.[film]' in the clone"),
    "ffmpeg": ("films as MP4", "pip install '.[film]' in the clone"),
    "ncu": ("counters of the hardware", "Nsight Compute, with its folder in PATH"),
}
SCARCE_BYTES = 2 << 30  # the default run takes about 1.5 GiB


class Severity(StrEnum):
    OK = "ok"
    NOTE = "note"  # good to know
    WARNING = "warning"  # works, but not as it could
    PROBLEM = "problem"  # the explorer cannot be used


@frozen
class Diagnosis:
    """A statement about a machine, and what to do about it.

    It is a Sentence where the window shows it of another machine; of this one the terminal does, in
    English.
    """

    topic: str
    level: Severity
    sentence: Sentence | str
    remedy: Sentence | str = ""


def findings(facts: WorkerFacts, device: str = "auto") -> list[Diagnosis]:
    """Return the diagnoses of this machine, or of one that has a worker and no window.

    Args:
        facts: about the machine.
        device: that is wanted there.
    """
    packages = (
        _package(name, version)
        for name, version in facts.packages.items()
        if name not in {"torch", "triton"}
    )
    window = [*_qt(facts), *_display(facts), *_extras(facts)] if isinstance(facts, Facts) else []
    runs = [*_torch(facts.torch), *_gpus(facts.driver, facts.torch, device)]
    return [
        *_python(facts),
        *packages,
        *window,
        *(runs if facts.system == LINUX else _elsewhere(facts)),
    ]


def _elsewhere(facts: WorkerFacts) -> Iterator[Diagnosis]:
    """Say what a window can be without kernels, and that a worker can be nothing."""
    level = Severity.NOTE if isinstance(facts, Facts) else Severity.PROBLEM
    has = say("{system} has no Triton, and runs no kernels.", system=facts.system)
    yield Diagnosis("system", level, has, NO_TRITON)


def usable(diagnoses: list[Diagnosis]) -> bool:
    return all(finding.level is not Severity.PROBLEM for finding in diagnoses)


def _good(topic: str, sentence: str | Sentence) -> Diagnosis:
    return Diagnosis(topic, Severity.OK, sentence)


def _doubtful(topic: str, sentence: str | Sentence, remedy: str | Sentence = "") -> Diagnosis:
    return Diagnosis(topic, Severity.WARNING, sentence, remedy)


def _wrong(topic: str, sentence: str | Sentence, remedy: str | Sentence) -> Diagnosis:
    return Diagnosis(topic, Severity.PROBLEM, sentence, remedy)


def _python(facts: WorkerFacts) -> Iterator[Diagnosis]:
    version = ".".join(map(str, facts.python))
    least, below = PYTHON
    if least <= facts.python[:2] < below:
        yield _good("Python", f"Python {version}.")
    else:
        yield _wrong(
            "Python",
            say("Python {version} is not supported.", version=version),
            say(
                "Use Python {least} to {newest}.", least=f"3.{least[1]}", newest=f"3.{below[1] - 1}"
            ),
        )


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
            yield _wrong(name, broken, _again(name))
        else:
            yield _package(name, version)


def _package(name: str, version: str | None) -> Diagnosis:
    least, below = BOUNDS.get(name, ("0", "999999"))
    if version is None:
        remedy = say("Install it: {command}", command=_install(name))
        return _wrong(name, say("{name} is not installed.", name=name), remedy)
    if _numbers(least) <= _numbers(version) < _numbers(below):
        tried = NEWEST_TRIED.get(name)
        if tried is None or _numbers(version)[:2] <= _numbers(tried):
            return _good(name, f"{name} {version}.")
        newer = say(
            "{name} {version} is newer than any that this program was tried with, {tried}.",
            name=name,
            version=version,
            tried=tried,
        )
        older = say("Should kernels fail: {command}", command=f"pip install '{name}=={tried}.*'")
        return _doubtful(name, newer, older)
    untested = say(
        "{name} {version} is not a version that this program is tested with: at least {least},"
        " below {below}.",
        name=name,
        version=version,
        least=least,
        below=below,
    )
    return _doubtful(name, untested, say("Install one that is: {command}", command=_install(name)))


def _extras(facts: Facts) -> Iterator[Diagnosis]:
    for name, found in facts.extras.items():
        purpose, how = EXTRAS[name]
        if found is None:
            absent = f"{name} is not installed, which is for {purpose}."
            yield Diagnosis("extra", Severity.NOTE, absent, f"Install it: {how}")
        else:
            yield _good("extra", f"{name} {found}, for {purpose}.")


def _qt(facts: Facts) -> Iterator[Diagnosis]:
    if facts.missing_libraries:
        sentence, _, remedy = missing_sentence(facts.missing_libraries).partition(" Install with: ")
        yield _wrong("Qt libraries", sentence, f"Install them: {remedy}")
    elif facts.system == LINUX:
        yield _good("Qt libraries", "All system libraries that Qt needs, and a font, are here.")
    if facts.qt_error is not None:
        sentence = f"Qt is installed but cannot be imported: {facts.qt_error}"
        yield _wrong("Qt", sentence, _again("PySide6-Essentials"))


def _display(facts: Facts) -> Iterator[Diagnosis]:
    display = facts.display
    if display.why_not is not None:
        remedy = (
            "Without one, lnexplorer runs its default experiment and saves the window's picture;"
            " lnexplorer run prints a run."
        )
        yield Diagnosis("display", Severity.NOTE, display.why_not, remedy)
    else:
        yield _good("display", f"Windows appear on {display.name} ({display.platform}).")
    if facts.system != LINUX:
        return  # the system has such a font
    if facts.chinese_font is None:
        remedy = "For the window in Chinese: sudo apt-get install fonts-noto-cjk"
        yield _doubtful("Chinese font", "There is no font with Chinese characters.", remedy)
    else:
        yield _good("Chinese font", f"{facts.chinese_font}.")


def _gpus(driver: Driver, torch: Torch, device: str) -> Iterator[Diagnosis]:
    count = len(driver.visible)
    if device.startswith("cuda:") and int(device.removeprefix("cuda:")) >= count:
        yield _wrong(
            "device",
            say(
                "There is no {device}. GPUs that can be used: {count}.", device=device, count=count
            ),
            say(
                "Name another one, or interpreter. A GPU without a driver needs one: sudo apt-get"
                " install nvidia-driver"
            ),
        )
    if driver.version is None and (silent := why_silent(driver))[1]:
        yield _doubtful("driver", silent[0], _until_then(silent[1]))
        return
    old = driver.cuda is not None and driver.cuda[0] < OLDEST_CUDA
    if driver.cuda is not None and old:
        useless = say(
            "NVIDIA driver {driver} serves CUDA {served} at most: no torch that is supported here"
            " can use it.",
            driver=driver.version or "",
            served=_dotted(driver.cuda),
        )
        least = LEAST_DRIVER[OLDEST_CUDA]
        remedy = _until_then(say("Install driver {least} or newer.", least=least))
        yield _wrong("driver", useless, remedy)
    elif driver.version is not None:
        up_to = "" if driver.cuda is None else f", for CUDA up to {_dotted(driver.cuda)}"
        yield _good("driver", f"NVIDIA driver {driver.version}{up_to}.")
    if not driver.gpus:
        yield Diagnosis(
            "GPU",
            Severity.NOTE,
            "There is no NVIDIA GPU: kernels run on Triton's interpreter, and nothing is timed.",
        )
    elif torch.version is not None and torch.error is None and torch.gpus == 0 and not old:
        why, repair = why_no_gpu(driver, torch)
        yield _doubtful("GPU", why, _until_then(repair))
    for gpu in driver.gpus:
        yield from _gpu(gpu, torch)


def _until_then(remedy: Sentence | str) -> Sentence:
    return say("{remedy} Until then kernels run on Triton's interpreter.", remedy=remedy)


def _gpu(gpu: Gpu, torch: Torch) -> Iterator[Diagnosis]:
    topic = f"GPU {gpu.index}"
    dotted = "" if gpu.compute_capability is None else _dotted(gpu.compute_capability)
    if gpu.compute_capability is not None and gpu.compute_capability < LEAST_CAPABILITY:
        yield _doubtful(
            topic,
            say(
                "{name} is refused: its compute capability is {capability}.",
                name=gpu.name,
                capability=dotted,
            ),
            say("The spin lock needs 7.0 or above. Take another GPU, as cuda:N."),
        )
        return
    if torch.least_capability is not None and gpu.compute_capability is not None:
        least = torch.least_capability
        if gpu.compute_capability < least:
            sentence = say(
                "{name} has compute capability {capability}, and torch {version} is built for"
                " {least} and above.",
                name=gpu.name,
                capability=dotted,
                version=torch.version or "",
                least=_dotted(least),
            )
            older = say("Install a torch that is built for an older CUDA, or take another GPU.")
            yield _doubtful(topic, sentence, older)
            return
    yield _good(topic, f"{gpu.name}{dotted and f', compute capability {dotted}'}.")
    if gpu.free_bytes is not None and gpu.memory_bytes is not None:
        room = say(
            "{free} of {all} are free.",
            free=bytes_text(gpu.free_bytes),
            all=bytes_text(gpu.memory_bytes),
        )
        if gpu.free_bytes < SCARCE_BYTES:
            remedy = say("Large runs will not fit: end other programs on this GPU.")
            yield _doubtful(topic, room, remedy)
        else:
            yield _good(topic, room)
    if gpu.processes:
        shared = say(
            "Other programs use this GPU, and times will vary: {programs}.",
            programs=gpu.processes,
        )
        yield _doubtful(topic, shared, say("End them, or take another GPU, as cuda:N."))
    if gpu.drives_display:
        frozen = "This GPU drives the display: a kernel that hangs freezes the desktop for a while."
        yield Diagnosis(
            topic, Severity.NOTE, frozen, "Where there is another GPU, take it, as cuda:N."
        )


def _install(name: str) -> str:
    least, below = BOUNDS.get(name, ("", ""))
    return f"pip install '{name}>={least},<{below}'" if least else f"pip install {name}"


def _again(name: str) -> Sentence:
    return say("Install it again: {command}", command=_install(name))


def _numbers(version: str) -> tuple[int, ...]:
    """Parse the release of a version: "2.13.0+cpu" is (2, 13, 0)."""
    return tuple(
        int(number) for number in re.findall(r"\d+", version.split("+", maxsplit=1)[0])[:3]
    )


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


SCHEMA_VERSION = 1


def as_text(diagnoses: list[Diagnosis]) -> str:
    """Write a line for each finding, its remedy below, and the verdict at the end."""
    width = max(len(finding.topic) for finding in diagnoses)
    lines = []
    for finding in diagnoses:
        mark = "PROBLEM" if finding.level is Severity.PROBLEM else finding.level
        lines.append(f"{mark:<7}  {finding.topic:<{width}}  {finding.sentence}")
        if finding.remedy:
            lines.append(f"{'':<7}  {'':<{width}}  {finding.remedy}")
    verdict = (
        "The explorer can be used."
        if usable(diagnoses)
        else "Not everything can be used yet: see the lines marked PROBLEM."
    )
    return "\n".join([*lines, "", verdict])


def as_document(facts: WorkerFacts, diagnoses: list[Diagnosis]) -> dict[str, Any]:
    """Return findings and facts, ready for JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "usable": usable(diagnoses),
        "findings": [
            asdict(finding) | {"sentence": str(finding.sentence), "remedy": str(finding.remedy)}
            for finding in diagnoses
        ],
        "facts": asdict(facts),
    }
