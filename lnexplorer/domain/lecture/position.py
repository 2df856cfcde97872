"""Where the lecture is: a step, and a number that is being typed to jump to another."""

from dataclasses import dataclass, replace

MOST_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Position:
    """A step of `count`, from 0; people count from 1."""

    count: int
    step: int = 0
    typed: str = ""

    def forward(self) -> "Position":
        """The next step, or the last."""
        return self._at(self.step + 1)

    def back(self) -> "Position":
        """The step before, or the first."""
        return self._at(self.step - 1)

    def first(self) -> "Position":
        """The first step."""
        return self._at(0)

    def last(self) -> "Position":
        """The last step."""
        return self._at(self.count - 1)

    def with_digit(self, digit: str) -> "Position":
        """One more digit of a number; a number of more than MOST_DIGITS digits begins anew."""
        typed = self.typed + digit if len(self.typed) < MOST_DIGITS else digit
        return replace(self, typed=typed)

    def jump(self) -> "Position":
        """The step whose number was typed; the first or the last where there is none of that number."""
        return self._at(int(self.typed) - 1) if self.typed else self

    def _at(self, step: int) -> "Position":
        return Position(self.count, min(max(step, 0), self.count - 1))
