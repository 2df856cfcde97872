"""What the efforts of a sweep time, and what that costs, in the language of the window."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.sweep.request import EFFORTS


def effort_help(name: str) -> str:
    """One effort: how well each median is to be known, and how much timing each figure gets for that."""
    translate = QCoreApplication.translate
    effort = EFFORTS[name]
    texts = {
        "quick": translate("effort", "quick: each median to ±{within} %, at most {most} samples; no longer than that takes"),
        "normal": translate("effort", "normal: each median to ±{within} %, at most {most} samples, {least} s a figure at least"),
        "thorough": translate(
            "effort",
            "thorough: each median to ±{within} %, at most {most} samples, {least} s a figure at least, as in the tutorial",
        ),
    }
    return texts[name].format(within=f"{100 * effort.within:g}", most=effort.most, least=f"{effort.least_seconds:g}")


def efforts_help() -> str:
    """All of them, and what a sweep takes besides."""
    cost = QCoreApplication.translate(
        "effort",
        "A figure is one pass of one setting. Compiling, checking and capturing a setting take the same with every effort, and"
        " settings of one problem are timed in turns.",
    )
    return "\n".join((*map(effort_help, EFFORTS), "", cost))
