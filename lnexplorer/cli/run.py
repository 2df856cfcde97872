"""`lnexplorer run`: one run, checked and timed, without a window."""

import argparse

from lnexplorer.cli import status
from lnexplorer.cli.options import add_device_option, add_run_options, parse, read_request
from lnexplorer.cli.peer_option import add_provider_option, with_providers

DESCRIPTION = "Check and time the kernels once. What is not given is automatic."
EPILOG = (
    "Exit status: 0 correct; 1 ran, and a result is not within its tolerance; 2 the request is not possible; "
    "3 the worker failed; 130 interrupted, 143 by SIGTERM, 129 by a hang-up."
)


def main(arguments: list[str]) -> int:
    """Run, print, and return the exit status."""
    options = parse(_parser(), arguments)
    asked = with_providers(read_request(options), options)
    # Below this line numpy is loaded, and a worker started.
    from lnexplorer.cli.outcome import end_without_result, print_json, refuse

    if isinstance(asked, list):
        return refuse("run", asked, as_json=options.json)
    request, providers = asked
    from lnexplorer.cli.keeping import keep
    from lnexplorer.cli.progress import Progress
    from lnexplorer.cli.table import run_text
    from lnexplorer.domain.jobs import RunJob
    from lnexplorer.domain.result import RunResult
    from lnexplorer.engine.supervisor import run_to_end
    from lnexplorer.protocol.messages import Finished
    from lnexplorer.report.document import run_document

    progress = Progress()
    outcome = run_to_end(RunJob(request, providers), options.device, progress.show)
    progress.clear()
    if not (isinstance(outcome, Finished) and isinstance(outcome.value, RunResult)):
        return end_without_result("run", outcome, as_json=options.json, device=options.device)
    result = outcome.value
    if options.json:
        print_json(run_document(result))
    else:
        print(run_text(result))
    keep("run", result)
    return status.OK if result.correctness.passed else status.NOT_WITHIN_TOLERANCE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lnexplorer run", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    add_run_options(parser)
    add_provider_option(parser)
    add_device_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    return parser
