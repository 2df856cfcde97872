import pytest

from lnexplorer.cli.sweep_session import SweepProgressLine, row_words
from lnexplorer.cli.terminal import Progress
from lnexplorer.domain.sweep.request import TUTORIAL, SweepRequest
from lnexplorer.engine.sweep import SweepStarted
from tests.gui.sample_sweeps import invented_rows


@pytest.mark.parametrize(
    ("kept", "total", "said"),
    [
        (0, 1, "1 setting"),
        (1, 1, "1 setting, which has a row already"),
        (0, 5, "5 settings"),
        (1, 5, "5 settings, 1 of them has a row already"),
        (3, 5, "5 settings, 3 of them have a row already"),
        (5, 5, "5 settings, all of which have a row already"),
    ],
)
def test_how_many_settings_there_are_and_have_a_row(kept: int, total: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    SweepProgressLine(SweepRequest(), Progress()).show(SweepStarted(total=total, kept=kept))
    assert capsys.readouterr().err == f"{said}\n"


def test_every_speed_has_its_share_of_the_ceiling() -> None:
    words = row_words(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)[0])
    forward, backward = words.split(", ")[-2:]
    assert forward.startswith("forward ")
    assert forward.endswith(" % of ceiling)")
    assert backward.endswith(" % of ceiling)")
