"""Launches of all kinds."""

from dataclasses import dataclass

from hypothesis import strategies as st

from lnexplorer.domain.simulation.model import SimulationParameters
from tests.domain.timelines import model

# Times of nothing, of a moment, usual ones and long ones, so that every order of events there can
# be is met.
TIMES = {
    "jitter": st.sampled_from((0.0, 0.2, 0.5)),
    "compute_ns": st.sampled_from((0, 1, 30, 1000, 9000)),
    "hold_ns": st.sampled_from((0, 1, 40, 800, 5000)),
    "first_hold_ns": st.sampled_from((None, 0, 200)),
    "hand_over_ns": st.sampled_from((0, 1, 300, 4000)),
    "try_ns": st.sampled_from((0, 100)),
    "exit_ns": st.sampled_from((0, 1, 700)),
    "stagger_ns": st.sampled_from((0, 0.3, 50)),
    "crowd_ns": st.sampled_from((0.0, 3.0)),
    "spin_ns": st.sampled_from((0.0, 0.8)),
}


@dataclass(frozen=True, slots=True)
class Launch:
    """What stage 1 is simulated of."""

    m: int
    locks: int  # in use, at most m
    parameters: SimulationParameters
    seed: int = 0


@st.composite
def launches(draw: st.DrawFn, most_rows: int, most_places: int) -> Launch:
    """Any launch of up to so many rows, with up to so many locks and programs on the device."""
    m = draw(st.integers(1, most_rows))
    locks = min(draw(st.one_of(st.integers(1, 6), st.integers(1, most_places))), m)
    residents = draw(st.integers(1, most_places))
    times = {name: draw(values) for name, values in TIMES.items()}
    return Launch(
        m,
        locks,
        model(resident_programs=residents, hold_slowdown=0.6, **times),
        draw(st.integers(0, 1000)),
    )
