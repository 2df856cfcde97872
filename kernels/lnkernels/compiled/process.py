"""`python -m lnkernels.compiled.process`: compiles what it is asked for, and touches no GPU.

Writes a line when it is ready. Then it reads a chore a line, each in JSON, and answers it with a
line of JSON:

- {"host": true}: what Triton's C compiler makes once for every launch, into Triton's cache.
- [module, function, specialization, target], as Triton itself writes a kernel down for another
  process: into its cache.
- {"requests": […]}: facts about the kernels of each, see `lnkernels.compiled.facts`; the answer
  has "kernels".

An answer with "error" says why a chore was not done.
"""

import faulthandler
import json
import os
import signal
import sys
from dataclasses import asdict
from typing import Any

from lnkernels.compiled.facts import CompileRequest
from lnkernels.compiled.launches import settle_keys, why_not_compiled
from lnkernels.failures import tell_exits
from lnkernels.triton_internals import compile_chore, prepare_host

NICENESS = 5  # the process that times kernels goes first


def main() -> int:
    os.nice(NICENESS)
    # Where somebody's kernel was is told on stderr, however it ends this process.
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)
    tell_exits()
    settle_keys()
    # What Triton prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer: dict[str, Any] = {"ready": True}
    while True:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        line = sys.stdin.readline()
        if not line:
            return 0
        try:
            answer = do_chore(json.loads(line))
        except Exception as error:  # noqa: BLE001  whatever the compiler raises is the answer
            answer = {"error": why_not_compiled(error)}


def do_chore(chore: Any) -> dict[str, Any]:
    match chore:
        case {"requests": requests}:
            # Brings torch, for which other chores do not wait.
            from lnkernels.compiled.requests import compile_kernels

            read = [CompileRequest.from_json(one) for one in requests]
            return {
                "kernels": [
                    asdict(kernel) for request in read for kernel in compile_kernels(request)
                ]
            }
        case {"host": _}:
            prepare_host()
        case [module, function, specialization, target]:
            compile_chore(module, function, specialization, target)
    return {"done": True}


if __name__ == "__main__":
    raise SystemExit(main())
