"""What of a session goes into a recording: a run with its own trace, or what is on show of the two, never two strangers."""

from enum import Enum, auto
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QCoreApplication

from lnexplorer.gui.shell.state import SessionState
from lnkernels.values.environment import Kind

if TYPE_CHECKING:
    from lnexplorer.store.recordings import Recording


class LeftOut(Enum):
    """What does not go in, and why."""

    NOTHING = auto()
    OTHER_RUN = auto()  # the run: it has other parameters than the trace on show
    RUN_OF_ELSEWHERE = auto()  # the run: it was made elsewhere, or is a recorded one and the trace is new
    UNKNOWN_RUN = auto()  # the run: the trace on show does not say what it is one of
    TRACE = auto()  # the trace: it is not the run's, and not on show any more


def recording_of(state: SessionState, *, trace_on_show: bool) -> "tuple[Recording | None, LeftOut]":
    """The recording, without a title, or None where there is nothing to save; and what is left out.

    Args:
        state: of the session.
        trace_on_show: whether the timeline is what people look at; else a simulation of what they ask for is.
    """
    from lnexplorer.store.recordings import Recording  # noqa: PLC0415  (no work for the start of the window)

    result, trace = state.result, state.timeline
    if trace is not None and trace.kind is Kind.SIMULATED:
        trace = None  # a model gives it again
    if trace is None or state.is_of_run:
        found = Recording(title="", result=result, timeline=trace)
        return (None if result is None else found), LeftOut.NOTHING
    if result is not None and not trace_on_show:
        return Recording(title="", result=result, timeline=None), LeftOut.TRACE
    alone = Recording(title="", result=None, timeline=trace, alone=state.launch, alone_in=state.traced_in)
    if result is None:
        return alone, LeftOut.NOTHING
    if state.launch is None:
        return alone, LeftOut.UNKNOWN_RUN
    return alone, LeftOut.OTHER_RUN if state.launch != result.resolved else LeftOut.RUN_OF_ELSEWHERE


def saved_text(path: object, left_out: LeftOut) -> str:
    """What was saved, and what was not."""
    match left_out:
        case LeftOut.NOTHING:
            text = QCoreApplication.translate("saving", "Saved as {path}")
        case LeftOut.OTHER_RUN:
            text = QCoreApplication.translate(
                "saving", "Saved as {path}: the trace alone. The run has other parameters: run, then trace, to save both."
            )
        case LeftOut.RUN_OF_ELSEWHERE:
            text = QCoreApplication.translate(
                "saving", "Saved as {path}: the trace alone. The run has another origin: run, then trace, to save both."
            )
        case LeftOut.UNKNOWN_RUN:
            text = QCoreApplication.translate(
                "saving",
                "Saved as {path}: the trace alone. It does not say which run it is of, so the one beside it is left out.",
            )
        case LeftOut.TRACE:
            text = QCoreApplication.translate(
                "saving", "Saved as {path}: the run alone. The last trace has other parameters, and is on show no more."
            )
        case _:
            assert_never(left_out)
    return text.format(path=path)
