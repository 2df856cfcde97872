"""Describe exceptions in one line, find where they began, and recognise a lost device. Needs the
standard library, and torch where it is there.
"""

import faulthandler
import gc
import os
import re
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from lnkernels.cache_folders import no_room
from lnkernels.values.figures import RefusalKind
from lnkernels.values.sentence import ExplainedError, Sentence, verbatim

LONGEST = 500  # characters of what an exception says
# by the assembler
_REFUSED = re.compile(r"ptxas\S* +(?:(.*), line (\d+); )?(?:fatal|error) *: *(.*)")
# By a compiler of C++ or CUDA, for an extension of PyTorch.
_BUILT = re.compile(r"^(\S+?)[:(](\d+)[:)].*?error: *(.*)", re.MULTILINE)
_LOC = re.compile(r"\s\.loc\s.*?// (.*?):(\d+):\d+")


class LeaveError(BaseException):
    """Request to abandon the work in progress. Not an Exception, so that nobody's error handling
    catches it.
    """


class DeviceLostError(RuntimeError):
    """The GPU no longer answers; the message says after what."""


def tell_exits() -> None:
    """Let `os._exit`, by which a user's kernel may end this process, print its stack to stderr, as
    a crash does.
    """
    leave, owner = os._exit, os.getpid()

    def tell_and_leave(status: int) -> NoReturn:
        if os.getpid() == owner:  # processes that are forked end by it as a rule
            # 2, as a kernel may have put something else for sys.stderr.
            faulthandler.dump_traceback(2, all_threads=False)
        leave(status)

    os._exit = tell_and_leave


def causes(error: BaseException | None) -> list[BaseException]:
    """Return an exception and what led to it, the first cause last."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def in_one_line(error: BaseException) -> str:
    """Return the exception in one line.

    A compiler's error begins with a place in the source, and ends with what is wrong there. Triton
    raises one for each function on the way to the fault, and only the innermost says what it is. So
    does its interpreter, with the fault as cause.
    """
    if full := no_room(causes(error)):
        return str(full)
    if type(error).__name__ == "CompilationError":
        error = [one for one in causes(error) if type(one) is type(error)][-1]
    while type(error).__name__ == "InterpreterError" and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, ExplainedError):
        return str(error)
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  somebody else's exception, which cannot say what it is
        text = ""
    if refused := _REFUSED.search(text):
        return f"ptxas: {refused[3]}"
    if text.startswith("Error building extension") and (built := _BUILT.search(text)):
        return f"{Path(built[1]).name}, line {built[2]}: {built[3]}"
    if isinstance(error, AssertionError) and not text and error.__traceback__:
        text = traceback.extract_tb(error.__traceback__)[-1].line or ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # torch.compile's: its cause comes next, and advice for its authors last
    if text.startswith("backend="):
        lines = lines[1:]
    said = f": {lines[-1] if lines[0].endswith(':') else lines[0]}" if lines else ""
    # No message holds half a character, and nobody reads pages.
    told = f"{type(error).__name__}{said}".encode("utf-8", "backslashreplace").decode()
    told = told.removesuffix(".")  # of a sentence, which ends where it is quoted
    return told if len(told) <= LONGEST else f"{told[:LONGEST]} …"


def assembled_from(error: BaseException) -> tuple[str, int] | None:
    """Return the file and line of the source from which the refused assembler text was made, which
    Triton leaves on disk.
    """
    refused = _REFUSED.search(str(error)) if type(error).__name__ == "PTXASError" else None
    if refused is None or not refused[1]:
        return None
    with suppress(OSError):
        above = Path(refused[1]).read_text("utf-8", "replace").splitlines()[: int(refused[2])]
        found = next(filter(None, map(_LOC.search, reversed(above))), None)
        return (found[1], int(found[2])) if found else None
    return None


def reason_of(error: BaseException) -> Sentence:
    """Return the exception as a sentence, which the window translates where it is one of ours."""
    if isinstance(error, ExplainedError):
        return error.sentence
    return no_room(causes(error)) or verbatim(in_one_line(error))


def kind_of(error: BaseException) -> RefusalKind:
    """Return the kind of refusal that an exception means."""
    for one in causes(error):
        # By their names: Triton's has moved between modules, others have their own, and torch need
        # not be here.
        if type(one).__name__ in {"OutOfMemoryError", "OutOfResources"}:
            return "out_of_resources"
    return "invalid" if isinstance(error, ValueError) else "failed"


def free_what_was_left(error: BaseException) -> None:
    """Free what the failed call kept through its traceback and the allocator's cache, after memory
    ran out.
    """
    if kind_of(error) != "out_of_resources":
        return
    for one in causes(error):
        one.__traceback__ = None
    import torch

    gc.collect()
    torch.cuda.empty_cache()


def device_is_lost() -> bool:
    """Return True if the device no longer answers: a sticky CUDA error makes every later time
    meaningless.
    """
    import torch

    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def raise_if_lost(error: Exception) -> None:
    """Raise DeviceLostError if an exception left the device unusable."""
    if device_is_lost():
        raise DeviceLostError(f"the GPU does not answer any more: {in_one_line(error)}") from error
