"""Tuned settings: where they are kept, for what they hold, and what becomes of a file that is not
one.
"""

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import platformdirs
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lnkernels.launch import (
    DeviceLimits,
    Launch,
    LaunchWish,
    limits_for_architecture,
    resolve_launch,
)
from lnkernels.launch.candidates import WIDTHS
from lnkernels.launch.forward import choose_forward, forward_of, usual_forward
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.persistent import holds_rows, usual_rows
from lnkernels.launch.split import usual_split
from lnkernels.launch.strategy import Asked
from lnkernels.launch.tuned import (
    Kept,
    StrategyEntry,
    TunedFileError,
    forget_tuned,
    read_tuned,
    tuned_file,
    write_tuned,
)
from tests.conftest import forget_launches

A100, H200 = limits_for_architecture("sm_80"), limits_for_architecture("sm_90")
ENTRY = RowsEntry(
    element_bytes=2, up_to_n=4096, rows=4, num_warps=16, num_stages=2, programs_per_sm=1
)
NOW = "2026-01-01T00:00:00+00:00"


pytestmark = pytest.mark.usefixtures("tuned_home")
FEW, MANY = 4096, 32768  # rows


def _launch(
    strategy: str, n: int, limits: DeviceLimits = A100, dtype: str = "float16", m: int | None = None
) -> Launch:
    forget_launches()
    return resolve_launch(n, dtype, LaunchWish(strategy=strategy), limits, m=m)


def _rows(n: int, limits: DeviceLimits = A100) -> int:
    return _launch("persistent", n, limits).rows


def test_what_was_tuned_is_used_for_the_same_device() -> None:
    automatic = _rows(4096)
    assert automatic != 4
    assert write_tuned(A100, NOW, [ENTRY]) == tuned_file()
    assert _rows(4096) == 4
    assert _rows(4096, replace(A100, sm_count=56)) == automatic
    assert _rows(4096, replace(A100, name="NVIDIA A100-PCIE-40GB")) == automatic
    assert forget_tuned()
    assert _rows(4096) == automatic
    assert not forget_tuned()


def test_a_new_measurement_takes_the_place_of_an_older_one_and_of_nothing_else() -> None:
    other = ForwardEntry(
        2,
        4096,
        rows=1,
        num_warps=8,
    )
    write_tuned(A100, NOW, [ENTRY, other])
    write_tuned(replace(A100, sm_count=56), NOW, [ENTRY])
    write_tuned(A100, NOW, [replace(ENTRY, rows=2)])
    found = {one.device.sm_count: set(one.entries) for one in read_tuned()}
    assert found == {A100.sm_count: {replace(ENTRY, rows=2), other}, 56: {ENTRY}}
    names = sorted(path.name for path in tuned_file().parent.iterdir())
    assert names == [tuned_file().name, "tuned.lock"]


@pytest.mark.parametrize(
    "content",
    [
        "{",
        json.dumps({"format": "something else", "devices": []}),
        json.dumps(
            {"format": "lnkernels tuned settings 1", "devices": [{"device": {}, "date": NOW}]}
        ),
        json.dumps({"format": "lnkernels tuned settings 3", "devices": [7]}),
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_such_file_is_ignored_with_one_warning_that_names_it(
    content: str,
) -> None:
    tuned_file().write_text(content)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert _rows(4096) == 1
        resolve_launch(1024, "float16", LaunchWish(strategy="persistent"), A100)
    assert [str(tuned_file()) in str(warning.message) for warning in told] == [True]
    with pytest.raises(TunedFileError, match=r"tuned\.json"):
        write_tuned(A100, NOW, [ENTRY])
    assert tuned_file().read_text() == content


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rows": 3}, "rows = 3 is not possible: take a power of two from 1 to 64"),
        ({"rows": "4"}, "rows = '4' is not possible: take a value of type int"),
        ({"up_to_n": math.nan}, "up_to_n = nan"),
        ({"colour": 1}, "colour"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(wrong: dict[str, object], words: str) -> None:
    write_tuned(A100, NOW, [ENTRY])
    document = json.loads(tuned_file().read_bytes())
    document["devices"][0]["rows"][0].update(wrong)
    tuned_file().write_text(json.dumps(document))
    with pytest.raises(TunedFileError, match=words):
        read_tuned()


def test_without_a_home_the_file_is_in_the_cache_folder_of_the_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LNEXPLORER_HOME")
    for cache in (None, str(tmp_path / "cache")):
        (
            monkeypatch.setenv("XDG_CACHE_HOME", cache)
            if cache
            else monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        )
        assert tuned_file().parent == platformdirs.user_cache_path("lnexplorer", appauthor=False)


def test_what_was_tuned_with_few_rows_holds_for_many_until_those_are_tuned() -> None:
    few = ForwardEntry(2, 4096, rows=2, num_warps=8)
    write_tuned(A100, NOW, [few])
    forget_launches()
    asked = Asked(4096, "float16", A100, LaunchWish(), MANY)
    assert choose_forward(asked) == forward_of(few, asked)
    few_on_h200 = replace(few, num_warps=2)
    write_tuned(H200, NOW, [few_on_h200])
    forget_launches()
    asked = replace(asked, limits=H200)
    assert choose_forward(replace(asked, m=FEW)) == forward_of(few_on_h200, asked)
    # Its table has entries for many rows.
    assert choose_forward(asked)["forward_num_warps"] != 2


def _every_choice(limits: DeviceLimits, widths: Sequence[int]) -> list[Launch]:
    forget_launches()
    kinds = product(("persistent", "split", "auto"), widths, ("float16", "float32"), (FEW, MANY))
    return [
        resolve_launch(n, dtype, LaunchWish(strategy=strategy), limits, m=m)
        for strategy, n, dtype, m in kinds
    ]


def _untuned(n: int, size: int, limits: DeviceLimits) -> list[Kept]:
    """Return what a search would find at n where nothing is faster than what is used untuned."""
    asked = Asked(n, "float16" if size == 2 else "float32", limits, LaunchWish())
    strategy = "persistent" if holds_rows(n, asked.dtype, limits) else "split"
    return [
        replace(usual_rows(asked), up_to_n=n),
        replace(usual_split(asked), up_to_n=n),
        StrategyEntry(element_bytes=size, up_to_n=n, strategy=strategy),
        *(
            replace(usual_forward(asked, many_rows=many), up_to_n=n, many_rows=many)
            for many in (False, True)
        ),
    ]


@pytest.mark.parametrize(
    "limits", [H200, limits_for_architecture("sm_75")], ids=lambda limits: limits.name
)
@settings(
    max_examples=settings().max_examples // 12,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    widths=st.lists(
        st.integers(1, 40000)
        | st.sampled_from((1024, 4096, 5120, 8192, 16384, 24575, 32768, 65536)),
        min_size=1,
    ),
    size=st.sampled_from((2, 4)),
)
@example(widths=list(WIDTHS), size=2)
def test_untuned_settings_written_as_tuned_at_any_widths_change_nothing(
    limits: DeviceLimits, widths: list[int], size: int
) -> None:
    forget_tuned()
    looked_at = [
        *range(1, 2048, 411),
        *range(1024, 16385, 1024),
        2560,
        3584,
        5000,
        20480,
        24575,
        24576,
        32768,
        50000,
        131072,
    ]
    before = _every_choice(limits, looked_at)
    write_tuned(
        limits, NOW, [entry for n in dict.fromkeys(widths) for entry in _untuned(n, size, limits)]
    )
    assert _every_choice(limits, looked_at) == before


def _strategy(n: int, limits: DeviceLimits) -> str:
    return _launch("auto", n, limits).strategy


def test_auto_takes_the_strategy_that_was_the_faster_one_where_its_settings_hold() -> None:
    assert [_strategy(n, H200) for n in (7680, 9000, 12288, 12289)] == ["persistent"] * 4
    write_tuned(H200, NOW, [StrategyEntry(element_bytes=2, up_to_n=12288, strategy="split")])
    assert [_strategy(n, H200) for n in (7680, 9000, 12288, 12289)] == [
        "persistent",
        "split",
        "split",
        "persistent",
    ]
    assert resolve_launch(12288, "float32", LaunchWish(strategy="auto"), H200).strategy == "split"
    write_tuned(H200, NOW, [StrategyEntry(element_bytes=2, up_to_n=20480, strategy="persistent")])
    assert [_strategy(n, H200) for n in (16384, 20000, 20481)] == [
        "persistent",
        "persistent",
        "split",
    ]


def test_a_strategy_that_is_not_compared_is_refused() -> None:
    write_tuned(A100, NOW, [StrategyEntry(element_bytes=2, up_to_n=8192, strategy="locked")])
    with pytest.raises(TunedFileError, match="strategy = 'locked' is not possible"):
        read_tuned()
