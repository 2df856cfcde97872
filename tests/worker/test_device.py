import pytest

from lnexplorer.worker.device import Driver, why_no_gpu

DRIVER = Driver("550.54", (12, 4), ("NVIDIA GeForce RTX 4090",))


def test_a_machine_without_a_driver_is_called_so() -> None:
    assert str(why_no_gpu(None, "2.13.0", "12.8", None)) == "There is no NVIDIA driver here."


def test_a_driver_without_a_gpu_is_called_so() -> None:
    assert str(why_no_gpu(Driver("550.54", (12, 4), ()), "2.13.0", "12.8", None)) == "The NVIDIA driver 550.54 sees no GPU."


@pytest.mark.parametrize(
    ("driver", "torch_cuda", "visible", "words"),
    [
        (DRIVER, None, None, "is a build without CUDA: install a build of torch with CUDA"),
        (DRIVER, None, "", "is a build without CUDA"),
        (DRIVER, "12.8", "", "CUDA_VISIBLE_DEVICES = '' hides it"),
        (DRIVER, "12.8", "-1", "CUDA_VISIBLE_DEVICES = '-1' hides it"),
        (DRIVER, "13.0", None, "serves CUDA 12.4 at most, and torch 2.13.0 is built for CUDA 13.0: install a newer driver"),
        (DRIVER, "12.8", "0", "but torch 2.13.0 cannot use it"),
    ],
)
def test_a_gpu_that_torch_cannot_use_is_named_with_the_reason(
    driver: Driver, torch_cuda: str | None, visible: str | None, words: str
) -> None:
    sentence = str(why_no_gpu(driver, "2.13.0", torch_cuda, visible))
    assert "NVIDIA GeForce RTX 4090" in sentence
    assert words in sentence
