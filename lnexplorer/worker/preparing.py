"""Peers that are made ready before anybody is timed: compiled, run once, and checked, each once."""

import torch

from lnexplorer.domain.peers import SLOW
from lnexplorer.worker.cancellation import JobCancelled
from lnexplorer.worker.task import Task
from lnkernels.failures import free_what_was_left
from lnkernels.providers.protocol import Case, Provider
from lnkernels.providers.verify import Verifier


class Prepared:
    """Remembers what was wrong with whom, so that a measurement need not compile and check it again."""

    def __init__(self, task: Task, case: Case) -> None:
        self._task = task
        self._case = case
        self._verifier = Verifier(case)
        self._verdicts: dict[str, str | Exception | None] = {}

    def prepare(self, provider: Provider) -> None:
        """Compile and check a peer. What it raises comes up again when it is to be timed.

        Raises:
            JobCancelled: the job was cancelled; a compiler that works for seconds is left in the midst of that.
        """
        if provider.name in self._verdicts:
            return
        try:
            if provider.unavailable() is not None:
                return
            if provider.name in SLOW:
                self._compile(provider)
            self._verdicts[provider.name] = self._verifier(provider)
        except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is the reason
            free_what_was_left(error)
            self._verdicts[provider.name] = error

    def check(self, provider: Provider) -> str | None:
        """A sentence saying what is wrong with the results of `provider`, or None.

        Raises:
            Exception: whatever `provider` raised.
        """
        if provider.name not in self._verdicts:
            self._verdicts[provider.name] = self._verifier(provider)
        verdict = self._verdicts[provider.name]
        if isinstance(verdict, Exception):
            raise verdict
        return verdict

    def _compile(self, provider: Provider) -> None:
        try:
            with self._task.interruptible(prompt=True):
                provider.forward(self._case)()
                provider.backward(self._case)()
        except JobCancelled:
            torch.compiler.reset()  # what was compiled by half is begun anew the next time
            raise
