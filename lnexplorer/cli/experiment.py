"""`lnexplorer experiment NAME`: one of the experiments, done here or recorded before."""

import re
from dataclasses import replace

from lnexplorer.cli.commands import FAILED, OK, unusable
from lnexplorer.cli.jobs import do_job_to_end, keep_experiment, value_of
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_device_option,
    add_file,
    add_flag,
    add_option,
    add_recording,
    add_run_options,
    device_name,
    end_if,
    read_request,
    unicode,
)
from lnexplorer.cli.providers import add_setting_option, read_providers
from lnexplorer.cli.terminal import aligned, print_json, say, show
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, check_experiment
from lnexplorer.domain.experiments.experiment import (
    MOST_RANKS,
    ExperimentRequest,
    ExperimentResult,
)
from lnexplorer.domain.experiments.neighbours import NEIGHBOURS, taken
from lnexplorer.engine.experiment import ExperimentRecorder
from lnexplorer.protocol.messages import Outcome, Stopped
from lnexplorer.report.documents import experiment_document
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import read_experiment, write_experiment

DESCRIPTION = " ".join(f"{each.name}: {each.question}" for each in EXPERIMENTS.values())
EPILOG = """\
What is not given is the experiment's own choice. gpus takes --device cuda:0,cuda:1. The interpreter
has no times, and there every run has the same order. Exit status: 0 done; 2 the request is not
possible; 3 the worker, or writing, failed; 130 interrupted, 143 by SIGTERM, 129 by a hang-up.
"""
MOST_RUNS = 10**18 - 1


def main(options: Options) -> int:
    """Do an experiment, or read a recorded one, save it where that is asked for, and print it."""
    options.check_file("save", options.save)
    _refuse_unused(options)
    options.end_if_refused()
    kept = True
    if options.recorded is not None:
        result = _recorded(options)
    else:
        wanted = _wanted(options)
        result, kept = _done(wanted, options.device)
        while options.climb and (step := next(iter(result.findings.steps()), None)):
            say(wanted.name, f"Take {step.text}")
            wanted = taken(result, step, wanted.kernel) or wanted
            result, kept = _done(wanted, options.device)
    # The result is shown, whatever becomes of the file.
    saved = options.save is None or _save(options, result)
    if options.json:
        print_json(experiment_document(result), indent=None)
    else:
        show(experiment_text(result))
    return OK if saved and kept else FAILED


def parser(name: str = "", description: str = DESCRIPTION, epilog: str = EPILOG) -> CommandParser:
    """Return the parser of the command, or of one that does the experiment of this name."""
    command = CommandParser(name or "experiment", description, epilog)
    if name:
        command.set_defaults(name=name, ranks=None)
    else:
        names = ", ".join(EXPERIMENTS)
        names += "; with --recorded the file says which"
        add_option(command, "name", names, "NAME", choices=EXPERIMENTS, nargs="?")
        ranks = "of gpus: how many GPUs, or ranks of the interpreter. Default: 2, or 4"
        add_option(command, "--ranks", ranks, "COUNT")
    # In the help of `neighbours` it need not be said whose option it is.
    of = "" if name else "of neighbours: "
    others = "" if name else "of invariance: strategies, other providers and kernels, by comma; "
    kernel = f"{others}{of}a kernel of your own, such as my_norm.py"
    command.add_argument("--provider", "--kernel", metavar="NAMES", help=kernel)
    others = "how often each side is run; of dropout: how many of the next seeds are compared; "
    repeats = f"{of}how many rounds of timing at most. Default: the experiment's own"
    add_option(command, "--repeats", ("" if name else others) + repeats, "INT")
    add_option(
        command,
        "--budget",
        f"{of}time for timing, after which what is known is the result. Default: 60",
        "SECONDS",
        default="60",
    )
    climb = "take the fastest and go again from there, until none is known to be faster"
    add_flag(command, "--climb", f"{of}{climb}")
    add_recording(command, "--recorded", "show what was saved in FILE; nothing is run")
    add_file(command, "--save", "keep the findings, by custom with the suffix .lnexperiment")
    command.add_argument(
        "--title", help="what the saved experiment is called; its shape and GPU if not given"
    )
    add_setting_option(command)
    add_run_options(command, unused=("repeats",))
    add_device_option(command)
    return command


def experiment_text(result: ExperimentResult) -> str:
    """Return title, sentences, table and facts."""
    resolved, environment = result.resolved, result.provenance.environment
    where = environment.named_gpu or "Triton's interpreter"
    title, kind = EXPERIMENTS[result.request.name].title, result.provenance.kind.value
    head = f"{title}: {resolved.shape_text}, {where}, {kind}"
    return "\n".join(
        [
            head,
            "",
            *map(str, result.sentences()),
            "",
            aligned(result.table(), right_from=1),
            "",
            *map(str, result.facts()),
        ]
    ).rstrip()


def _refuse_unused(options: Options) -> None:
    """Refuse options that a recorded experiment, or the one that is named, does not use."""
    if options.recorded is not None:
        used = ("quiet", "json", "name", "recorded", "save", "title")
        unused = [name for name in options.given if name not in used]
        options.refuse_given(unused, "leave it out: --recorded shows a file, and runs nothing")
    elif options.name != NEIGHBOURS.name:
        options.refuse_given(("budget", "climb"), "leave it out: only neighbours takes it")
    if options.save is None:
        options.refuse_given(("title",), "name the file that has it with --save")


def _save(options: Options, result: ExperimentResult) -> bool:
    try:
        write_experiment(options.save, result, unicode(options.title))
    except StoreError as error:
        say("experiment", error)
        return False
    say("experiment", f"saved as {options.save}")
    return True


def _wanted(options: Options) -> ExperimentRequest:
    if options.name is None:
        raise unusable(f"name an experiment: {', '.join(EXPERIMENTS)}")
    repeats = options.repeats
    options.repeats = None
    gpus = _named_gpus(options)
    names, kernels = read_providers(options, (), each=False)
    if len(kernels) > 1:
        options.refuse("provider", options.provider, "name one file of your own")
    own = next(iter(kernels), None)
    wanted = ExperimentRequest(
        name=options.name,
        problem=read_request(options, kernels),
        gpus=gpus,
        providers=tuple(name for name in names if own is None or name != own.name),
        budget_seconds=options.read_time("budget"),
        kernel=own,
    )
    if options.ranks is not None:
        wanted = replace(wanted, ranks=options.read_whole("ranks", 2, MOST_RANKS))
    if repeats is not None:
        wanted = replace(wanted, runs=options.read_whole("repeats", 0, MOST_RUNS, text=repeats))
    end_if(
        options.problems
        or (check_experiment(wanted, "cuda") and check_experiment(wanted, "interpreter"))
    )
    return wanted


def _done(wanted: ExperimentRequest, device: str) -> tuple[ExperimentResult, bool]:
    """Run an experiment; return its result, and whether the history has it."""
    recorder = ExperimentRecorder(wanted)
    try:
        outcome = do_job_to_end(wanted, device, recorder.hear)
    except KeyboardInterrupt:
        _keep(recorder, Stopped())
        raise
    kept = _keep(recorder, outcome)
    return value_of(outcome, ExperimentResult, device), kept


def _named_gpus(options: Options) -> tuple[int, ...]:
    """Return the numbers of several GPUs; none if one device is named.

    The first is the device of the worker from here on.
    """
    names = [device_name(name.strip()) for name in options.device.split(",")]
    if len(names) == 1:
        return ()
    numbers = tuple(
        int(name.removeprefix("cuda:")) for name in names if re.fullmatch("cuda:[0-9]{1,3}", name)
    )
    if options.name != "gpus":
        options.refuse("device", options.device, "take one device: only gpus runs on several")
    elif len(numbers) < len(names):
        options.refuse("device", options.device, "take GPUs of this machine, as in cuda:0,cuda:1")
    options.device = names[0]
    return numbers


def _keep(recorder: ExperimentRecorder, outcome: Outcome) -> bool:
    record = recorder.record(outcome)
    return record is None or keep_experiment("experiment", record)


def _recorded(options: Options) -> ExperimentResult:
    result = read_experiment(options.recorded)
    if options.name not in (None, result.request.name):
        raise unusable(
            f"{options.recorded} holds the experiment {result.request.name}, not {options.name}."
        )
    return result
