"""What goes wrong is told in the language of the window."""

import ast
import itertools
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

import lnexplorer.store
from lnexplorer.domain.experiments.strategy_timeline import of_locked, strategy_violations
from lnexplorer.domain.sum_violations import sum_violations
from lnexplorer.domain.timeline import violations
from lnexplorer.engine import ending
from lnexplorer.engine.ending import Cause, Exit, Verdict, describe
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.i18n.sentences import is_known, step_word, told
from lnexplorer.gui.shell.messages import sentence_of
from lnexplorer.protocol.messages import WorkerLost
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnexplorer.worker import device, driver
from lnexplorer.worker.device import Driver, why_no_gpu
from lnkernels.sentence import verbatim
from tests.store.examples import traced_timeline

STORAGE = Path(lnexplorer.store.__file__).parent
RAISING = (
    *("archive", "benchmark_file", "database", "experiment_file", "experiment_findings", "foreign_text", "history"),
    *("history_schema", "history_store", "own_file", "recording", "session_arrays", "session_file", "session_parts"),
    *("sweep_schema", "sweep_store", "sweep_values", "recorded_file", "timeline_check"),
)


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    languages = Languages(qapp, resource("translations"))
    languages.use("zh_CN")
    yield
    languages.use("en")


def ends() -> Iterator[str]:
    causes = [cause for cause in Cause if cause not in (Cause.DEVICE_LOST, Cause.UNUSABLE)]
    for phase in ending.PHASE_WORDS:
        yield describe(None, None, phase)
        yield from (describe(None, Verdict(cause, 1.5, "it is not whole"), phase) for cause in causes)
        for number in (*ending.SIGNAL_WORDS, signal.SIGHUP, 63):
            yield describe(Exit(-number, None, "", ""), None, phase)
        for stderr in ("", "ImportError: no"):
            yield describe(Exit(1, None, "", stderr), None, phase)


def raised(path: Path) -> Iterator[str]:
    """What is raised in a file of this package, and told by `_tell` and `_warn`, with `x` in every place that changes."""
    for node in ast.walk(ast.parse(path.read_text())):
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.JoinedStr | ast.Constant):
            continue
        name = ast.unparse(call.func)
        if not re.search(r"Error$|\.error$|_tell$|_warn$|^warn$", name) or name.endswith(("ValueError", "DecodeError")):
            continue
        parts = call.args[0].values if isinstance(call.args[0], ast.JoinedStr) else [call.args[0]]
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts)


def test_every_end_of_a_worker_is_known_to_the_catalogue() -> None:
    assert [sentence for sentence in ends() if not is_known(sentence)] == []


@pytest.mark.parametrize("module", RAISING)
def test_every_sentence_about_files_is_known_to_the_catalogue(module: str) -> None:
    found = list(raised(STORAGE / f"{module}.py"))
    assert found
    assert [sentence for sentence in found if not is_known(sentence)] == []


def impossible() -> Iterator[str]:
    """What is said of timelines in which one array is turned round, shifted, cut or of other numbers."""
    locked = traced_timeline()
    assert locked.sums is not None
    changes = (lambda a: a[::-1], lambda a: a + 10**6, lambda a: a - 10**6, lambda a: a[:-1], lambda a: a * 0 + 1)
    for change in changes:
        for name in ("lock", "order", "start_ns", "wanted_ns", "held_ns", "released_ns", "tile_start_ns", "tile_end_ns", "tries"):
            yield from violations(replace(locked, **{name: change(getattr(locked, name))}))
        for name in ("dw_after", "db", "row_dw"):
            sums = replace(locked.sums, **{name: change(getattr(locked.sums, name))})
            yield from violations(found := replace(locked, sums=sums)) or sum_violations(found, "float16")
        programs = of_locked(locked)
        for name in ("first_row", "start_ns", "ready_ns", "program_start_ns", "add_begin_ns", "add_end_ns", "tile_start_ns"):
            yield from strategy_violations(replace(programs, **{name: change(getattr(programs, name))}))
    yield from violations(replace(locked, group_size_m=0))
    yield from strategy_violations(replace(of_locked(locked), rows=2))


def test_everything_impossible_in_a_timeline_is_known_to_the_catalogue() -> None:
    found = set(impossible())
    assert len({re.sub(r"-?\d[\d.e+-]*", "0", sentence) for sentence in found}) > 20
    assert sorted(sentence for sentence in found if not is_known(sentence)) == []


@pytest.mark.parametrize("file", [device.__file__, driver.__file__])
def test_every_reason_for_a_device_is_known_to_the_catalogue(file: str) -> None:
    assert [sentence for sentence in raised(Path(file)) if not is_known(sentence) and sentence != "x."] == []


def test_every_reason_why_there_is_no_gpu_is_known_to_the_catalogue() -> None:
    drivers = (None, Driver("550", (12, 4), ()), Driver("550", (12, 4), ("A100",)))
    for found, cuda, visible in itertools.product(drivers, (None, "12.8", "13.0"), (None, "-1")):
        assert is_known(why_no_gpu(found, "2.13.0", cuda, visible))


@pytest.mark.usefixtures("chinese")
def test_a_reason_inside_a_sentence_is_translated_and_what_nobody_knows_stays(tmp_path: Path) -> None:
    lost = WorkerLost(verbatim("The worker was ended by signal 63 while running."), "", restarting=True)
    assert sentence_of(lost) == "工作进程在运行时被 信号 63 结束。 正在启动新的工作进程。"
    damaged = tmp_path / "damaged.lnrec"
    damaged.write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match="it is not a recording") as caught:
        read_recording(damaged)
    assert told(str(caught.value)) == f"无法打开 {damaged}：它不是录制文件，或者开头已损坏。"
    assert told("RuntimeError: {0} of it.\nThere is no run 3.") == "RuntimeError: {0} of it.\n没有运行 3。"
    assert (step_word("kernels"), step_word("torch.compile")) == ("内核", "torch.compile")


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    "sentence",
    [
        "run 3: it is damaged or not complete: Expected `int`, got `str` - at `$.resolved.m`",
        "sweep 1: row 4: it lies at (3,), outside its sweep of [2] values",
        "the baseline: baseline is 9, and there are 2 to choose from, from 0",
        "the timeline: row 3 starts before time 0: start_ns is -4",
        "its timeline of atomic is of 3 rows of 4 columns, and its run of 5 of 6",
        "samples_ms of locked, forward, kernel_cold is impossible: it has -1.0; each is at least 0 and finite",
        "how the pane sweep shows what it has: it is zoomed to where nothing can be",
        "rows = 2 is not possible: take 1: a row of 5000 columns is held in blocks",
        "strategy = locked, split is not possible: take one: a search chooses the settings of one strategy",
    ],
)
def test_what_this_program_says_is_told_in_chinese_and_what_a_library_says_is_quoted(sentence: str) -> None:
    said = told(sentence)
    english = re.sub(r"Expected .*|GROUP_SIZE_M|SM|[a-z]+ = [a-z, ]+\d*", "", said)
    assert re.search("[\u4e00-\u9fff]", said)
    assert not re.search(r"[a-z]{3,} [a-z]{2,}", english), said
    assert "Expected" not in sentence or "Expected `int`, got `str` - at `$.resolved.m`" in said


def test_in_english_sentences_are_what_they_were() -> None:
    for sentence in ends():
        assert told(sentence) == sentence
