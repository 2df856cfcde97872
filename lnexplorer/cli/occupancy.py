"""Occupancy of stage 1 for a simulation, asked of the compiler, with a word to whoever waits."""

from lnexplorer.cli.progress import Progress
from lnexplorer.domain.request import RunRequest


def compiled_occupancy(sample: RunRequest, architecture: str) -> int | str:
    """As `engine.occupancy.stage1_occupancy`: programs per SM, or why they are not known."""
    from lnexplorer.engine.occupancy import stage1_occupancy

    progress = Progress()
    progress.line(f"Compiling stage 1 with GROUP_SIZE_M = {sample.group_size_m} for {architecture} …")
    return stage1_occupancy(sample, architecture)
