"""`lnexplorer experiment NAME`: one of the experiments, done here or recorded before."""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.cli import status
from lnexplorer.cli.options import add_device_option, add_run_options, parse, read_request, unicode
from lnexplorer.cli.places import why_not_written
from lnkernels.launch import Problem
from lnkernels.sentence import say

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult

DESCRIPTION = (
    "group_size: time, waiting, error and bytes of buffers for GROUP_SIZE_M from 1 to 512. "
    "barrier: runs with wrong sums, with the barrier left out and put back. "
    "order: how far runs of one input are apart. strategies: locked beside what replaces its locks."
)
EPILOG = (
    "What is not given is the experiment's own choice; --repeats is how often each side is run. The interpreter has no times, "
    "and there every run has the same order. Exit status: 0 done; 2 the request is not possible; 3 the worker, or writing, "
    "failed; 130 interrupted, 143 by SIGTERM, 129 by a hang-up."
)
NAMES = ("group_size", "barrier", "order", "strategies")


def main(arguments: list[str]) -> int:
    """Do the experiment, print what is found, and return the exit status."""
    options = parse(_parser(), arguments)
    if options.save is not None and (why := why_not_written(options.save)):
        from lnexplorer.cli.outcome import refuse

        return refuse("experiment", [Problem("save", str(options.save), why)], as_json=options.json)
    found = _recorded(options) if options.recorded is not None else _done(options)
    if isinstance(found, int):
        return found
    # Whatever becomes of the file, what was found is shown.
    saved = options.save is None or _save(options, found)
    if options.json:
        from lnexplorer.cli.outcome import print_json
        from lnexplorer.report.experiment_document import experiment_document

        print_json(experiment_document(found), indent=None)
    else:
        from lnexplorer.cli.experiment_text import experiment_text

        print(experiment_text(found))
    return status.OK if saved else status.FAILED


def _save(options: argparse.Namespace, found: "ExperimentResult") -> bool:
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.recordings import write_experiment

    try:
        write_experiment(options.save, found, unicode(options.title))
    except StoreError as error:
        print(f"lnexplorer experiment: {error}", file=sys.stderr)
        return False
    print(f"Saved as {options.save}.", file=sys.stderr)
    return True


def _done(options: argparse.Namespace) -> "ExperimentResult | int":
    repeats, options.repeats = options.repeats, None
    request = read_request(options)
    from lnexplorer.cli.keeping import keep_experiment
    from lnexplorer.cli.outcome import end_without_result, refuse
    from lnexplorer.cli.progress import Progress
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.domain.experiments.request import ExperimentRequest, check_experiment
    from lnexplorer.engine.experiment import ExperimentRecorder
    from lnexplorer.engine.supervisor import run_to_end
    from lnexplorer.protocol.messages import EngineEvent, Finished, Outcome, Stopped

    if isinstance(request, list):
        return refuse("experiment", request, as_json=options.json)
    wanted = ExperimentRequest(name=options.name, problem=request)
    if repeats is not None:
        if not re.fullmatch("[0-9]{1,18}", repeats):
            return refuse("experiment", [Problem("repeats", repeats, "take a whole number")], as_json=options.json)
        wanted = replace(wanted, runs=int(repeats))
    problems = check_experiment(wanted, "cuda") and check_experiment(wanted, "interpreter")
    if problems:
        return refuse("experiment", problems, as_json=options.json)
    progress, recorder = Progress(), ExperimentRecorder(wanted)

    def hear(event: EngineEvent) -> None:
        recorder.hear(event)
        progress.show(event)

    def keep(outcome: Outcome) -> None:
        progress.clear()
        record = recorder.record(outcome)
        if record is not None:
            keep_experiment("experiment", record)

    try:
        outcome = run_to_end(wanted, options.device, hear)
    except KeyboardInterrupt:
        keep(Stopped())
        raise
    keep(outcome)
    if isinstance(outcome, Finished) and isinstance(outcome.value, ExperimentResult):
        return outcome.value
    return end_without_result("experiment", outcome, as_json=options.json, device=options.device)


def _recorded(options: argparse.Namespace) -> "ExperimentResult | int":
    from lnexplorer.cli.outcome import refuse_file
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.recordings import read_experiment

    try:
        found = read_experiment(options.recorded)
        if found.request.name != options.name:
            raise StoreError(
                say(
                    "{path} holds the experiment {found}, not {wanted}.",
                    path=str(options.recorded),
                    found=found.request.name,
                    wanted=options.name,
                )
            )
    except StoreError as error:
        return refuse_file("experiment", error, as_json=options.json)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lnexplorer experiment", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("name", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    parser.add_argument("--recorded", metavar="FILE", type=Path, help="show what was saved in FILE; nothing is run")
    parser.add_argument("--save", metavar="FILE", type=Path, help="keep the findings, by custom with the suffix .lnexperiment")
    parser.add_argument("--title", help="what the saved experiment is called; its shape and GPU if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    add_run_options(parser)
    add_device_option(parser)
    return parser
