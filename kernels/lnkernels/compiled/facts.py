"""A request to compile, and the facts that come back, also from a process of its own.

Neither torch nor triton is needed here.
"""

import atexit
import contextlib
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from lnkernels.launch import Launch, Occupancy
from lnkernels.launch.source import KernelSource
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.sentence import ExplainedError, Sentence, say, verbatim

COMPILER = (sys.executable, "-P", "-m", "lnkernels.compiled.process")
END_SECONDS = 5.0  # for a process to end that answers no more
# The line after which stands where a lost process was.
_STACK = re.compile(r"^.*\(most recent call first\):$", re.MULTILINE)


@frozen_by_name
class CompileRequest:
    """Kernels to compile, and for what. Tensors are taken as contiguous and aligned, as the
    project's inputs are.
    """

    m: int
    n: int
    dtype: str  # of x, dy, y and dx
    launch: Launch
    architecture: str  # such as "sm_90"
    weight_dtype: str | None = None  # None is that of x
    with_weight: bool = True
    with_bias: bool = True
    norm: str = "layer_norm"  # or "rms_norm", which has no bias
    # ttir, ttgir, llir, ptx, sass, live: texts to give besides the facts
    stages: tuple[str, ...] = ()
    source: KernelSource | None = None  # a user's kernel, whose code is run, and launches it
    # of forward, backward_stage1, backward_stage2; all where it is empty
    kernels: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "CompileRequest":
        read = _with_tuples(document)
        read["launch"] = Launch(**read["launch"])
        if read["source"] is not None:
            read["source"] = KernelSource(**read["source"])
        return cls(**read)


def facts_from_json(document: Mapping[str, Any]) -> KernelFacts:
    read = _with_tuples(document)
    if read["occupancy"] is not None:
        read["occupancy"] = Occupancy(**read["occupancy"])
    read["remarks"] = tuple(Sentence(**each) for each in read["remarks"])
    return KernelFacts(**read)


def _with_tuples(value: Any) -> Any:
    """Return a value of JSON, which has lists for tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(each) for name, each in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


class CompileError(ExplainedError):
    """The compiler's process gave no facts; `stack` is where Python was when it was lost."""

    def __init__(self, sentence: Sentence, stack: str = "") -> None:
        super().__init__(sentence)
        self.stack = stack


class Compiler:
    """A process that does chores, one at a time, and is kept for the next: a new one takes two
    seconds to load torch.
    """

    def __init__(self, command: Sequence[str] = COMPILER) -> None:
        self._command = command
        self.process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None
        self._began = 0  # where in it the newest chore begins
        self._one_at_a_time = threading.Lock()

    def ask(self, chore: str | None, timeout: float | None = None) -> dict[str, Any]:
        """Return the answer to a chore; None only waits until the process is ready. A process that
        has ended is replaced.

        Raises:
            CompileError: there is no answer, or none within so many seconds.
        """
        with self._one_at_a_time:
            try:
                ready = (
                    self._begin(timeout)
                    if self.process is None or self.process.poll() is not None
                    else {}
                )
                return ready if chore is None else self._answer(timeout, chore)
            except (OSError, ValueError) as error:
                raise self._failure(error, timeout) from error

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        if self._errors is not None:
            self._errors.close()
        self.process = self._errors = None

    def _begin(self, timeout: float | None) -> dict[str, Any]:
        self.close()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  read once the process has ended
        self.process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=own_environment(),
        )
        return self._answer(timeout)

    def _answer(self, timeout: float | None, chore: str = "") -> dict[str, Any]:
        process: Any = self.process  # whose stdin and stdout are pipes
        self._began = os.fstat(self._errors.fileno()).st_size if self._errors is not None else 0
        if chore:
            process.stdin.write(chore + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], timeout)[0]:
            raise TimeoutError
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    def _failure(self, error: Exception, timeout: float | None) -> CompileError:
        """Return why there is no answer, and end the process; the next chore starts another."""
        if self.process is None or self._errors is None:
            return CompileError(
                say("the compiler's process could not be started: {reason}", reason=str(error))
            )
        late = isinstance(error, TimeoutError)
        if late:
            self.process.terminate()  # it says where it is
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        self.process.kill()  # which is nothing to one that has ended
        status = self.process.wait()
        self._errors.seek(self._began)
        said, *stack = _STACK.split(self._errors.read().decode(errors="replace"), 1)
        self.close()
        why = say("compiling took longer than {seconds:g} s and was ended", seconds=timeout or 0.0)
        if not late:
            last_line = (said.strip().splitlines() or ["no message"])[-1]
            why = say(
                "the compiler's process ended with status {status}: {last_line}",
                status=status,
                last_line=last_line,
            )
        return CompileError(why, "".join(stack))


_COMPILER = Compiler()
atexit.register(_COMPILER.close)


def facts_in_own_process(
    *requests: CompileRequest, timeout: float = 60.0
) -> tuple[KernelFacts, ...]:
    """Return the facts of forward, stage 1 and stage 2 of each request in turn, compiled by a
    process of its own.

    Raises:
        CompileError: the process failed, or took too long.
    """
    answer = _COMPILER.ask(
        json.dumps({"requests": [asdict(request) for request in requests]}), timeout
    )
    if "error" in answer:
        raise CompileError(verbatim(answer["error"]))
    return tuple(facts_from_json(kernel) for kernel in answer["kernels"])


def own_environment() -> dict[str, str]:
    """Return the variables of this process's environment without the interpreter's, and with this
    very package first on the path.
    """
    kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    package_root = str(Path(__file__).resolve().parents[2])
    # An empty part of the path would be the folder where somebody works.
    paths = [package_root, *filter(None, kept.get("PYTHONPATH", "").split(os.pathsep))]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}
