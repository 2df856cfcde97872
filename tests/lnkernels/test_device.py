"""Limits and the environment stamp, where there is no GPU."""

import re

import torch

from lnkernels.device import (
    Telemetry,
    device_limits,
    environment,
    telemetry,
    throttle_reasons,
)

CPU = torch.device("cpu")


def test_a_stamp_names_software_and_date_and_leaves_the_gpu_open():
    stamp = environment(CPU)
    assert stamp.torch == torch.__version__
    assert re.match(r"3\.\d+\.\d+", stamp.python)
    assert re.match(r"\d+\.\d+", stamp.triton)
    assert (stamp.gpu, stamp.driver, stamp.sm_clock_mhz, stamp.other_processes) == (
        None,
        None,
        None,
        None,
    )


def test_the_interpreter_runs_one_program_at_a_time_in_the_hosts_memory():
    limits = device_limits(CPU)
    assert (limits.sm_count, limits.programs_per_sm) == (1, 1)
    assert limits.memory_bytes > 1 << 28


def test_reasons_for_low_clocks_are_words():
    assert throttle_reasons(0x0000) == ()
    assert throttle_reasons(0x0001) == ()  # idle is no reason to distrust a time
    assert throttle_reasons(0x0044) == ("power cap", "hardware thermal slowdown")
    assert throttle_reasons(0x8004) == ("power cap", "0x8000")  # one that is not known


def test_a_gpu_that_nvml_does_not_know_has_no_state():
    found = telemetry("GPU-00000000-0000-0000-0000-000000000000")
    assert found == Telemetry(driver=found.driver)
