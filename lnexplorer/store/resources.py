"""Files that come with the program: pictures, translations, recordings."""

from pathlib import Path

import lnexplorer


def resources() -> Path:
    """Return the folder of resources: inside the installed package, else that of the checkout."""
    package = Path(lnexplorer.__file__).parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"


def resource(name: str) -> Path:
    """Return the path of a resource, such as "recordings/h200.lnrec", whether it exists or not."""
    return resources() / name
