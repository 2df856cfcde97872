"""Findings as text for people, and as JSON for programs."""

from dataclasses import asdict
from typing import Any

from lnexplorer.doctor.facts import Facts
from lnexplorer.doctor.findings import Finding, Level, usable

MARKS = {Level.OK: "ok", Level.NOTE: "note", Level.WARNING: "warning", Level.PROBLEM: "PROBLEM"}
SCHEMA_VERSION = 1


def as_text(found: list[Finding]) -> str:
    """One line a finding, what to do about it below, and the verdict at the end."""
    mark_width = max(len(mark) for mark in MARKS.values())
    topic_width = max(len(finding.topic) for finding in found)
    lines = []
    for finding in found:
        lines.append(f"{MARKS[finding.level]:<{mark_width}}  {finding.topic:<{topic_width}}  {finding.sentence}")
        if finding.remedy:
            lines.append(f"{'':<{mark_width}}  {'':<{topic_width}}  {finding.remedy}")
    verdict = "The explorer can be used." if usable(found) else "The explorer cannot be used yet: see the lines marked PROBLEM."
    return "\n".join([*lines, "", verdict])


def as_document(facts: Facts, found: list[Finding]) -> dict[str, Any]:
    """The same, ready for JSON, with the facts behind it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "usable": usable(found),
        "findings": [asdict(finding) for finding in found],
        "facts": asdict(facts),
    }
