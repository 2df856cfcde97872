"""`lnexplorer doctor`: checks a machine, and says how to install what is missing."""

from lnexplorer.cli.commands import NOT_WITHIN_TOLERANCE, OK, failed, refusal
from lnexplorer.cli.options import CommandParser, Options, add_option, check_device, end_if
from lnexplorer.cli.terminal import give
from lnexplorer.doctor import probe
from lnexplorer.doctor.facts import WorkerFacts
from lnexplorer.doctor.findings import as_document, as_text, findings, usable
from lnexplorer.domain.machines import FORM, is_remote, read_machine
from lnkernels.values import ExplainedError

DESCRIPTION = (
    "Say what is here, or on another machine, and what is missing, and what to do about it."
)
EPILOG = """\
Exit status: 0 when the explorer can be used, 1 when something it needs is missing; 2 the address is
not possible; 3 the machine cannot be reached.
"""


def main(options: Options) -> int:
    facts = probe.find_facts() if options.device is None else look_at(options.device)
    diagnoses = findings(facts, read_machine(options.device).device if options.device else "auto")
    give(as_document(facts, diagnoses), as_text(diagnoses), as_json=options.json)
    return OK if usable(diagnoses) else NOT_WITHIN_TOLERANCE


def parser() -> CommandParser:
    command = CommandParser("doctor", DESCRIPTION, EPILOG)
    add_option(
        command, "--device", f"look at another machine: {FORM}; it needs no window", "DEVICE"
    )
    return command


def look_at(device: str) -> WorkerFacts:
    """Return the facts about another machine; end the command where it cannot be used."""
    from lnexplorer.engine import ssh  # msgspec and numpy, which the doctor does without here

    if not is_remote(device):
        raise refusal("device", device, f"take {FORM}; without --device this machine is looked at")
    end_if(check_device(device))
    try:
        return ssh.look_at(device).facts
    except ExplainedError as error:
        raise failed("start", error.sentence) from error
    except OSError as error:
        raise failed("start", f"OpenSSH cannot be started: {error}") from error
