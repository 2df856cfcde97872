"""A user's kernel as a provider: a file or a module that a person has named.

Its code runs in this process, when a call is asked for. What it raises is told with the line of its
file.
"""

import inspect
import linecache
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import torch
from torch import Tensor

from lnkernels.check.tampering import remember
from lnkernels.failures import LeaveError, assembled_from, causes, reason_of
from lnkernels.launch import USUAL_LIMITS, DeviceLimits, split_norm, with_residual
from lnkernels.launch.source import KernelSource
from lnkernels.providers.adapting import (
    KINDS,
    Function,
    as_autograd,
    is_raw_kernel,
    of_pair,
)
from lnkernels.providers.peers import Autograd, Backward, Forward, backward_of, forward_of
from lnkernels.providers.protocol import Case, NoGradientError
from lnkernels.values.environment import HOST_VARIABLE
from lnkernels.values.sentence import ExplainedError, Sentence, say

# Packages in which an error says nothing about a file, besides Python's own.
LIBRARIES = ("lnkernels", "torch", "triton")
PYTHON = sysconfig.get_path("stdlib")
USUAL: dict[str, tuple[str, ...]] = {  # names that are looked for, in this order
    "layer_norm": ("layer_norm", "ModelNew", "LayerNorm", "Model"),
    "rms_norm": ("rms_norm", "ModelNew", "RMSNorm", "Model"),
}
USUAL |= {
    with_residual(norm): (with_residual(norm), f"fused_add_{norm}", *names)
    for norm, names in USUAL.items()
}
# Then functions and classes of such names.
NAMED = {
    norm: re.compile(rf"{name}_?(fn|func|function|forward|fwd)?", re.IGNORECASE)
    for norm, name in (("layer_norm", "layer_?norm"), ("rms_norm", "rms_?(layer)?norm"))
}
RMS_NORM = re.compile("rms_?norm", re.IGNORECASE)
SIGNATURES = {
    "layer_norm": "layer_norm(x, normalized_shape, weight, bias, eps)",
    "rms_norm": "rms_norm(x, normalized_shape, weight, eps)",
    "add_layer_norm": "add_layer_norm(x, residual, weight, bias, eps)",
    "add_rms_norm": "add_rms_norm(x, residual, weight, eps)",
}
HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class KernelFileError(ExplainedError):
    """Error that a user's kernel raised, with the line of its file."""


class FileProvider:
    """The norm of a file: one function with the signature of `torch.nn.functional.layer_norm`,
    or a pair.

    The text that runs is the one that was read first, whatever is saved meanwhile: its lines are
    what Triton compiles and what a traceback shows.
    """

    unproven = True

    def __init__(
        self, source: KernelSource, limits: DeviceLimits = USUAL_LIMITS, *, judged: bool = True
    ) -> None:
        """Take a file or module.

        Args:
            source: the kernel as it was read.
            limits: of the device that cuda stands for, on a machine without a GPU.
            judged: whether an RMSNorm is refused, because its results are held against LayerNorm's.
        """
        self.name = self.label = source.name
        self.source = source
        self.left_out = list[Sentence]()
        self._limits = limits
        self._judged = judged
        self._device = HERE  # of the newest case
        self._module: ModuleType | None = None
        self.trace: Tensor | None = None  # memory for its stamps
        self._first_line: int | None = None  # of the function that was taken last

    def unavailable(self) -> Sentence | None:
        if not self.source.is_file or Path(self.source.place).is_file():
            return None
        path, host = self.source.place, os.environ.get(HOST_VARIABLE)
        if not host:
            return say("there is no file {path}", path=path)
        return say(
            "there is no file {path} on {host}: put its text into the same place there",
            path=path,
            host=host,
        )

    def forward(self, case: Case) -> Forward:
        pair = self._pair(case)
        if pair is None:
            return forward_of(self.autograd(case), case)
        return lambda: pair[0](case.x, case.weight, case.bias, case.eps)[0]

    def backward(self, case: Case) -> Backward:
        """Prepare the backward function of a pair; else the backward pass of autograd, after one
        forward pass.
        """
        pair = self._pair(case)
        if pair is None:
            return self._told(backward_of(self.autograd(case), case))
        _, mean, rstd = pair[0](case.x, case.weight, case.bias, case.eps)
        return lambda: pair[1](case.dy, case.x, case.weight, mean, rstd)

    def autograd(self, case: Case) -> Autograd:
        pair = self._pair(case)
        return self._function(case) if pair is None else of_pair(*pair, case.eps)

    @property
    def compiles(self) -> bool:
        """Return True if its text names torch.compile, which makes kernels on a GPU alone."""
        return any("torch.compile" in line for line in linecache.getlines(self._code_name))

    @contextmanager
    def watched(self, device: torch.device, n: int) -> Iterator["FileProvider"]:
        """Yield the same kernel, whose stamps, if it has some, are recorded inside."""
        if not self.source.stamps:
            yield self
            return
        # It imports triton, for which whoever asks what providers there are must not wait.
        from lnkernels.trace.flight_recorder import watching

        with self._explained():
            self.load()
        with watching(device, Path(self.source.place).name, self._code_name, n) as memory:
            yield self.traced(memory)

    def traced(self, memory: Tensor) -> "FileProvider":
        """Return the same kernel with memory for its stamps, which functions that take `trace` are
        given.
        """
        made = copy(self)
        made.trace = memory
        return made

    def _told(
        self,
        function: Function,
        check: Callable[..., Any] = lambda given, arguments: given,
        settings: Mapping[str, Any] = MappingProxyType({}),
    ) -> Function:
        """Wrap a function of the file: errors name its line, and results are checked."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is not None and code.co_filename == self._code_name:
            self._first_line = code.co_firstlineno
        first_line = self._first_line

        def call(*arguments: Any) -> Any:
            with self._explained(first_line), self.standing_in(self._device):
                return check(function(*arguments, **settings), arguments)

        return call

    @property
    def _code_name(self) -> str:
        if self.source.is_file:
            return self.source.code_name
        return getattr(self._module, "__file__", None) or self.source.place

    def _settings(self, function: Function) -> dict[str, Any]:
        """Return what a function of the file is given by keyword."""
        settings: dict[str, Any] = dict(self.source.settings)
        if self.trace is not None and "trace" in inspect.signature(function).parameters:
            settings["trace"] = self.trace
        return settings

    def _function(self, case: Case) -> Autograd:
        """Return what the file has as the norm of a case."""
        norm = case.named_norm
        with self._explained():
            module = self.load()
            name = self.source.function or _norm_in(module, norm)
            found: Any = getattr(module, name, None)
        judged = self._judged and case.norm == "layer_norm"
        if why := self._why_no_norm(found, name, norm, judged=judged):
            raise KernelFileError(why)
        adapted = as_autograd(found, case, self._settings(found), judged=judged)
        check = _first if case.residual is None else _both
        return self._told(adapted, partial(check, name=name))

    def _why_no_norm(self, found: Any, name: str, norm: str, *, judged: bool) -> Sentence | None:
        """Return why what has this name in the file cannot be called as a norm."""
        place, is_open = self.source.place, found is None and not self.source.function
        names = _offered(self.load()) if is_open else []
        norms = [each for each in names if "norm" in each.lower()] or [name]
        values = {"place": place, "file": Path(place).name, "function": SIGNATURES[norm]}
        if judged and all(map(RMS_NORM.search, norms)):
            return say(
                "{name} is no LayerNorm, by its name: choose norm rms_norm, which is --norm"
                " rms_norm on the command line",
                name=norms[0],
            )
        if names:
            return say(
                "{place} has no {function}: write one, or name a function as {file}:NAME, of"
                " {names}",
                names=names,
                **values,
            )
        if is_open:
            return say("{place} has no {function}: write one, which launches its kernels", **values)
        if is_raw_kernel(found):
            return say(
                "{name} is a kernel, and does not say how it is launched: name a function that"
                " launches it, such as {function}",
                name=name,
                function=SIGNATURES[norm],
            )
        if not callable(found):
            return say("{place} has no function {name}", place=place, name=name)
        return None

    def _pair(self, case: Case) -> tuple[Function, Function] | None:
        self._device = case.x.device
        if self.source.function or case.named_norm != "layer_norm":
            return None
        with self._explained():  # a module may have a `__getattr__` of its own
            module = self.load()
            if hasattr(module, "layer_norm") or not (
                hasattr(module, "forward") and hasattr(module, "backward")
            ):
                return None
            passes = {name: getattr(module, name) for name in ("forward", "backward")}
        forward, backward = (
            self._told(one, partial(_three, name=name), self._settings(one))
            for name, one in passes.items()
        )
        return forward, backward

    def load(self) -> ModuleType:
        """Return the module, which is run once; `left_out` has the statements that were not."""
        if self._module is None:
            remember()
            self.left_out.clear()
            # A script may switch gradients off, for itself and for whoever comes after.
            loading = _loading()
            context = loading.standing_in(HERE, self._limits)
            with self._explained(), torch.enable_grad(), context:
                if self.source.is_file:
                    self._module = loading.load_file(self.source, self.left_out)
                else:
                    self._module = loading.load_module(self.source.place)
            if "torch._dynamo" in sys.modules:  # as for the peer `Inductor`
                torch._functorch.config.donated_buffer = False
        return self._module

    def standing_in(self, device: torch.device) -> AbstractContextManager[object]:
        """Return a context in which cuda is `device` for the file, where there is no GPU; one
        without effect until it is loaded.
        """
        if self._module is None:
            return nullcontext()
        context: AbstractContextManager[object] = _loading().standing_in(device, self._limits)
        return context

    @contextmanager
    def _explained(self, otherwise: int | None = None) -> Iterator[None]:
        """Re-raise errors with the line of the file where they began, or else with the line
        `otherwise`.
        """
        try:
            yield
        except (
            KernelFileError,
            NoGradientError,
            torch.OutOfMemoryError,
            LeaveError,
            GeneratorExit,
        ):
            raise
        except (
            BaseException
        ) as error:  # a file that leaves, by whatever it raises, ends its check alone
            line = line_of(error, self._code_name) or otherwise
            file = Path(self.source.place if self.source.is_file else self._code_name).name
            why = reason_of(error)
            if below := line_below(error, self._code_name):
                why = say("{file}, line {line}: {why}", file=below[0], line=below[1], why=why)
                missing = [e for e in causes(error) if isinstance(e, ImportError | SyntaxError)]
                if HERE.type == "cpu" and not missing:
                    why = say("{why}; the CPU stands for cuda here: a GPU may run it", why=why)
            told = (
                say("{file}: {why}", file=file, why=why)
                if line is None
                else say("{file}, line {line}: {why}", file=file, line=line, why=why)
            )
            raise KernelFileError(told) from error


def _loading() -> ModuleType:
    from lnkernels.providers import loading  # imports triton, for which the device has to be known

    return loading


def line_of(error: BaseException, place: str) -> int | None:
    """Return the line of a file at which an exception began; None where it does not concern that
    file.

    A compiler's exception names a line of the kernel, counted from its first one; an assembler's
    one of its own text.
    """
    for one in reversed(causes(error)):
        node, function = getattr(one, "node", None), _kernel_behind(one, place)
        if node is not None and function is not None and hasattr(node, "lineno"):
            return function + int(node.lineno) - 1
        if (assembled := assembled_from(one)) and assembled[0] == Path(place).name:
            return assembled[1]
        inside = [
            frame.lineno
            for frame in traceback.extract_tb(one.__traceback__)
            if frame.filename == place
        ]
        if inside:
            return inside[-1]
        if isinstance(one, SyntaxError) and one.filename == place:
            return one.lineno
    return None


def line_below(error: BaseException, place: str) -> tuple[str, int] | None:
    """Return the file and line at which an exception began in a file that `place` uses; None where
    it began there, or in a library that everybody uses.
    """
    for one in reversed(causes(error)):
        if isinstance(one, SyntaxError) and one.filename and one.lineno:
            return None if one.filename == place else (Path(one.filename).name, one.lineno)
        frames = traceback.extract_tb(one.__traceback__)
        within = [number for number, frame in enumerate(frames) if frame.filename == place]
        below = [
            frame
            for frame in frames[within[-1] + 1 if within else len(frames) :]
            if not _is_library(frame.filename)
        ]
        if below:
            return Path(below[-1].filename).name, below[-1].lineno or 0
    return None


def _is_library(file: str) -> bool:
    pythons = file.startswith(PYTHON) and "/site-packages/" not in file
    loaded = (sys.modules[name] for name in LIBRARIES if name in sys.modules)
    theirs = any(file.startswith(f"{place}/") for each in loaded for place in each.__path__)
    return not file.startswith("/") or pythons or theirs


def _offered(module: ModuleType) -> list[str]:
    """Return the names that a module itself defines and that may be called: its private ones, where
    it has no others.
    """
    names = [
        name
        for name, value in vars(module).items()
        if callable(value)
        and not name.startswith("test")
        and getattr(value, "__module__", "") == module.__name__
        and not is_raw_kernel(value)
    ]
    return [name for name in names if not name.startswith("_")] or names


def _norm_in(module: ModuleType, norm: str) -> str:
    """Return the name of a norm in a module: a usual one, its only class, or one of such a name.
    That of the norm itself where it has none.
    """
    here, offered = vars(module), _offered(module)
    usual = [name for name in USUAL[norm] if name in here]
    types = [name for name in offered if isinstance(here[name], type)]
    classes = [name for name in types if issubclass(here[name], KINDS)]
    named = [name for name in offered if NAMED[split_norm(norm)[0]].fullmatch(name)]
    # A function knows more of how it is called than the class behind it; one named after the
    # forward pass may have no backward pass.
    named.sort(key=lambda each: (each in types, each.lower().endswith(("forward", "fwd"))))
    return next(iter(usual or classes * (len(classes) == 1) or named), norm)


def _kernel_behind(error: BaseException, place: str) -> int | None:
    """Return the first line in `place` of the kernel that failed to compile, found by its text."""
    source = getattr(error, "src", None)
    if not isinstance(source, str) or not source.strip():
        return None
    wanted = source.splitlines()[0].strip()
    lines = linecache.getlines(place)
    return next((number for number, line in enumerate(lines, 1) if line.strip() == wanted), None)


def _first(given: Any, arguments: tuple[Any, ...], name: str) -> Tensor:
    """Return y of a function that may return statistics besides."""
    y = given[0] if isinstance(given, tuple | list) and given else given
    if not isinstance(y, Tensor):
        raise ExplainedError(
            "{name} gives {type} in place of a tensor", name=name, type=type(y).__name__
        )
    asked = torch.is_grad_enabled() and any(
        isinstance(one, Tensor) and one.requires_grad for one in arguments
    )
    if asked and not y.requires_grad:
        raise NoGradientError(
            "{name} gives y without a gradient: make it differentiable, or write forward and"
            " backward",
            name=name,
        )
    return y


def _both(given: Any, arguments: tuple[Any, ...], name: str) -> tuple[Tensor, Tensor]:
    """Return y and x + residual of a function that may return more besides."""
    if not isinstance(given, tuple | list) or len(given) < 2 or not isinstance(given[1], Tensor):
        raise ExplainedError(
            "{name} gives {type} in place of y and x + residual", name=name, type=_kind(given)
        )
    return _first(given, arguments, name), given[1]


def _kind(given: object) -> str:
    """Return the type of a result; of a few in a tuple the types."""
    if isinstance(given, tuple | list) and len(given) < 10:
        return f"({', '.join(type(each).__name__ for each in given)})"
    return type(given).__name__


def _three(given: Any, arguments: tuple[Any, ...], name: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return three tensors of a pass; dw and db may be None."""
    is_forward = name == "forward"
    wanted = "y, mean and rstd" if is_forward else "dx, dw and db"
    found = given if isinstance(given, tuple | list) else ()
    are_right = all(isinstance(each, Tensor) or (each is None and not is_forward) for each in found)
    if len(found) != 3 or found[0] is None or not are_right:
        raise ExplainedError(
            "{name} gives {type} in place of three tensors, {wanted}",
            name=name,
            type=_kind(given),
            wanted=wanted,
        )
    return found[0], found[1], found[2]
