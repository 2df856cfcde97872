"""Ticks of a logarithmic scale, as plain numbers."""

import math

MOST_TICKS = 7


def log_ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Places of labels between two powers of ten, given and returned as log10.

    Whole powers of ten where there are at least three; 1, 2 and 5 of each below that; even steps within a narrow range.
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    first, last = math.ceil(low), math.floor(high)
    if last - first >= 2:
        step = max(1, math.ceil((last - first + 1) / most))
        return [float(exponent) for exponent in range(last, first - 1, -step)][::-1]
    candidates = [exponent + math.log10(digit) for exponent in range(first - 1, last + 1) for digit in (1, 2, 5)]
    places = [place for place in candidates if low <= place <= high]
    return places if len(places) >= 3 else _even_ticks(low, high, most)


def thinned(places: list[float], most: int) -> list[float]:
    """Of ticks as `log_ticks` gives them no more than there is room for: whole powers of ten, if these are enough."""
    if len(places) <= most:
        return places
    whole = [place for place in places if place == round(place)]
    return whole if 2 <= len(whole) <= most else places[:: math.ceil(len(places) / max(most, 2))]


def linear_ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Round values between two values."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A value beside a tick, short: 2e-3, 0.5, 100."""
    if value == 0 or 0.1 <= abs(value) < 1000:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def plain_number(value: float, spacing: float) -> str:
    """A value beside a tick, in full, with the decimals that tell it from the next tick."""
    return f"{value:.{max(0, math.ceil(-math.log10(spacing) - 1e-9)) if spacing > 0 else 0}f}"


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    return [math.log10(value) for value in linear_ticks(10.0**low, 10.0**high, most) if value > 0]
