"""What makes figures doubtful, as the window says it."""

from dataclasses import replace

from lnexplorer.domain.doubts import doubts, is_doubt
from tests.domain.test_doubts import CALM, FIGURE


def test_every_doubt_can_be_said_in_the_language_of_the_window() -> None:
    hot = replace(CALM, throttle_reasons=("power cap",), other_processes=1)
    held = replace(CALM, power_held_ms=0.0, heat_held_ms=0.0)
    pairs = [
        (CALM, replace(CALM, sm_clock_mhz=1500)),
        (hot, hot),
        (CALM, hot),
        (hot, CALM),
        (held, replace(held, power_held_ms=50.0, heat_held_ms=50.0)),
        (CALM, replace(hot, other_processes=4)),
        (replace(CALM, other_processes=2), replace(CALM, other_processes=2)),
    ]
    said = {sentence for before, after in pairs for sentence in doubts(before, after, [replace(FIGURE, settled=False)])}
    assert len(said) == 11
    assert [sentence for sentence in said if not is_doubt(sentence)] == []
