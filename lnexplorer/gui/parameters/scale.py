"""Which values a slider offers, and at which of its positions. Pure."""

from bisect import bisect_left
from dataclasses import dataclass

from lnexplorer.domain.parameters import Parameter

# Where the sliders end; the number beside them takes more. The interpreter needs about 3 ms a program.
ENDS = {
    "cuda": {"m": 1 << 17, "n": 1 << 16, "group_size_m": 1024, "repeats": 100},
    "interpreter": {"m": 1 << 10, "n": 1 << 14, "group_size_m": 256, "repeats": 20},
}
STEPS_AN_OCTAVE = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """The values at the positions 0, 1, 2 … of a slider, rising."""

    values: tuple[int, ...]

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.values) - 1

    def position(self, value: int) -> int:
        """The position whose value is nearest to `value`, by ratio."""
        after = bisect_left(self.values, value)
        if after == 0:
            return 0
        if after > self.last:
            return self.last
        low, high = self.values[after - 1], self.values[after]
        return after if value * value >= low * high else after - 1


def scale_for(parameter: Parameter, backend: str) -> Scale | None:
    """The scale of a parameter's slider; None where a slider is of no use."""
    if parameter.type is not int or parameter.minimum is None or parameter.maximum is None:
        return None
    if parameter.power_of_two:
        return Scale(tuple(1 << k for k in range(parameter.maximum.bit_length()) if 1 << k >= parameter.minimum))
    if parameter.maximum <= 16:
        return Scale(tuple(range(parameter.minimum, parameter.maximum + 1)))
    end = ENDS[backend].get(parameter.name)
    return None if end is None else _octaves(parameter.minimum, end)


def _octaves(first: int, last: int) -> Scale:
    """Powers of two and, where there is room, three values between each two of them."""
    values = {last}
    for octave in range(last.bit_length()):
        start = 1 << octave
        values |= {start + start * step // STEPS_AN_OCTAVE for step in range(STEPS_AN_OCTAVE)}
    return Scale(tuple(sorted(value for value in values if first <= value <= last)))
