"""`lnexplorer doctor`: what is here, what is missing, and what to do about it."""

from lnexplorer.cli.commands import NOT_WITHIN_TOLERANCE, OK
from lnexplorer.cli.options import CommandParser
from lnexplorer.cli.terminal import print_json, show
from lnexplorer.doctor import probe
from lnexplorer.doctor.findings import as_document, as_text, findings, usable

DESCRIPTION = "Say what is here and what is missing, and what to do about it."
EPILOG = "Exit status: 0 when the explorer can be used, 1 when something it needs is missing."


def main(arguments: list[str]) -> int:
    options = parser().read(arguments)
    facts = probe.find_facts()
    found = findings(facts)
    if options.json:
        print_json(as_document(facts, found))
    else:
        show(as_text(found))
    return OK if usable(found) else NOT_WITHIN_TOLERANCE


def parser() -> CommandParser:
    return CommandParser("doctor", DESCRIPTION, EPILOG)
