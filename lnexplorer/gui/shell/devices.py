"""The devices that a window offers."""

from pathlib import Path

from lnkernels.launch import KNOWN_DEVICES


def offered_devices() -> tuple[str, ...]:
    """What can be chosen, as the command line names it. GPUs by their device files: nothing is loaded for this."""
    gpus = sorted(int(path.name[6:]) for path in Path("/dev").glob("nvidia[0-9]*") if path.name[6:].isdigit())
    architectures = dict.fromkeys(limits.architecture for limits in KNOWN_DEVICES)
    compiling_for = (f"interpreter:{architecture}" for architecture in architectures)
    return ("auto", *(f"cuda:{number}" for number in range(len(gpus))), "interpreter", *compiling_for)
