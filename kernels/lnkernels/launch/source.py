"""Files and modules that a user names as kernels, read without running them. Standard library only.

A worker runs them, and only those that a job names: a session, a recording or another file cannot
name one.
"""

import ast
import hashlib
import math
import os
import re
import stat
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product
from pathlib import Path
from typing import BinaryIO, TypeAlias
from urllib.parse import quote

from lnkernels.launch.limits import NORMS, split_norm, with_residual
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import ExplainedError, Sentence, say, verbatim

MOST_BYTES = 1 << 20
MOST_COMBINATIONS = 200
MOST_SETTINGS = 20
LONGEST_TEXT = 200  # of a setting's value
SettingValue: TypeAlias = int | float | str | bool
_UNUSUAL = re.compile(r"[^\w.=-]+")
_WRITTEN = " !#$&'()*+,/:;<=>?@[]^`{|}~"  # beside letters, digits, _ . and -
# Names that tell a norm, and parameters that an RMSNorm has not.
_NORMS = {norm: re.compile(norm.replace("_", "_?"), re.IGNORECASE) for norm in NORMS}
_RESIDUAL = "residual"  # of a function that needs one, and so adds
_BIASES = {"bias", "beta"}
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


class SourceError(ExplainedError):
    """A file or module that cannot be a kernel, and why."""


@frozen_by_name
class KernelSource:
    """A file or module with a norm, as it describes itself before it is run.

    `layer_norm` has the signature of `torch.nn.functional.layer_norm`; or there are `forward(x,
    weight, bias, eps)` giving y, mean and rstd, and `backward(dy, x, weight, mean, rstd)` giving
    dx, dw and db.
    """

    name: str  # of the provider
    place: str  # an absolute path, or the name of a module
    function: str = ""  # empty: what the file has under the usual names
    # handed to the functions by keyword; at first the first of each
    settings: tuple[tuple[str, SettingValue], ...] = ()
    # its SETTINGS, from which a person may choose
    offered: tuple[tuple[str, tuple[SettingValue, ...]], ...] = ()
    stamps: tuple[str, ...] = ()  # names of its stamps, in the order of the text
    norm: str = ""  # of NORMS, where names and parameters tell it for certain
    # By the name of an autotuned kernel, the configuration that it is compiled in, as a run has
    # chosen; the first where none has.
    tuned: tuple[tuple[str, str], ...] = ()
    sha256: str = ""  # of the file's text, the only one that is run; empty for a module

    @property
    def is_file(self) -> bool:
        return self.place.endswith(".py")

    @property
    def code_name(self) -> str:
        """Path of a file in letters that compilers, assemblers and dumps write as they are."""
        return quote(self.place, safe=_WRITTEN)


@frozen
class SourceText:
    """A file as it was at one moment."""

    text: str
    sha256: str
    name: str  # its NAME; empty where it has none
    settings: Mapping[str, tuple[SettingValue, ...]]  # its SETTINGS
    functions: frozenset[str]  # that it defines or imports
    stamps: tuple[str, ...] = ()  # names of its stamps, in the order of the text
    # What it defines itself, by name, with the names of all parameters in it.
    defined: Mapping[str, frozenset[str]] = field(default_factory=dict)


def is_source(text: str) -> bool:
    """Return True if a provider's name is a file or a module: registered names contain none of
    these characters.
    """
    return text.endswith(".py") or "/" in text or ":" in text


def whole_path(given: str | Path) -> Path:
    """Return the absolute path of a file, however it was named."""
    path = Path(given).absolute()
    return Path(os.path.realpath(path)) if ".." in path.parts else path


def find_source(given: str) -> KernelSource:
    """Parse `my_norm.py`, `my_norm.py:function` or `package.module:function`.

    Raises:
        SourceError: there is no such file, or it cannot have a kernel.
    """
    place, _, function = (given, "", "") if given.endswith(".py") else given.rpartition(":")
    if place and function and not function.isidentifier():
        name = repr(function)
        raise SourceError(
            "{function} is no name of a function: take my_norm.py:function", function=name
        )
    if given.endswith(".cu"):
        raise SourceError(
            "{given} is CUDA: name a .py file that builds it, with"
            " torch.utils.cpp_extension.load, and has layer_norm",
            given=given,
        )
    if not place.endswith(".py"):
        if not function or not _MODULE.fullmatch(place):
            raise SourceError(
                "{given} is neither FILE.py, FILE.py:function nor package.module:function",
                given=repr(given),
            )
        name = _as_name(f"{place}.{function}")
        norm = _norm({function: frozenset()})
        return KernelSource(name=name, place=place, function=function, norm=norm)
    try:
        path = whole_path(Path(place).expanduser())
        str(path).encode()
    except (RuntimeError, ValueError) as error:  # the home folder of nobody, or no name in UTF-8
        raise SourceError(
            "{given} is no path here: name the whole path, in UTF-8", given=ascii(given)[:80]
        ) from error
    found = read_source(path)
    if function and function not in found.functions:
        raise SourceError("{path} has no function {function}", path=str(path), function=function)
    name = found.name or _as_name(path.stem if not function else f"{path.stem}.{function}")
    first = tuple((setting, values[0]) for setting, values in found.settings.items())
    return KernelSource(
        name=name,
        place=str(path),
        function=function,
        settings=first,
        offered=tuple(found.settings.items()),
        stamps=found.stamps,
        norm=_norm(
            {function: found.defined.get(function, frozenset())} if function else found.defined
        ),
        sha256=found.sha256,
    )


def open_now(path: Path) -> BinaryIO:
    """Open a file for reading. A pipe or a device is not waited for.

    Raises:
        OSError: it cannot be opened.
    """
    # Windows has no such files.
    at_once = 0 if sys.platform == "win32" else os.O_NONBLOCK
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once))


def read_source(path: Path) -> SourceText:
    """Read a file without running it.

    Raises:
        SourceError: it cannot be read, or is no Python.
    """
    name = str(path)
    try:
        with open_now(path) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceError("{path} is a device or a pipe, not a file", path=name)
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise SourceError("{path} is larger than {most} bytes", path=name, most=MOST_BYTES)
        text = raw.decode("utf-8-sig")  # some editors begin with a mark
        with warnings.catch_warnings():
            # Of the file's own text: they would be printed with its lines.
            warnings.simplefilter("ignore")
            tree = ast.parse(text, name)
    except OSError as error:
        # The system's words are a template without places: the catalogue has the usual ones.
        reason = Sentence(error.strerror) if error.strerror else verbatim(str(error))
        raise SourceError("{path} cannot be read: {why}", path=name, why=reason) from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        why = say("save it in UTF-8: there is a byte of something else")
        raise _at_line(path, line, why) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Not every fault has a line, such as a byte of 0.
        fault = error.msg if isinstance(error, SyntaxError) else str(error)[:200]
        if isinstance(error, SyntaxError) and error.lineno:
            raise _at_line(path, error.lineno, fault) from error
        raise SourceError("{path} is no Python: {why}", path=name, why=fault) from error
    written = _literals(tree, path)
    title, line = written.get("NAME", ("", 1))
    if not isinstance(title, str) or title != _as_name(title):
        allowed = say("take letters, digits, _ . and -, at most 60")
        raise _impossible(path, line, "NAME", title, allowed)
    settings = _settings(*written.get("SETTINGS", ({}, 1)), path)
    sha256, names = hashlib.sha256(raw).hexdigest(), frozenset(_names(tree))
    stamps = tuple(stamp_lines(tree))
    return SourceText(text, sha256, title, settings, names, stamps, _defined(tree))


def with_settings(source: KernelSource, chosen: Mapping[str, SettingValue]) -> KernelSource:
    """Return the kernel with other values of its settings, under a name that tells them."""
    settings = dict(source.settings) | dict(chosen)
    return replace(source, name=name_with(source.name, chosen), settings=tuple(settings.items()))


def name_with(name: str, chosen: Mapping[str, SettingValue]) -> str:
    """Return the name of a kernel with some of its settings, such as `my_norm.num_warps=8`."""
    return _as_name(".".join([name, *(f"{setting}={value}" for setting, value in chosen.items())]))


def combinations(
    source: KernelSource, varied: Mapping[str, Sequence[SettingValue]]
) -> list[KernelSource]:
    """Return the kernel once for each combination of the values of some settings.

    Raises:
        SourceError: there are too many of them.
    """
    products = islice(product(*varied.values()), MOST_COMBINATIONS + 1)
    made = [with_settings(source, dict(zip(varied, values, strict=True))) for values in products]
    if len(made) > MOST_COMBINATIONS:
        most = MOST_COMBINATIONS
        raise SourceError(
            "{path}: SETTINGS has more than {most} combinations", path=source.place, most=most
        )
    if len({each.name for each in made}) < len(made):
        raise SourceError(
            "{path}: names and values in SETTINGS are too long to tell apart", path=source.place
        )
    return made


def _as_name(text: str) -> str:
    """Return a provider's name close to a text; of a long one the end, which tells more than its
    beginning.
    """
    return _UNUSUAL.sub("_", text)[-60:]


def _at_line(path: Path, line: int, why: Sentence | str) -> SourceError:
    return SourceError("{path}, line {line}: {why}", path=str(path), line=line, why=why)


def _literals(tree: ast.Module, path: Path) -> dict[str, tuple[object, int]]:
    """Return the values of NAME and SETTINGS, where they are literals, and their lines."""
    found: dict[str, tuple[object, int]] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and target.id in ("NAME", "SETTINGS"):
            try:
                found[target.id] = ast.literal_eval(node.value), node.lineno
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
                why = say("write {name} out as a literal", name=target.id)
                raise _at_line(path, node.lineno, why) from error
    return found


def _settings(given: object, line: int, path: Path) -> dict[str, tuple[SettingValue, ...]]:
    if not isinstance(given, dict) or len(given) > MOST_SETTINGS:
        allowed = say(
            'take a dict of at most {most} lists, such as {{"BLOCK": [512, 1024]}}',
            most=MOST_SETTINGS,
        )
        raise _impossible(path, line, "SETTINGS", given, allowed)
    for name, values in given.items():
        named = isinstance(name, str) and name.isidentifier() and len(name) <= 60
        listed = isinstance(values, list | tuple) and values and all(map(is_setting, values))
        if not named or not listed:
            allowed = say(
                "give a name a list of whole numbers of 64 bits, finite numbers, True, False, texts"
                " of at most {most} characters",
                most=LONGEST_TEXT,
            )
            raise _impossible(path, line, f"SETTINGS[{ascii(name)[:80]}]", values, allowed)
    return {name: tuple(dict.fromkeys(values)) for name, values in given.items()}


def _impossible(path: Path, line: int, field: str, value: object, allowed: Sentence) -> SourceError:
    try:
        shown = ascii(value)
    except ValueError:  # of a whole number, more digits than Python writes
        shown = "…"
    shown = shown if len(shown) <= 80 else f"{shown[:80]} …"
    why = say(
        "{field} = {value} is not possible: {allowed}", field=field, value=shown, allowed=allowed
    )
    return _at_line(path, line, why)


def is_setting(value: object) -> bool:
    """Return True if a value can be sent in a message, be part of a name, and be passed to a
    kernel.
    """
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT and not any(
            "\ud800" <= letter <= "\udfff" for letter in value
        )
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    return isinstance(value, float) and math.isfinite(value)


def stamp_lines(tree: ast.AST) -> dict[str, tuple[int, ...]]:
    """Return the names in calls of `stamp` in the order of the text, each with its lines."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1]
    named = [
        (call.lineno, name.value)
        for call in calls
        if "stamp" in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
        and isinstance(name := call.args[1], ast.Constant)
        and isinstance(name.value, str)
    ]
    found: dict[str, tuple[int, ...]] = {}
    for line, stamped in sorted(named):
        found[stamped] = (*found.get(stamped, ()), line)
    return found


def _defined(tree: ast.Module) -> dict[str, frozenset[str]]:
    return {
        node.name: frozenset(part.arg for part in ast.walk(node) if isinstance(part, ast.arg))
        - _optional_residual(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("test")
    }


def _optional_residual(node: ast.AST) -> set[str]:
    """Return the name of a residual that has a default, as of functions with and without one."""
    optional = set[str]()
    for part in ast.walk(node):
        if isinstance(part, ast.arguments):
            with_default = part.args[len(part.args) - len(part.defaults) :]
            optional |= {each.arg for each in with_default + part.kwonlyargs}
    return optional & {_RESIDUAL}


def _norm(defined: Mapping[str, frozenset[str]]) -> str:
    """Return the norm that names tell, where they tell one; an RMSNorm has no bias, either, and
    what cannot do without a residual adds it.
    """
    found = set[str]()
    for name, parameters in defined.items():
        told = [norm for norm, pattern in _NORMS.items() if pattern.search(name)]
        if len({split_norm(norm)[0] for norm in told}) > 1:
            return ""
        for norm in told[-1:]:
            if split_norm(norm)[0] == "rms_norm" and _BIASES & parameters:
                return ""
            found.add(with_residual(norm) if _RESIDUAL in parameters else norm)
    return found.pop() if len(found) == 1 else ""


def _names(tree: ast.Module) -> Sequence[str]:
    """Return what a file defines, imports or assigns outside of its functions and classes, in `try`
    and `if`, too.
    """
    found, within = list[str](), list[ast.AST]([tree])
    while within:  # by a list, as an expression may be as deep as it has terms
        for node in ast.iter_child_nodes(within.pop()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.append(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found += [alias.asname or alias.name.partition(".")[0] for alias in node.names]
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.append(node.id)
            else:
                within.append(node)
    return found
