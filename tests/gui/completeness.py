"""When a window has all its panes and a finished run."""

from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.workspaces import PARTS


def is_complete(explorer: Explorer) -> bool:
    """True once all panes are made, no step waits, and a run has ended."""
    return (
        len(explorer.window.made) == len(PARTS)
        and not explorer.steps.waiting
        and explorer.session.state.run.result is not None
    )
