"""What was deleted in this window and can come back."""

from dataclasses import dataclass

MOST = 100  # deletions that are remembered


@dataclass(frozen=True, slots=True)
class Deletion:
    """What one key press took out."""

    kind: str  # runs, sweeps, experiments
    ids: tuple[int, ...]


class Deletions:
    """The last one comes back first."""

    def __init__(self) -> None:
        self._stack: list[Deletion] = []

    @property
    def last(self) -> Deletion | None:
        """What comes back next."""
        return self._stack[-1] if self._stack else None

    def push(self, kind: str, ids: tuple[int, ...]) -> None:
        """Remember a deletion."""
        self._stack = [*self._stack, Deletion(kind, ids)][-MOST:]

    def pop(self) -> Deletion | None:
        """Take the last one; None where nothing is left."""
        return self._stack.pop() if self._stack else None
