"""`lnexplorer doctor`: what is here, what is missing, and what to do about it."""

import argparse
import json

from lnexplorer.cli import status

DESCRIPTION = "Say what is here and what is missing, and what to do about it."
EPILOG = "Exit status: 0 when the explorer can be used, 1 when something it needs is missing."


def main(arguments: list[str]) -> int:
    """Look, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="lnexplorer doctor", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print one JSON document, with the facts behind the findings")
    options = parser.parse_args(arguments)
    from lnexplorer.doctor.findings import as_document, as_text, findings, usable
    from lnexplorer.doctor.probe import find_facts

    facts = find_facts()
    found = findings(facts)
    print(json.dumps(as_document(facts, found), indent=2) if options.json else as_text(found))
    return status.OK if usable(found) else status.NOT_WITHIN_TOLERANCE
