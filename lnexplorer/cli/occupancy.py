"""Occupancy of stage 1 for a simulation, asked of the compiler, with a word to whoever waits."""

from lnexplorer.cli.progress import Progress
from lnexplorer.domain.request import RunRequest
from lnkernels.sentence import Sentence


def compiled_occupancy(sample: RunRequest, architecture: str) -> int | Sentence:
    """As `engine.supervisor.stage1_occupancy`: programs per SM, or why they are not known."""
    from lnexplorer.engine.supervisor import stage1_occupancy

    progress = Progress()
    progress.line(f"Compiling stage 1 with GROUP_SIZE_M = {sample.group_size_m} for {architecture} …")
    return stage1_occupancy(sample, architecture)
