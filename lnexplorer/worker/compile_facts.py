"""Facts about compiled kernels, found by a compiler in a process of its own while the run goes on."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from lnkernels.compiled import CompileError, CompileRequest, facts_in_own_process
from lnkernels.values.compiled import KernelFacts

KEPT = 256
POLL_SECONDS = 0.02


@dataclass(slots=True)
class Answer:
    """Facts, or why there are none, once `done` is set."""

    facts: tuple[KernelFacts, ...] = ()
    problem: str | None = None
    wanted: bool = True
    done: threading.Event = field(default_factory=threading.Event)

    def wait(self, check: Callable[[], None]) -> None:
        """Wait for the answer; `check` is called now and then, and may raise."""
        try:
            while not self.done.is_set():
                check()
                time.sleep(POLL_SECONDS)
        finally:
            self.wanted = self.done.is_set()


class CompileFacts:
    """Asks the compiler, one question at a time, and remembers its answers."""

    def __init__(self) -> None:
        self._known: OrderedDict[CompileRequest, tuple[KernelFacts, ...]] = OrderedDict()
        self._one_at_a_time = threading.Lock()

    def ask(self, request: CompileRequest) -> Answer:
        """Have the facts found. Returns at once."""
        answer = Answer()
        if request in self._known:
            answer.facts = self._known[request]
            answer.done.set()
        else:
            threading.Thread(target=self._find, args=(request, answer), name="compile-facts", daemon=True).start()
        return answer

    def _find(self, request: CompileRequest, answer: Answer) -> None:
        with self._one_at_a_time:
            if not answer.wanted:
                return
            try:
                found = facts_in_own_process(request)
            except CompileError as error:
                answer.problem = f"What the compiler makes of the kernels is not known: {error}"
            else:
                answer.facts = self._known[request] = found
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
        answer.done.set()
