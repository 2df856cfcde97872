"""Drivers of every age: a stand-in for NVML's bindings answers as they do."""

import sys
from types import ModuleType

import pytest

from lnexplorer.doctor import facts
from lnexplorer.doctor.facts import Driver, Gpu, Torch, find_driver, why_no_gpu
from lnexplorer.doctor.findings import _gpus
from lnkernels.values.nvml import opened_nvml


class NVMLError(Exception):
    def __init__(self, value):
        super().__init__("RM has detected an NVML/RM version mismatch.")
        self.value = value


class NVMLLibraryMismatchError(Exception):
    """As pynvml raises it: no NVMLError."""


WORDS = {18: "Driver/library version mismatch", 9: "Driver Not Loaded", 999: "Unknown Error"}


class Bindings(ModuleType):
    """Knows some questions; any other raises as an old driver's does."""

    NVMLError = NVMLError

    def __init__(self, status=0, **answers):
        super().__init__("pynvml")
        self.nvmlErrorString = WORDS.__getitem__
        self._status, self._answers = status, answers

    def nvmlInit(self):
        if self._status:
            raise NVMLError(self._status)

    def __getattr__(self, name):
        def question(*_):
            if name in self._answers:
                return self._answers[name]
            raise NVMLLibraryMismatchError(name)

        return question


OLD = {
    "nvmlDeviceGetCount": 1,
    "nvmlSystemGetDriverVersion": "470.82.01",
    "nvmlSystemGetCudaDriverVersion": 11040,
    "nvmlDeviceGetName": "Tesla V100",
    "nvmlDeviceGetCudaComputeCapability": (7, 0),
}


@pytest.fixture
def driver_of(monkeypatch, tmp_path):
    def find(status=0, **answers):
        opened_nvml.cache_clear()
        monkeypatch.setitem(sys.modules, "pynvml", Bindings(status, **answers))
        return find_driver()

    monkeypatch.setattr(facts, "PCI", tmp_path)
    yield find
    opened_nvml.cache_clear()


def told(driver, torch=Torch(version="2.13.0", cuda="13.0")):  # noqa: B008  frozen
    return [
        (each.level, str(each.sentence), str(each.remedy)) for each in _gpus(driver, torch, "auto")
    ]


def test_a_question_that_an_old_driver_does_not_know_is_an_unanswered_one(driver_of):
    driver = driver_of(**OLD)
    (gpu,) = driver.gpus
    assert (gpu.name, gpu.compute_capability) == ("Tesla V100", (7, 0))
    assert (gpu.memory_bytes, gpu.drives_display, gpu.processes) == (None, None, ())


def test_telemetry_of_an_old_driver_is_what_it_answers(driver_of, monkeypatch):
    from lnkernels.device import telemetry

    driver_of(nvmlDeviceGetHandleByUUID=1, **OLD)
    state = telemetry("GPU-1")
    assert state.driver == "470.82.01"
    assert state.other_processes is None
    assert state.throttle_reasons == ()


def test_a_driver_that_no_supported_torch_can_use_is_a_problem(driver_of):
    (level, sentence, remedy), *_ = told(driver_of(**OLD))
    assert level == "problem"
    assert "470.82.01 serves CUDA 11.4 at most" in sentence
    assert "525.60.13 or newer" in remedy


def test_a_mismatch_is_told_in_the_drivers_words_with_a_restart(driver_of):
    driver = driver_of(18)
    ((level, sentence, remedy),) = told(driver)
    assert (level, sentence) == (
        "warning",
        "The NVIDIA driver does not answer: Driver/library version mismatch.",
    )
    assert "restart this machine" in remedy
    assert why_no_gpu(driver, Torch(version="2.13.0"))[0] == facts.why_silent(driver)[0]


def test_no_driver_and_no_card_are_no_fault(driver_of):
    ((level, sentence, _),) = told(driver_of(9))
    assert level == "note"
    assert sentence.startswith("There is no NVIDIA GPU")


def test_a_gpu_below_what_torch_is_built_for_is_told():
    gpu = Gpu(
        index=0,
        name="Tesla V100",
        compute_capability=(7, 0),
        memory_bytes=None,
        free_bytes=None,
        drives_display=None,
        processes=(),
    )
    driver = Driver(version="580.65.06", cuda=(13, 0), gpus=(gpu,))
    built = Torch(version="2.13.0", cuda="13.0", gpus=1, least_capability=(7, 5))
    _, (level, sentence, _) = told(driver, built)
    assert level == "warning"
    assert sentence == (
        "Tesla V100 has compute capability 7.0, and torch 2.13.0 is built for 7.5 and above."
    )
    _, (level, _, _) = told(driver, Torch(version="2.13.0", cuda="12.6", gpus=1))
    assert level == "ok"
