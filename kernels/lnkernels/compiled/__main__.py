"""`python -m lnkernels.compiled`: a request as JSON on standard input (or as the one argument), one JSON document out.

A list of requests is taken as well. The document is {"triton": version, "kernels": [facts of each kernel]}, the
requests' kernels one after another, or {"error": a sentence} with exit status 1.
"""

import json
import sys
from dataclasses import asdict
from typing import Any

from lnkernels.failures import in_one_line


def main(arguments: list[str]) -> int:
    """Compile one request, and print its facts."""
    try:
        answer = _answer(arguments[0] if arguments else sys.stdin.read())
    except Exception as error:  # noqa: BLE001  whatever the compiler raises is the answer
        json.dump({"error": in_one_line(error)}, sys.stdout)
        return 1
    json.dump(answer, sys.stdout)
    return 0


def _answer(text: str) -> dict[str, Any]:
    import triton

    from lnkernels.compiled.facts import CompileRequest
    from lnkernels.compiled.offline import compile_kernels

    document = json.loads(text)
    requests = [CompileRequest.from_json(one) for one in (document if isinstance(document, list) else [document])]
    kernels = [asdict(compiled.facts(stages=request.stages)) for request in requests for compiled in compile_kernels(request)]
    return {"triton": triton.__version__, "kernels": kernels}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
