"""Where the lecture is, and how the time that it has taken is written."""

from dataclasses import dataclass, replace

MOST_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Position:
    """A step of `count`, from 0; people count from 1."""

    count: int
    step: int = 0
    typed: str = ""

    def at(self, step: int) -> "Position":
        """Another step; the first or the last where there is none of that number."""
        return Position(self.count, min(max(step, 0), self.count - 1))

    def moved(self, steps: int) -> "Position":
        return self.at(self.step + steps)

    def with_digit(self, digit: str) -> "Position":
        """One more digit of a number; a number of more than MOST_DIGITS digits begins anew."""
        return replace(self, typed=self.typed + digit if len(self.typed) < MOST_DIGITS else digit)

    def entered(self) -> "Position":
        """The step whose number was typed, or else the next one."""
        return self.at(int(self.typed) - 1) if self.typed else self.moved(1)


def clock_text(seconds: float) -> str:
    """Hours, where there are any, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"
