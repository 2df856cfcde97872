import pytest

from lnexplorer.domain.presets import PRESETS, Preset
from lnexplorer.domain.request import RunRequest, check


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_is_possible_on_a_gpu_with_24_gib(preset: Preset) -> None:
    assert check(preset.request, "cuda", memory_bytes=24 << 30) == []
    assert preset.help.endswith(".")


def test_names_of_presets_differ() -> None:
    assert len({preset.name for preset in PRESETS}) == len(PRESETS)


def test_the_lecture_s_preset_has_four_rows_and_two_buffers() -> None:
    (lecture,) = (preset.request for preset in PRESETS if preset.name.startswith("Lecture"))
    assert (lecture.m, lecture.launch.group_size_m) == (4, 2)


def test_the_tutorial_s_check_has_the_tutorial_s_shape_and_data() -> None:
    (tutorial,) = (preset.request for preset in PRESETS if preset.name == "Tutorial's check")
    assert tutorial == RunRequest(m=1151, n=8192, dtype="float16", data="tutorial")
