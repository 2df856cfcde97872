"""Names of the history's columns, and what they mean, in the language of the window."""

from PySide6.QtCore import QCoreApplication

from lnkernels.values.environment import Kind


def kind_word(kind: Kind) -> str:
    """The kind of a run as its badge says it."""
    translate = QCoreApplication.translate
    return {
        Kind.MEASURED: translate("HistoryModel", "measured"),
        Kind.INTERPRETED: translate("HistoryModel", "interpreted"),
        Kind.SIMULATED: translate("HistoryModel", "simulated"),
        Kind.RECORDED: translate("HistoryModel", "recorded"),
        Kind.PUBLISHED: translate("HistoryModel", "published"),
    }[kind]


def title(key: str) -> str:
    """Title of a column."""
    translate = QCoreApplication.translate
    return {
        "date": translate("HistoryModel", "time"),
        "device": translate("HistoryModel", "device"),
        "kind": translate("HistoryModel", "kind"),
        "m": "M",
        "n": "N",
        "dtype": "dtype",
        "strategy": translate("HistoryModel", "strategy"),
        "group_size_m": "GROUP_SIZE_M",
        "forward_gbps": translate("HistoryModel", "forward GB/s"),
        "forward_difference": translate("HistoryModel", "to baseline"),
        "backward_gbps": translate("HistoryModel", "backward GB/s"),
        "backward_difference": translate("HistoryModel", "to baseline"),
        "forward_share": translate("HistoryModel", "share"),
        "backward_share": translate("HistoryModel", "share"),
        "y_error": translate("HistoryModel", "error y"),
        "dx_error": translate("HistoryModel", "error dx"),
        "dw_error": translate("HistoryModel", "error dw"),
        "db_error": translate("HistoryModel", "error db"),
        "passed": translate("HistoryModel", "verdict"),
        "note": translate("HistoryModel", "note"),
    }[key]


def explanation(key: str) -> str:
    """What a column shows, a sentence."""
    translate = QCoreApplication.translate
    if key.endswith("_error"):
        text = translate("HistoryModel", "Largest absolute error of kernel − truth in {name}")
        return text.format(name=key.removesuffix("_error"))
    if key.endswith("_difference"):
        return translate(
            "HistoryModel",
            "Speed over that of the baseline, with the 95 % interval of the ratio of the two medians, from the samples of both"
            " runs. Runs of unlike problems, or on unlike devices, are not compared.",
        )
    return {
        "date": translate("HistoryModel", "When the run ended, in local time"),
        "device": translate("HistoryModel", "What the kernels ran on"),
        "kind": translate("HistoryModel", "Where the figures come from"),
        "m": translate("HistoryModel", "Rows of x"),
        "n": translate("HistoryModel", "Columns of x"),
        "dtype": translate("HistoryModel", "Element type of x"),
        "strategy": translate("HistoryModel", "How the rows' contributions to dw and db were summed"),
        "group_size_m": translate("HistoryModel", "Number of partial sum buffers"),
        "forward_gbps": translate("HistoryModel", "Kernels alone, cold L2, 2·M·N elements counted; in brackets all bytes"),
        "backward_gbps": translate("HistoryModel", "Kernels alone, cold L2, 3·M·N elements counted; in brackets all bytes"),
        "forward_share": translate("HistoryModel", "Share of the measured ceiling, forward"),
        "backward_share": translate("HistoryModel", "Share of the measured ceiling, backward"),
        "passed": translate("HistoryModel", "Whether every result was within its tolerance; if not, which were beyond it"),
        "note": translate("HistoryModel", "Your own words about the run; F2 or a double click writes them"),
    }[key]
