"""`lnexplorer experiment NAME`: one of the experiments, done here or recorded before."""

import argparse
import re
from dataclasses import replace
from pathlib import Path

from lnexplorer.cli.options import add_device_option, add_run_options, parse, read_request, unicode
from lnexplorer.cli.outcome import end_without_result, keep_experiment, refuse, refuse_file, why_not_written
from lnexplorer.cli.status import FAILED, OK
from lnexplorer.cli.terminal import Progress, aligned, print_json, say, show
from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS, ExperimentRequest, check_experiment
from lnexplorer.domain.experiments.words import TITLES, facts, seen, table
from lnexplorer.engine import supervisor
from lnexplorer.engine.experiment import ExperimentRecorder
from lnexplorer.protocol.messages import EngineEvent, Finished, Outcome, Stopped
from lnexplorer.report.documents import experiment_document
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import read_experiment, write_experiment
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim

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


def main(arguments: list[str]) -> int:
    """Do the experiment, print what is found, and return the exit status."""
    parser = argparse.ArgumentParser(prog="lnexplorer experiment", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("name", metavar="NAME", choices=EXPERIMENTS, help=", ".join(EXPERIMENTS))
    parser.add_argument("--recorded", metavar="FILE", type=Path, help="show what was saved in FILE; nothing is run")
    parser.add_argument("--save", metavar="FILE", type=Path, help="keep the findings, by custom with the suffix .lnexperiment")
    parser.add_argument("--title", help="what the saved experiment is called; its shape and GPU if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    add_run_options(parser)
    add_device_option(parser)
    options = parse(parser, arguments)
    if options.save is not None and (why := why_not_written(options.save)):
        return refuse("experiment", [Problem("save", str(options.save), verbatim(why))], as_json=options.json)
    found = _recorded(options) if options.recorded is not None else _done(options)
    if isinstance(found, int):
        return found
    # Whatever becomes of the file, what was found is shown.
    saved = options.save is None or _save(options, found)
    if options.json:
        print_json(experiment_document(found), indent=None)
    else:
        show(experiment_text(found))
    return OK if saved else FAILED


def experiment_text(result: ExperimentResult) -> str:
    """Title, what is seen, a table, and what stands beside it."""
    resolved, environment = result.resolved, result.provenance.environment
    where = environment.gpu or "Triton's interpreter"
    head = f"{TITLES[result.request.name]}: {resolved.m}×{resolved.n} {resolved.dtype}, {where}, {result.provenance.kind.value}"
    return "\n".join([head, "", seen(result), "", aligned(table(result), right_from=1), "", *map(str, facts(result))]).rstrip()


def _save(options: argparse.Namespace, found: ExperimentResult) -> bool:
    try:
        write_experiment(options.save, found, unicode(options.title))
    except StoreError as error:
        say("experiment", error)
        return False
    say("experiment", f"saved as {options.save}")
    return True


def _done(options: argparse.Namespace) -> ExperimentResult | int:
    repeats, options.repeats = options.repeats, None
    request = read_request(options)
    if isinstance(request, list):
        return refuse("experiment", request, as_json=options.json)
    wanted = ExperimentRequest(name=options.name, problem=request)
    if repeats is not None:
        if not re.fullmatch("[0-9]{1,18}", repeats):
            return refuse("experiment", [Problem("repeats", repeats, verbatim("take a whole number"))], as_json=options.json)
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
        outcome = supervisor.run_to_end(wanted, options.device, hear)
    except KeyboardInterrupt:
        keep(Stopped())
        raise
    keep(outcome)
    if isinstance(outcome, Finished) and isinstance(outcome.value, ExperimentResult):
        return outcome.value
    return end_without_result("experiment", outcome, as_json=options.json, device=options.device)


def _recorded(options: argparse.Namespace) -> ExperimentResult | int:

    try:
        found = read_experiment(options.recorded)
        if found.request.name != options.name:
            return refuse_file(
                "experiment",
                f"{options.recorded} holds the experiment {found.request.name}, not {options.name}.",
                as_json=options.json,
            )
    except StoreError as error:
        return refuse_file("experiment", error, as_json=options.json)
    return found
