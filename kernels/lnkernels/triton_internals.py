"""Everything that is taken from inside Triton: compiler, driver, launches, hooks, interpreter.

Triton promises none of it, so nothing else imports from below `triton` and `triton.language`. It
was tried with 3.6, 3.7, 3.8 and 3.9; the doctor says so of a newer one (`doctor.findings.BOUNDS`).
What differs between them:

- 3.6 refuses a scalar of the interpreter as a number under numpy 2.4 (`let_scalars_be_numbers`),
  and compiles a launcher in C for every signature (`compile_chore`).
- 3.8 has no `get_jit_fn_file_line` any more; the line of a function is counted here in each. Its
  PTX names calls in another form (`compiled.listing`).
- 3.9 writes hints as one policy (`compiled.memory`), puts barriers around atomics that others are
  to see, and warns where a kernel does not say whether products and sums may be fused, because 3.10
  fuses nothing unless it is asked to (`FUSED`).
"""

import ctypes
import importlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial, partialmethod
from typing import Any
from unittest.mock import patch

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.language.extra import cuda, libdevice
from triton.runtime import interpreter
from triton.runtime.autotuner import Autotuner
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

# An option of every launch of ours: a product and a sum are one instruction and round once. Which
# bits the results have, times, registers and the machine code that the lecture quotes hold for
# kernels that are compiled so; tolerances, and that bits are the same from run to run, hold without
# it, too. The interpreter ignores it, and rounds twice.
FUSED = {"enable_fp_fusion": True}

Kernel = JITFunction  # what triton.jit makes of a function, where kernels are compiled
_WARP_SIZE = 32


# The driver, and what a compilation asks it for.


class StandInDriver:
    """Answer in place of Triton's driver what a compilation asks for. No GPU is touched."""

    def __init__(self, target: GPUTarget) -> None:
        self._target = target

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_current_device(self) -> int:
        """Return a number for each architecture: by it Triton remembers what it has compiled."""
        return int(self._target.arch)

    def get_current_stream(self, device: int) -> int:
        return device


def target_of(compute_capability: int) -> GPUTarget:
    return GPUTarget("cuda", compute_capability, _WARP_SIZE)


@contextmanager
def driver(stand_in: Any) -> Iterator[None]:
    """Let a stand-in answer in place of Triton's driver inside."""
    drivers = triton.runtime.driver
    before = vars(drivers).get("_active")
    drivers.set_active(stand_in)
    try:
        yield
    finally:
        drivers.set_active(before)


def compile_for(target: GPUTarget) -> None:
    """Compile for a GPU that need not be here, from now on: this process launches nothing more."""
    stand_in: Any = StandInDriver(target)
    triton.runtime.driver.set_active(stand_in)


def prepare_host() -> None:
    """Let Triton's C compiler make what every launch needs, into Triton's cache."""
    importlib.import_module("triton.backends.nvidia.driver").CudaUtils()


def compile_chore(module: str, function: str, specialization: str, target: str) -> None:
    """Compile a kernel as another process wrote it down (`chores`), into Triton's cache."""
    compile_for(GPUTarget(**json.loads(target)))
    kernel: Any = getattr(importlib.import_module(module), function)
    compiled = kernel.preload(specialization)
    # Without a driver's library to link with, or in a version that does it otherwise, it is done
    # where the kernel is launched.
    with suppress(Exception):
        backend: Any = importlib.import_module("triton.backends.nvidia.driver")
        backend.CudaLauncher(compiled.src, compiled.metadata)


# The compiler.


def tool(name: str) -> str:
    """Return the path of a program that comes with Triton: ptxas, nvdisasm, cuobjdump, …"""
    return str(getattr(triton.knobs.nvidia, name).path)


def load(compiled: Any) -> Any:
    """Load a compiled kernel onto the GPU as its first launch would, and return it.

    Only then its `n_regs` and `n_spills` are known, and a kernel that takes too much is refused.
    """
    compiled._init_handles()
    return compiled


@contextmanager
def line_information() -> Iterator[None]:
    """Let Triton keep the lines of the source, whatever the environment says."""
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.disable_line_info = False
        yield


@contextmanager
def compilations() -> Iterator[list[Any]]:
    """Yield the kernels that others compile inside, such as torch.compile, which launches them by
    itself: on the GPU that is here.
    """
    found = list[Any]()
    compile_kernel = triton.compile

    def noted(*given: Any, **named: Any) -> Any:
        found.append(compile_kernel(*given, **named))
        return found[-1]

    with driver(triton.runtime.driver.default), patch.object(triton, "compile", noted):
        yield found


@contextmanager
def cache_folder(name: str) -> Iterator[None]:
    """Let Triton keep what it compiles in a folder within its usual one."""
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = f"{triton.knobs.cache.dir}/{name}"
        yield


def chores(compile_all: Callable[[], object]) -> list[str]:
    """Return what a call would compile of kernels that this process lacks, for `compile_chore` in
    another process. Nothing is compiled.
    """
    target = json.dumps(vars(triton.runtime.driver.active.get_current_target()))
    found: dict[str, None] = {}

    def note(*, fn: Any, compile: dict[str, Any], **others: Any) -> bool:  # noqa: A002  Triton's names
        # Not every Triton has the target in its specialization.
        found[json.dumps([fn.module, fn.name, compile["specialization_data"], target])] = None
        return True  # it is not compiled here

    # Triton asks this hook before it compiles, and goes without where it answers True.
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_cache_hook = note
        compile_all()
    return list(found)


def line_of(function: Any) -> int:
    """Return the line in its file on which the text of a kernel begins, which has no decorators."""
    lines = function.raw_src
    return int(function.starting_line_number) + next(
        place for place, line in enumerate(lines) if line.lstrip().startswith("def ")
    )


# Launches.


@contextmanager
def launching(launch: Callable[..., Any]) -> Iterator[None]:
    """Let `launch(triton's, kernel, *args, grid=, warmup=, **options)` launch what is launched
    inside, kernels that are compiled and those that are interpreted.
    """
    compiled, interpreted = (
        patch.object(kind, "run", partialmethod(_launch_by, launch, kind.run))
        for kind in (JITFunction, InterpretedFunction)
    )
    with compiled, interpreted:
        yield


def _launch_by(kernel: Any, launch: Any, before: Any, *args: Any, **options: Any) -> Any:
    return launch(before, kernel, *args, **options)


def repeatable(compiled: Any) -> tuple[Callable[..., None], tuple[Any, ...], bool]:
    """Return what launches a compiled kernel without a look at its arguments.

    Returns:
        A function, what it takes between the stream and the kernel's arguments, and True if it
        takes those as one tuple: `launch(x, y, z, stream, *between, *args)`, or `…, args)`.
    """
    run, function, metadata = compiled.run, compiled.function, compiled.packed_metadata
    heard = None, None, None  # metadata of the launch, and the hooks before and after it
    scratch = None, None
    gsan = getattr(run, "gsan_enabled", False)  # from 3.8 on
    if run.global_scratch_size or run.profile_scratch_size or gsan:
        return run, (function, metadata, *heard), False
    # `run` is in Python, and here would only find that no scratch memory is to be allocated.
    given = function, run.launch_cooperative_grid, run.launch_pdl
    if hasattr(run, "kernel_signature"):  # from 3.7 on
        kinds = run.arg_annotations, run.kernel_signature
        return run.launch, (*given, metadata, *heard, *scratch, *kinds), True
    return run.launch, (*given, *scratch, metadata, *heard), False


def launches_are_heard() -> bool:
    """Return True while hooks, such as a profiler's, listen to Triton's launches."""
    runtime = triton.knobs.runtime
    return bool(runtime.launch_enter_hook.calls or runtime.launch_exit_hook.calls)


_tune: Callable[..., Any] = Autotuner.run


def _run_one(tuner: Any, choice: int | Mapping[str, str], *arguments: Any, **named: Any) -> Any:
    """Replace `Autotuner.run`: run the configuration that is chosen, and time nothing."""
    configurations = tuner.configs
    tuner.nargs = dict(zip(tuner.arg_names, arguments, strict=False))
    left = tuner.prune_configs(named)
    if isinstance(choice, int):
        tuner.configs = [left[choice % len(left)]]
    else:
        wanted = choice.get(tuner.base_fn.__name__)
        tuner.configs = [next((each for each in left if str(each) == wanted), left[0])]
    try:
        return _tune(tuner, *arguments, **named)
    finally:
        tuner.configs = configurations


def tune_nothing() -> None:
    """Let autotuned kernels take the first of their configurations, where nothing is timed."""
    Autotuner.run = partialmethod(_run_one, 0)


@contextmanager
def tuning(
    choice: int | Mapping[str, str] | None,
    on_run: Callable[[str, str, int], object] = lambda *_: None,
) -> Iterator[None]:
    """Let autotuned kernels take one configuration inside.

    Args:
        choice: number of the configuration, counted on from the first one where there are fewer;
            or the configuration by the kernel's name, the first for others; None for Triton's own
            choice.
        on_run: called after each launch with the kernel's name, the configuration, and how many
            there are.
    """
    before: Callable[..., Any] = Autotuner.run

    def told(tuner: Any, *arguments: Any, **named: Any) -> Any:
        if choice is None:
            result = before(tuner, *arguments, **named)
        else:
            result = _run_one(tuner, choice, *arguments, **named)
        on_run(tuner.base_fn.__name__, str(tuner.best_config), len(tuner.configs))
        return result

    with patch.object(Autotuner, "run", told):
        yield


# The interpreter.


def let_scalars_be_numbers() -> None:
    """Let triton 3.6 use scalars as numbers under numpy 2.4 and later, as in `range(0, N,
    BLOCK_SIZE)`.

    There a scalar is an array of one element, and `int` of such an array is refused since numpy
    2.4. Triton 3.7 does it so.
    """
    from triton.runtime import interpreter  # an exported script contains this function

    as_triton_has_it = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        as_triton_has_it(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda scalar: int(scalar.handle.data.item()))

    interpreter._patch_lang_tensor = patched


def compute_bfloat16_as_a_gpu() -> None:
    """Let the interpreter round to bfloat16 to nearest even, and compute with bfloat16 in float32.

    As Triton has it, it cuts off the lower bits, which doubles the error. It computes with the
    bits, and prints them, as if they were integers, and makes nothing of a number beside bfloat16,
    as in `1 + x`.
    """
    from triton.runtime import interpreter  # an exported script contains this function
    from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, TensorHandle

    cast, add_up, show, atomic = (
        InterpreterBuilder.cast_impl,
        ReduceOps.sum,
        InterpreterBuilder.create_print,
        InterpreterBuilder.create_atomic_rmw,
    )
    as_triton_has_it = interpreter._patch_lang_tensor

    def widened(handle: Any) -> Any:
        if not isinstance(handle, TensorHandle) or handle.dtype.scalar != tl.bfloat16:
            return handle
        return TensorHandle((handle.data.astype(np.uint32) << 16).view(np.float32), tl.float32)

    def rounded(handle: Any) -> Any:
        values = handle.data.astype(np.float32)
        bits = values.view(np.uint32)
        nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return TensorHandle(
            np.where(np.isnan(values), 0x7FC0, nearest).astype(np.uint16), tl.bfloat16
        )

    def converted(builder: Any, source: Any, target: Any) -> Any:
        return (
            rounded(widened(source))
            if target.scalar == tl.bfloat16
            else cast(builder, widened(source), target)
        )

    def in_float32(compute: Callable[..., Any]) -> Callable[..., Any]:
        def computed(*given: Any) -> Any:
            result = compute(*map(widened, given))
            # Of a comparison, to which the interpreter gives the type of what is compared.
            if result.data.dtype == np.bool_:
                return TensorHandle(result.data, tl.int1)
            # The last one has the type of the result.
            *_, last = (one for one in given if isinstance(one, TensorHandle))
            return rounded(result) if last.dtype.scalar == tl.bfloat16 else result

        return computed

    def added_up(reduction: Any, given: Any) -> Any:
        return (
            add_up(reduction, given.to(tl.float32)).to(given.dtype)
            if given.dtype == tl.bfloat16
            else add_up(reduction, given)
        )

    def shown(builder: Any, prefix: Any, hexadecimal: Any, values: Any, *more: Any) -> None:
        printed = values if hexadecimal else [widened(one) for one in values]
        show(builder, prefix, hexadecimal, printed, *more)

    def added_at(
        builder: Any, operation: Any, pointers: Any, value: Any, mask: Any, *more: Any
    ) -> Any:
        if value.dtype.scalar != tl.bfloat16 or "FADD" not in str(operation):
            return atomic(builder, operation, pointers, value, mask, *more)
        old = np.zeros_like(value.data)
        for place in np.ndindex(value.data.shape):  # in turn: lanes may add to the same element
            if mask.data[place]:
                one = ctypes.c_uint16.from_address(int(pointers.data[place]))
                old[place] = one.value
                both = [
                    widened(TensorHandle(np.array([bits], np.uint16), tl.bfloat16)).data
                    for bits in (one.value, value.data[place])
                ]
                one.value = int(rounded(TensorHandle(sum(both), tl.float32)).data[0])
        return TensorHandle(old, tl.bfloat16)

    def patched(tensor: Any, scope: Any) -> None:
        as_triton_has_it(tensor, scope)
        scope.set_attr(tensor, "__repr__", lambda one: repr(widened(one.handle).data))
        scope.set_attr(tensor, "__str__", lambda one: str(widened(one.handle).data))

    InterpreterBuilder.cast_impl = converted
    ReduceOps.sum = added_up
    InterpreterBuilder.create_print = shown
    InterpreterBuilder.create_atomic_rmw = added_at
    interpreter._patch_lang_tensor = patched
    InterpreterBuilder.get_bf16 = lambda builder, value: rounded(builder.get_fp32(value))
    for name in ("binary_op", "create_fma", "create_dot"):
        setattr(InterpreterBuilder, name, in_float32(getattr(InterpreterBuilder, name)))


_TURN = threading.RLock()


def speed_up_the_interpreter() -> None:
    """Let the interpreter do once what it does at each step, which takes half of a program's time.

    No kernel can notice it, except that it may call the language's functions by names of its own.
    """
    builder: Any = interpreter.interpreter_builder
    # Each sum of integers was computed again in 64 bits, for an assertion that only `debug` raises.
    builder.options = replace(builder.options, sanitize_overflow=builder.options.debug)

    look_up, known = interpreter._get_np_dtype, dict[str, Any]()

    def looked_up(kind: Any) -> Any:
        name = kind.scalar.name
        if name not in known:
            known[name] = look_up(kind)
        return known[name]

    # Each call of a function of Triton's own, such as tl.sum, would prepare the language again.
    prepare, launch = interpreter._patch_lang, interpreter.GridExecutor.__call__
    prepared = set[int]()

    def prepare_once(function: Any) -> Any:
        module = id(function.__globals__)
        if module in prepared:
            return interpreter._LangPatchScope()
        prepared.add(module)
        for name, value in list(function.__globals__.items()):
            if tl.core.is_builtin(value):  # as of `rsqrt = tl.math.rsqrt`
                semantic = interpreter.interpreter_semantic
                function.__globals__[name] = partial(value, _semantic=semantic)
        return prepare(function)

    def launched(executor: Any, *args: Any, **options: Any) -> None:
        try:
            launch(executor, *args, **options)
        finally:
            prepared.clear()  # a launch undoes it at its end

    interpreter._get_np_dtype = looked_up
    interpreter._patch_lang = prepare_once
    interpreter.GridExecutor.__call__ = launched


def take_what_is_compiled() -> None:
    """Let the interpreter accept what the compiler accepts of a user's kernel.

    A grid may be a list, and an argument True. A number with a fraction becomes a scalar of
    float32: that can be cast, and widens float16, where a number of Python's does neither. A
    function of libdevice is replaced by the one of Triton's own language that computes the same.

    Threads take turns, because a launch changes Triton's language for all of them while it runs.
    """
    import torch  # takes two seconds, for which processes that only compile must not wait

    convert, execute = interpreter._implicit_cvt, interpreter.GridExecutor

    def converted(argument: Any) -> Any:
        if not isinstance(argument, float | bool):
            return convert(argument)
        kept, kind = (np.bool_, tl.int1) if isinstance(argument, bool) else (np.float32, tl.float32)
        return tl.tensor(interpreter.TensorHandle(np.array([argument], kept), kind), kind)

    def executed(function: Any, names: Any, grid: Any, *more: Any) -> Any:
        launch = execute(
            function,
            names,
            (lambda given: tuple(grid(given))) if callable(grid) else tuple(grid),
            *more,
        )

        def in_turn(*args: Any, **options: Any) -> None:
            # Its tensors are on the CPU, whatever a file sees.
            with _TURN, torch._C.DisableTorchFunction():
                launch(*args, **options)

        return in_turn

    def refused(kernel: Any, *_: Any, **__: Any) -> None:
        raise NotImplementedError(  # triton.jit makes other functions here
            f"Triton's interpreter runs no kernel of Gluon, such as {kernel.__name__}: take a GPU"
        )

    JITFunction.run = refused
    interpreter._implicit_cvt = converted
    interpreter.GridExecutor = executed
    for library in (libdevice, cuda.libdevice):
        for name, function in list(vars(library).items()):
            if not name.startswith("_") and getattr(function, "__module__", "") == library.__name__:
                setattr(library, name, partial(_of_the_language, name))


def language_is_interpreted() -> bool:
    """Return True if Triton's own functions were made for the interpreter when it was imported."""
    return isinstance(tl.sum, InterpretedFunction)


def builder() -> Any:
    """Return what is asked for each step of a program, where kernels are interpreted."""
    return interpreter.interpreter_builder


def _of_the_language(name: str, *arguments: Any) -> Any:
    """Call the function of Triton's language that computes what one of libdevice does."""
    name = name.removeprefix("fast_").removesuffix("_rn")
    name = name.removesuffix("f") if name in ("expf", "logf", "dividef", "sinf", "cosf") else name
    if name == "rcp":
        return 1.0 / arguments[0]
    if name in ("div", "divide"):
        return arguments[0] / arguments[1]
    if name == "tanh":
        return 2.0 * tl.sigmoid(2.0 * arguments[0]) - 1.0
    # The interpreter replaces the language's functions while a kernel runs.
    function = getattr(tl.math, name, None)
    if function is None:
        raise NotImplementedError(
            f"Triton's interpreter has no libdevice.{name}: take a function of tl.math, or a GPU"
        )
    return function(*arguments)
