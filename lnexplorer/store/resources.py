"""Files that come with the program: pictures, translations, recordings."""

from pathlib import Path

import lnexplorer


def resources() -> Path:
    """The folder of resources: inside the installed package, else that of the checkout."""
    package = Path(lnexplorer.__file__).parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"


def resource(name: str) -> Path:
    """Path of one resource, such as "recordings/h200.lnrec". Whether it exists is for the caller to
    see.
    """
    return resources() / name
