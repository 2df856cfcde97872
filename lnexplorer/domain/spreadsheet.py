"""Texts in cells of a CSV file: a spreadsheet computes what begins as a formula does."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def begins_as_formula(text: str) -> bool:
    """Whether a spreadsheet takes a text for a formula."""
    return text.startswith(FORMULA)


def as_text(text: str) -> str:
    """A text that somebody else may have written, for a cell: with an apostrophe before what would be computed."""
    return f"'{text}" if begins_as_formula(text) else text
