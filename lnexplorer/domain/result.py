"""What a run gives. Arrays are numpy; none is modified after it is made."""

from dataclasses import dataclass

from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.sentence import Sentence
from lnkernels.values.accuracy import Correctness
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Provenance
from lnkernels.values.figures import Throughput

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A whole run. Throughput is None on the interpreter, whose times mean nothing."""

    request: RunRequest
    resolved: ResolvedRequest
    provenance: Provenance
    correctness: Correctness
    compiled: tuple[KernelFacts, ...]
    throughput: Throughput | None
    notes: tuple[Sentence, ...] = ()
    providers: tuple[str, ...] = DEFAULT_PEERS  # who was to be timed beside the strategy
    schema_version: int = SCHEMA_VERSION
