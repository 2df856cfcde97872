"""The end of a job as output and exit status."""

import json
import sys
from typing import Any

from lnexplorer.cli import status
from lnexplorer.cli.wording import sentence
from lnexplorer.domain.result import SCHEMA_VERSION
from lnexplorer.protocol.messages import Broken, Finished, Outcome, Refused, Stopped, Superseded
from lnkernels.launch import Problem

printed = False  # whether there is a document on stdout


def refuse(command: str, problems: list[Problem], *, as_json: bool) -> int:
    """Say what is wrong with a request."""
    for problem in problems:
        print(f"lnexplorer {command}: {sentence(problem)}", file=sys.stderr)
    if as_json:
        listed = [{"field": problem.field, "value": problem.value, "allowed": str(problem.allowed)} for problem in problems]
        print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "invalid", "problems": listed}})
    return status.INVALID


def refuse_file(command: str, error: Exception | str, *, as_json: bool) -> int:
    """Say why a file that was named cannot be used."""
    print(f"lnexplorer {command}: {error}", file=sys.stderr)
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "invalid", "cause": str(error)}})
    return status.INVALID


def fail(command: str, phase: str, cause: str, detail: str = "", *, as_json: bool) -> int:
    """Say what failed, and in which phase; `detail` is for stderr alone."""
    print(f"lnexplorer {command}: failed in phase {phase}: {cause}", file=sys.stderr)
    if detail:
        print(detail.rstrip(), file=sys.stderr)
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "failed", "phase": phase, "cause": cause}})
    return status.FAILED


def end_without_result(command: str, outcome: Outcome, *, as_json: bool, device: str = "") -> int:
    """Say why there is no result.

    Args:
        command: of the program.
        outcome: any but one with a result.
        as_json: whether stdout gets a document.
        device: that was asked for; that a GPU is not there is the request's fault, not the worker's.
    """
    if isinstance(outcome, Broken) and outcome.phase == "start" and device:
        from lnexplorer.cli.devices import missing_devices

        missing = missing_devices([device])
        if missing:
            return refuse(command, missing, as_json=as_json)
    match outcome:
        case Refused(problems=problems):
            return refuse(command, list(problems), as_json=as_json)
        case Broken(phase=phase, sentence=cause, detail=detail):
            return fail(command, phase, str(cause), detail, as_json=as_json)
        case Stopped() | Superseded() | Finished():
            why = "stopped before there was a result"
            print(f"lnexplorer {command}: {why}", file=sys.stderr)
            if as_json:
                print_json({"schema_version": SCHEMA_VERSION, "error": {"kind": "interrupted", "cause": why}})
            return status.INTERRUPTED


def print_json(document: dict[str, Any], *, indent: int | None = 2) -> None:
    """Exactly one JSON document on stdout; on one line where there is no indent, for documents that are mostly long arrays."""
    global printed  # noqa: PLW0603  (a process has one stdout)
    printed = True
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(document, indent=indent, allow_nan=False, ensure_ascii=not unicode))
