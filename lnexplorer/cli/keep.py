"""Keeps in the history what commands found: runs, with the kernels of one's own that took part, and
experiments.
"""

from collections.abc import Callable, Sequence

from lnexplorer.cli.terminal import say as tell
from lnexplorer.domain.experiments.findings import ExperimentRecord
from lnexplorer.domain.kernel_versions import compare_versions, version_of_run
from lnexplorer.domain.result import RunResult
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import Sentence, say


def keep_run(command: str, result: RunResult, kernels: Sequence[KernelSource] = ()) -> bool:
    """Add a finished run to the history, with the kernels of one's own that took part; whether it
    is there.

    Where it is not, stderr says why.
    """

    def add(history: History) -> None:
        history.runs.add(result)
        for sentence in keep_versions(history, result, kernels):
            tell(command, sentence)

    return _keep(command, "run", add)


def keep_experiment(command: str, record: ExperimentRecord) -> bool:
    """The same with an experiment, however it ended."""
    return _keep(command, "experiment", lambda history: history.experiments.add(record))


def _keep(command: str, what: str, add: Callable[[History], object]) -> bool:
    paths = find_paths()
    if paths.warning is not None:
        tell(command, paths.warning)
    try:
        with open_history(paths.history, lambda sentence: tell(command, sentence)) as history:
            add(history)
    except StoreError as error:
        tell(command, f"{error} This {what} is not in the history.")
        return False
    return True


def keep_versions(
    history: History, result: RunResult, kernels: Sequence[KernelSource]
) -> list[Sentence]:
    """Keep the text of each file that took part in a run; what there is to say of each, and of it
    beside the one before.

    A file that was saved after it was run is left out: its text is not what was run.
    """
    said: list[Sentence] = []
    for source in filter(lambda one: one.is_file, kernels):
        before = history.kernels.versions(source.place)
        kept = history.kernels.keep(version_of_run(source, result))
        if kept is not None:
            said.append(
                say(
                    "{name}: version {version} of {place}",
                    name=kept.name,
                    version=kept.version,
                    place=kept.place,
                )
            )
            older = [one for one in before if one.version < kept.version]
            said += compare_versions(kept, older[-1]) if older else []
    return said
