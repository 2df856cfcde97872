"""Whether a function can be imported, found out without importing it.

Importing a kernel library costs seconds and may start a CUDA context, and a package of the right name may be another one, or
another version. So the module's source is read for the very name.
"""

import ast
import importlib.machinery
import importlib.util
from pathlib import Path

from lnkernels.sentence import Sentence, say


def missing(module: str, *names: str) -> Sentence | None:
    """Why `names` cannot be imported from `module`; None where they can be, as far as its source shows.

    Args:
        module: dotted name. Nothing of its package is executed.
        names: functions or classes that the module defines or imports at its top level. None are needed for an extension
            module, whose names cannot be seen.
    """
    package = module.partition(".")[0]
    file = _locate(module)
    if file is None:
        if _locate(package) is None:
            return say("package {package} is not installed", package=package)
        return say("{package} has no module {module}", package=package, module=module)
    if file.suffix != ".py":
        return None
    try:
        defined = _top_level_names(ast.parse(file.read_bytes()))
    except (OSError, SyntaxError, ValueError) as error:
        return say("{file} cannot be read: {error}", file=str(file), error=str(error))
    absent = [name for name in names if name not in defined]
    if not absent:
        return None
    return say("{module} has no {names}: another version is needed", module=module, names=", ".join(absent))


def _locate(module: str) -> Path | None:
    """The file of a module, or of a package's __init__; None if there is none."""
    path: list[str] | None = None
    spec = None
    parts = module.split(".")
    for depth in range(len(parts)):
        # importlib.util.find_spec would execute the parent packages; the path finder alone does not.
        spec = _find(".".join(parts[: depth + 1]), path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin)


def _find(name: str, path: list[str] | None) -> importlib.machinery.ModuleSpec | None:
    if path is None:
        # Top level: all finders, so that editable installs are seen too. A module without a spec raises ValueError.
        try:
            return importlib.util.find_spec(name)
        except ValueError:
            return None
    return importlib.machinery.PathFinder.find_spec(name, path)


def _top_level_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    # Definitions inside a top-level `if` or `try` count: libraries define the same name for several versions.
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        statement = pending.pop()
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(statement.name)
            case ast.Import() | ast.ImportFrom():
                names.update(alias.asname or alias.name for alias in statement.names)
            case ast.Assign():
                names.update(target.id for target in statement.targets if isinstance(target, ast.Name))
            case ast.If():
                pending += [*statement.body, *statement.orelse]
            case ast.Try():
                pending += [*statement.body, *statement.orelse, *statement.finalbody]
                pending += [inner for handler in statement.handlers for inner in handler.body]
    return names
