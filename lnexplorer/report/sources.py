"""The text of the kernels' modules, and of all that they import of their package, read from the files that are installed."""

import ast
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "lnkernels"


def sources(*roots: str) -> dict[str, str]:
    """Text of each module that `roots` need, themselves included, by name; a module stands after those that it imports.

    Args:
        roots: such as "lnkernels.layer_norm".

    Raises:
        FileNotFoundError: the package is installed without its source files.
    """
    found: dict[str, str] = {}
    visited: set[str] = set()

    def visit(name: str) -> None:
        if name in visited:
            return
        visited.add(name)
        for parent in _parents(name):
            visit(parent)
        text = _path_of(name).read_text(encoding="utf-8")
        for other in _imports(name, text):
            visit(other)
        found[name] = text

    for root in roots:
        visit(root)
    return found


def is_package(name: str) -> bool:
    """Whether a module of the package is a folder."""
    return _file_of(name, "/__init__.py").is_file()


def _imports(name: str, text: str) -> list[str]:
    """Modules of the package that a module imports when it is loaded or later, but for the sake of types."""
    names = []
    tree = ast.parse(text)
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [other for other in names if other.split(".")[0] == PACKAGE and other != name and _exists(other)]


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _exists(name: str) -> bool:
    return is_package(name) or _file_of(name, ".py").is_file()


def _path_of(name: str) -> Path:
    return _file_of(name, "/__init__.py") if is_package(name) else _file_of(name, ".py")


def _file_of(name: str, suffix: str) -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"The package {PACKAGE} is not installed with its source files.")
    return Path(spec.submodule_search_locations[0]).parent / (name.replace(".", "/") + suffix)
