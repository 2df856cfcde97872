"""Load the file of a user's kernel: as part of its package, with arguments of its own, and without
launching a kernel.

A published file often ends in a test and a benchmark. They are left out, and named.
"""

import __future__

import ast
import hashlib
import importlib
import importlib.util
import io
import linecache
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from unittest.mock import patch

import lnkernels.interpreter  # noqa: F401  (Triton's autotuner is made for it)
from lnkernels.failures import in_one_line
from lnkernels.launch.source import KernelSource, SourceError
from lnkernels.providers.cuda_stand_in import standing_in
from lnkernels.triton_internals import launching
from lnkernels.values.sentence import ExplainedError, Sentence, say

__all__ = ["load_file", "load_module", "standing_in"]


_left_out: dict[str, tuple[Sentence, ...]] = {}  # of each module that was loaded here


class _LaunchError(BaseException):
    """Leaves a statement that launches a kernel. Not an Exception, so no file catches it."""


def load_file(source: KernelSource, left_out: list[Sentence]) -> ModuleType:
    """Run the text of a file once.

    Args:
        source: the file as it was read.
        left_out: gets a sentence for each statement that is left out, also where loading fails:
            those that launch a kernel, calls that need a package that is not here, and what needs
            a name of theirs.

    Raises:
        ExplainedError: its text is not the one that was read.
        Exception: whatever a statement raises.
    """
    path = Path(source.place)
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != source.sha256:
        raise ExplainedError("{path} was saved anew meanwhile: run it again", path=str(path))
    package, root = _package(path)
    name = f"_kernel_{hashlib.sha256(str(path).encode() + raw).hexdigest()[:24]}"
    name = f"{package}.{name}" if package else name
    if name in sys.modules:  # the same text under other settings
        left_out.extend(_left_out[name])
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise SourceError("{path} is no Python", path=str(path))
    module = importlib.util.module_from_spec(spec)
    text = raw.decode("utf-8-sig")
    # With no time of change, whoever looks a line up takes it from here and not from the file.
    code = source.code_name
    linecache.cache[code] = (len(text), None, list(io.StringIO(text, newline=None)), code)
    if str(root) not in sys.path:  # behind all that is installed: for the files beside it
        sys.path.append(str(root))
    sys.modules[name] = module
    try:
        with _arguments_of(path), launching(_refuse):
            left_out.extend(_enter(package))
            left_out.extend(_execute(text, code, module))
    except BaseException:
        del sys.modules[name]
        raise
    _left_out[name] = tuple(left_out)
    return module


def load_module(place: str) -> ModuleType:
    """Import an installed module, which a user has named."""
    with _arguments_of(Path(place)):
        return importlib.import_module(place)


def _package(path: Path) -> tuple[str, Path]:
    """Return the package that a file belongs to, empty for none, and the folder to import from."""
    folder, names = path.parent, list[str]()
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names), folder


def _enter(package: str) -> Iterator[Sentence]:
    """Import the packages around a file, and yield what is left out: an `__init__.py` that fails,
    as it imports more than the file needs, such as an extension that is not built here.
    """
    for end in range(package.count(".") + 1 if package else 0):
        name = ".".join(package.split(".")[: end + 1])
        found = importlib.util.find_spec(name)
        try:
            importlib.import_module(name)
        except (Exception, _LaunchError) as error:
            if found is None:
                raise
            sys.modules[name] = importlib.util.module_from_spec(found)
            yield say(
                "{package}/__init__.py was left out while the file was loaded: {why}",
                package=name.replace(".", "/"),
                why=in_one_line(error),
            )


def _execute(text: str, code: str, module: ModuleType) -> Iterator[Sentence]:
    """Run a text statement by statement, and yield what is left out."""
    flags, left_out = 0, False
    for node in ast.parse(text, code).body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for each in node.names:
                flags |= getattr(__future__, each.name).compiler_flag
        statement = compile(ast.Module([node], []), code, "exec", flags, dont_inherit=True)
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        try:
            exec(statement, vars(module))
        except _LaunchError as error:
            why: Sentence | str = say("it launches {kernel}", kernel=str(error))
        except (ImportError, NameError) as error:
            if not (is_call if isinstance(error, ImportError) else left_out):
                raise
            why = in_one_line(error)
        else:
            continue
        left_out = True
        yield say(
            "{file}, line {line} was left out while the file was loaded: {why}",
            file=Path(code).name,
            line=node.lineno,
            why=why,
        )


def _arguments_of(path: Path) -> AbstractContextManager[object]:
    """Give a file that parses arguments none, in place of this program's."""
    return patch.object(sys, "argv", [str(path)])


def _refuse(_launch: object, kernel: Any, *_given: Any, **_named: Any) -> NoReturn:
    """Leave the statement that launches a kernel."""
    raise _LaunchError(getattr(kernel, "__name__", "a kernel"))
