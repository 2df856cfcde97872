"""A user's kernel as a provider: a file or a module that a person has named.

Its code runs in this process, when a call is asked for. What it raises is told with the line of its
file.
"""

import hashlib
import importlib
import importlib.util
import inspect
import io
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from lnkernels.failures import LeaveError, assembled_from, causes, reason_of
from lnkernels.launch.source import KernelSource, SourceError
from lnkernels.providers.peers import backward_of, forward_of
from lnkernels.providers.protocol import Case
from lnkernels.values.environment import HOST_VARIABLE
from lnkernels.values.sentence import ExplainedError, Sentence, say

Function = Callable[..., Any]


class KernelFileError(ExplainedError):
    """Error that a user's kernel raised, with the line of its file."""


class ResultError(ExplainedError):
    """A function of a file returned no result of a LayerNorm."""


class FileProvider:
    """The LayerNorm of a file: one function with the signature of `torch.nn.functional.layer_norm`,
    or a pair.

    The text that runs is the one that was read first, whatever is saved meanwhile: its lines are
    what Triton compiles and what a traceback shows.
    """

    unproven = True

    def __init__(self, source: KernelSource) -> None:
        self.name = source.name
        self.label = source.name
        self.source = source
        self._module: ModuleType | None = None
        self._trace: Tensor | None = None
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

    def forward(self, case: Case) -> Callable[[], Tensor]:
        pair = self._pair()
        if pair is None:
            return forward_of(self.autograd(case), case)
        return lambda: pair[0](case.x, case.weight, case.bias, case.eps, **self._settings)[0]

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """Prepare the backward function of a pair; else the backward pass of autograd, after one
        forward pass.
        """
        pair = self._pair()
        if pair is None:
            return self._told(backward_of(self.autograd(case), case))
        _, mean, rstd = pair[0](case.x, case.weight, case.bias, case.eps, **self._settings)
        return lambda: pair[1](case.dy, case.x, case.weight, mean, rstd, **self._settings)

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        pair = self._pair()
        function = self._function() if pair is None else _as_function(*pair)
        shape, eps, settings = case.shape[1:], case.eps, self._settings
        return lambda x, weight, bias: function(x, shape, weight, bias, eps, **settings)

    def traced(self, memory: Tensor) -> "FileProvider":
        """Return the same kernel with memory for its stamps, which functions that take `trace` are
        given.
        """
        made = FileProvider(self.source)
        made._module = self._module
        made._trace = memory
        return made

    def _told(
        self, function: Function, check: Callable[..., Any] = lambda given, arguments: given
    ) -> Function:
        """Wrap a function of the file: errors name its line, and results are checked."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is not None and code.co_filename == self._code_name:
            self._first_line = code.co_firstlineno
        first_line = self._first_line
        if self._trace is not None and "trace" in inspect.signature(function).parameters:
            function = partial(function, trace=self._trace)

        def call(*arguments: Any, **settings: Any) -> Any:
            with self._explained(first_line):
                return check(function(*arguments, **settings), arguments)

        return call

    @property
    def _code_name(self) -> str:
        if self.source.is_file:
            return self.source.code_name
        return getattr(self._module, "__file__", None) or self.source.place

    @property
    def _settings(self) -> dict[str, Any]:
        return dict(self.source.settings)

    def _function(self) -> Function:
        """Return the function with the signature of `torch.nn.functional.layer_norm`."""
        place, name = self.source.place, self.source.function or "layer_norm"
        with self._explained():
            found = getattr(self._load(), name, None)
        if found is None and not self.source.function:
            raise KernelFileError(
                say("{place} has neither layer_norm nor forward and backward", place=place)
            )
        if not callable(found):
            raise KernelFileError(say("{place} has no function {name}", place=place, name=name))
        return self._told(_of_torchs_parameters(found), partial(_first, name="layer_norm"))

    def _pair(self) -> tuple[Function, Function] | None:
        if self.source.function:
            return None
        with self._explained():  # a module may have a `__getattr__` of its own
            module = self._load()
            if hasattr(module, "layer_norm") or not (
                hasattr(module, "forward") and hasattr(module, "backward")
            ):
                return None
            forward, backward = module.forward, module.backward
        return self._told(forward, partial(_three, name="forward")), self._told(
            backward, partial(_three, name="backward")
        )

    def _load(self) -> ModuleType:
        if self._module is None:
            importlib.import_module("lnkernels.interpreter")  # which Triton's autotuner is made for
            place = self.source.place
            with (
                torch.enable_grad()
            ):  # a script may switch gradients off, for itself and for whoever comes after
                self._module = (
                    self._run_file(Path(place))
                    if self.source.is_file
                    else importlib.import_module(place)
                )
        return self._module

    def _run_file(self, path: Path) -> ModuleType:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
        if hashlib.sha256(raw).hexdigest() != self.source.sha256:
            raise KernelFileError(
                say("{path} was saved anew meanwhile: run it again", path=str(path))
            )
        name = f"_kernel_{hashlib.sha256(str(path).encode() + raw).hexdigest()[:24]}"
        if name in sys.modules:  # the same text under other settings
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None:
            raise SourceError(say("{path} is no Python", path=str(path)))
        module = importlib.util.module_from_spec(spec)
        # With no time of change, whoever looks a line up takes it from here and not from the file.
        code = self.source.code_name
        linecache.cache[code] = (len(text), None, list(io.StringIO(text, newline=None)), code)
        if (
            str(path.parent) not in sys.path
        ):  # behind all that is installed: what it has in files beside it
            sys.path.append(str(path.parent))
        sys.modules[name] = module
        try:
            exec(compile(text, code, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        return module

    @contextmanager
    def _explained(self, otherwise: int | None = None) -> Iterator[None]:
        """Re-raise errors with the line of the file where they began, or else with the line
        `otherwise`.
        """
        try:
            yield
        except (KernelFileError, torch.OutOfMemoryError, LeaveError, GeneratorExit):
            raise
        except (
            BaseException
        ) as error:  # a file that leaves, by whatever it raises, ends its check alone
            line = line_of(error, self._code_name) or otherwise
            file, why = (
                Path(self.source.place if self.source.is_file else self._code_name).name,
                reason_of(error),
            )
            if line is None:
                raise KernelFileError(say("{file}: {why}", file=file, why=why)) from error
            raise KernelFileError(
                say("{file}, line {line}: {why}", file=file, line=line, why=why)
            ) from error


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


def _kernel_behind(error: BaseException, place: str) -> int | None:
    """Return the first line in `place` of the kernel that failed to compile, found by its text."""
    source = getattr(error, "src", None)
    if not isinstance(source, str) or not source.strip():
        return None
    wanted = source.splitlines()[0].strip()
    lines = linecache.getlines(place)
    return next((number for number, line in enumerate(lines, 1) if line.strip() == wanted), None)


def _of_torchs_parameters(found: Function) -> Function:
    """Adapt a function, a class of `torch.autograd.Function` or its `apply` to the signature of
    `torch.nn.functional.layer_norm`.

    It may have no shape after x, and eps behind parameters of its own. A class gets its settings by
    their names, too.
    """
    kind: Any = (
        getattr(found, "__self__", None) if getattr(found, "__name__", "") == "apply" else found
    )
    is_class = isinstance(kind, type) and issubclass(kind, torch.autograd.Function)
    forward: Function = kind.forward if is_class else found
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):  # of what is not written in Python
        return found
    context = (
        (None,) if is_class and kind.setup_context is torch.autograd.Function.setup_context else ()
    )
    names = list(signature.parameters)[len(context) :]
    by_name = (
        "eps" in names and signature.parameters["eps"].kind is not inspect.Parameter.POSITIONAL_ONLY
    )

    @wraps(forward)
    def function(
        x: Tensor, shape: tuple[int, ...], weight: Tensor, bias: Tensor, eps: float, **settings: Any
    ) -> Any:
        with_shape = not {*names[1:2]} & {"weight", "w", "W", "gamma"}
        if is_class and with_shape:
            # Names of any kind: where eps stands tells it, or how many there are besides settings.
            with_shape = (
                names.index("eps") >= 4
                if "eps" in names
                else len(set(names) - settings.keys() - {"trace"}) >= 5
            )
        given = (x, shape, weight, bias) if with_shape else (x, weight, bias)
        given, named = (given, {"eps": eps} | settings) if by_name else ((*given, eps), settings)
        if not is_class:
            return found(*given, **named)
        bound = signature.bind(*context, *given, **named)
        bound.apply_defaults()
        return kind.apply(*bound.args[len(context) :])

    return function


def _as_function(forward: Function, backward: Function) -> Function:
    """Return a pair of passes as one function with autograd."""

    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float, settings: dict[str, Any]
        ) -> Tensor:
            y, mean, rstd = forward(x, weight, bias, eps, **settings)
            ctx.save_for_backward(x, weight, mean, rstd)
            ctx.settings = settings
            return y  # type: ignore[no-any-return]

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> Any:
            x, weight, mean, rstd = ctx.saved_tensors
            return (
                *backward(grads[0].contiguous(), x, weight, mean, rstd, **ctx.settings),
                None,
                None,
            )

    def function(
        x: Tensor, shape: tuple[int, ...], weight: Tensor, bias: Tensor, eps: float, **settings: Any
    ) -> Any:
        return Pair.apply(x, weight, bias, eps, settings)  # type: ignore[no-untyped-call]

    return function


def _first(given: Any, arguments: tuple[Any, ...], name: str) -> Tensor:
    """Return y of a function that may return statistics besides."""
    y = given[0] if isinstance(given, tuple | list) and given else given
    if not isinstance(y, Tensor):
        raise ResultError(
            say("{name} gives {type} in place of a tensor", name=name, type=type(y).__name__)
        )
    asked = torch.is_grad_enabled() and any(
        isinstance(one, Tensor) and one.requires_grad for one in arguments
    )
    if asked and not y.requires_grad:
        raise ResultError(
            say(
                "{name} gives y without a gradient: make it differentiable, or write forward and"
                " backward",
                name=name,
            )
        )
    return y


def _three(given: Any, arguments: tuple[Any, ...], name: str) -> tuple[Tensor, Tensor, Tensor]:
    wanted = "y, mean and rstd" if name == "forward" else "dx, dw and db"
    if (
        not isinstance(given, tuple | list)
        or len(given) != 3
        or not all(isinstance(each, Tensor) for each in given)
    ):
        several = isinstance(given, tuple | list) and len(given) < 10
        kinds = (
            f"({', '.join(type(each).__name__ for each in given)})"
            if several
            else type(given).__name__
        )
        raise ResultError(
            say(
                "{name} gives {type} in place of three tensors, {wanted}",
                name=name,
                type=kinds,
                wanted=wanted,
            )
        )
    return given[0], given[1], given[2]
