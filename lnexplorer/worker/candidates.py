"""A candidate of a measurement, and the providers that can be one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

from lnexplorer.domain.measuring import CandidateOutcome, Status
from lnexplorer.domain.peers import SLOW, in_order, with_hint
from lnexplorer.domain.request import RunRequest
from lnexplorer.worker.connection import JobCancelled, Task
from lnkernels.check.verifier import Verifier
from lnkernels.failures import device_is_lost, free_what_was_left, kind_of, reason_of
from lnkernels.providers.discovery import Found
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Provider
from lnkernels.values import Sentence, join_sentences, say, verbatim
from lnkernels.values.accuracy import TensorCheck
from lnkernels.values.compiled import KernelFacts, LaunchedKernels
from lnkernels.values.environment import Offered
from lnkernels.values.figures import Figure, Refusal, RefusalKind, Throughput, Verdict


@dataclass(slots=True)
class Candidate:
    """A candidate at work, and what is known of it so far."""

    label: str  # its figures carry it as their provider
    setting: RunRequest | None = None  # None for a provider
    provider: Provider | None = None  # None where it cannot be launched here
    checks: tuple[TensorCheck, ...] = ()
    compiled: tuple[KernelFacts, ...] = ()
    figures: tuple[Figure, ...] = ()
    refusals: list[Refusal] = field(default_factory=list)
    remarks: list[Sentence] = field(default_factory=list)  # why inexact, and what it lacks
    launched: LaunchedKernels | None = None  # by a user's kernel
    inexact: bool = False
    time_anyway: bool = False  # even if its results are wrong

    @classmethod
    def of_provider(cls, label: str, name: str, found: Found) -> "Candidate":
        """Look a provider up; one that is not there, or lacks something, is refused."""
        made, provider = cls(label), found.providers.get(name)
        if provider is None:
            kind: RefusalKind = "failed" if name in found.broken else "unavailable"
            made.refuse(kind, why_missing(name, found))
            return made
        with made.blamed():
            missing = provider.unavailable()
            if missing is None:
                made.provider = Own(name, label) if isinstance(provider, Own) else provider
            else:
                made.refuse("unavailable", with_hint(name, missing))
        return made

    @property
    def is_right(self) -> bool:
        """True where it can be launched, and nothing speaks against it so far."""
        return self.provider is not None and not self.refusals

    @property
    def is_timed(self) -> bool:
        """True where it is right, or wrong and somebody insists."""
        wrong = self.time_anyway and self.verdict == "wrong"
        return self.is_right or (wrong and self.provider is not None)

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return self.outcome().verdict or "right"

    def refuse(self, kind: RefusalKind, reason: Sentence) -> None:
        self.refusals.append(Refusal(provider=self.label, reason=reason, kind=kind))

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Inside, whatever somebody's code raises is the candidate's own failure.

        Raises:
            Exception: the device is lost, and nobody can be checked any more.
        """
        try:
            yield
        except Exception as error:
            if device_is_lost():
                raise
            free_what_was_left(error)
            self.refuse(kind_of(error), reason_of(error))

    def verify(self, task: Task, verifier: Verifier) -> None:
        """Check its results, unless something speaks against it already.

        Raises:
            JobCancelled: the job was cancelled while it was compiled.
        """
        provider = self.provider
        if provider is None or self.refusals:
            return
        with self.blamed():
            if provider.name in SLOW:
                _compile(task, provider, verifier)
            wrong = verifier(provider)
            if verifier.correctness is not None:
                self.checks = verifier.correctness.checks
            if wrong is not None:
                self.refuse("incorrect", wrong)
            else:
                absent = verifier.absent
                self.launched = ran = verifier.launched
                remarks = [
                    verifier.inexact,
                    absent and say("it gives no {names}", names=absent),
                    ran.sentence if ran and not ran.own else None,
                ]
                self.remarks = [each for each in remarks if each]
                self.inexact = verifier.inexact is not None

    def take(self, timed: Throughput) -> None:
        """Keep its figures, which say the verdict, and refusals of a measurement."""
        self.figures = tuple(each for each in timed.figures if each.provider == self.label)
        self.refusals += [each for each in timed.refusals if each.provider == self.label]

    def outcome(self) -> CandidateOutcome:
        """Return the verdict and the figures so far; one with a figure is ok, or wrong."""
        status: Status = "ok"
        if any(each.kind == "incorrect" for each in self.refusals):
            status = "incorrect"
        elif self.refusals and not self.figures:
            kind = self.refusals[0].kind
            status = "invalid" if kind == "unavailable" else kind
        reasons = [each.sentence for each in self.refusals] or self.remarks
        return CandidateOutcome(
            label=self.label,
            status=status,
            setting=self.setting,
            reason=join_sentences(reasons) if reasons else None,
            errors=tuple(each.errors for each in self.checks),
            compiled=self.compiled,
            figures=self.figures,
            inexact=self.inexact,
            launched=self.launched,
        )


def _compile(task: Task, provider: Provider, verifier: Verifier) -> None:
    """Call a provider whose compiler works for seconds, which can be left meanwhile."""
    try:
        with task.interruptible(prompt=True):
            provider.forward(verifier.case)()
            provider.backward(verifier.case)()
    except JobCancelled:
        torch.compiler.reset()  # what was compiled by half is begun anew the next time
        raise


def offered(found: Found) -> tuple[Offered, ...]:
    """List every provider that is declared here, in the order in which they are shown."""
    known = {
        name: Offered(name=name, label=str(one.label), missing=_missing(one))
        for name, one in found.providers.items()
    }
    known |= {
        name: Offered(name=name, label=name, missing=reason)
        for name, reason in found.broken.items()
    }
    return tuple(known[name] for name in in_order(known))


def why_missing(name: str, found: Found) -> Sentence:
    """Say why a name that is asked for is no provider here."""
    choice = sorted(found.providers)
    return found.broken.get(name) or say(
        "there is no provider {name}: take one of {choice}", name=name, choice=choice
    )


def _missing(provider: Provider) -> Sentence | None:
    try:
        missing = provider.unavailable()
        return with_hint(provider.name, missing) if missing else None
    except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
        return verbatim(f"{type(error).__name__}: {error}")
