"""Qt's bindings without what they do to Python's `import`.

PySide6 puts a function of its own in the place of `import`. After each module that is imported from then on, Qt or not, it reads
the module's source for its own name, in case the module uses `__feature__`, another spelling of Qt's names. No module here does,
and Python keeps each source that was asked for: 450,000 lines once pandas is there.
"""

import builtins


def load_qt() -> None:
    """Load the bindings and put `import` back. Does nothing where they are loaded already."""
    before = builtins.__import__
    import PySide6.QtCore  # noqa: F401, PLC0415

    builtins.__import__ = before
