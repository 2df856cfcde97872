import math

from lnexplorer.domain.doubts import LABELS, state_lines, state_sentence
from lnkernels.values.environment import DeviceState

BEFORE = DeviceState(sm_clock_mhz=1980, memory_clock_mhz=3201, temperature_c=41, power_w=310.4, other_processes=0)
AFTER = DeviceState(
    sm_clock_mhz=1785, memory_clock_mhz=3201, temperature_c=58, power_w=698.7, other_processes=1, throttle_reasons=("power cap",)
)


def test_what_changed_stands_with_both_values_and_what_did_not_once() -> None:
    assert dict(state_lines(BEFORE, AFTER)) == {
        "SM clock": "1980 → 1785 MHz",
        "memory clock": "3201 MHz",
        "temperature": "41 → 58 °C",
        "power": "310 → 699 W",
        "clocks held down by": "– → power cap",
        "other processes": "0 → 1",
    }
    assert tuple(label for label, _ in state_lines(BEFORE, AFTER)) == LABELS


def test_what_is_not_known_has_no_line() -> None:
    assert state_lines(None, None) == ()
    assert state_lines(DeviceState(), DeviceState(temperature_c=40)) == ()
    assert state_lines(None, DeviceState(temperature_c=40, power_w=math.nan)) == (("temperature", "40 °C"),)
    assert state_sentence(None, DeviceState(other_processes=2)) == "other processes 2"
