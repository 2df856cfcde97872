"""`lnexplorer doctor`: what is here, what is missing, and what to do about it."""

import argparse

from lnexplorer.cli.status import NOT_WITHIN_TOLERANCE, OK
from lnexplorer.cli.terminal import print_json, show
from lnexplorer.doctor import probe
from lnexplorer.doctor.findings import as_document, as_text, findings, usable

DESCRIPTION = "Say what is here and what is missing, and what to do about it."
EPILOG = "Exit status: 0 when the explorer can be used, 1 when something it needs is missing."


def main(arguments: list[str]) -> int:
    """Look, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="lnexplorer doctor", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print one JSON document, with the facts behind the findings")
    options = parser.parse_args(arguments)
    facts = probe.find_facts()
    found = findings(facts)
    if options.json:
        print_json(as_document(facts, found))
    else:
        show(as_text(found))
    return OK if usable(found) else NOT_WITHIN_TOLERANCE
