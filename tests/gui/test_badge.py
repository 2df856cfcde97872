from lnexplorer.gui.kit.theme import DARK, TONES
from lnkernels.values.environment import Kind


def test_every_kind_of_number_has_one_tone_and_every_theme_a_colour_for_it() -> None:
    assert set(TONES) == set(Kind)
    assert all(getattr(DARK, tone).startswith("#") for tone in TONES.values())
