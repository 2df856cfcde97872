"""`lnexplorer trace` without a GPU: from recordings, from the model, and on the interpreter."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.cli import trace
from lnexplorer.doctor.facts import Driver
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.simulation.prediction import sample_run
from lnexplorer.engine import supervisor
from lnexplorer.engine.supervisor import WorkerInTurn
from lnexplorer.store.recordings import Recording, write_recording
from tests.cli.conftest import Command, Refused
from tests.shared_worker import LentWorker, SharedWorker
from tests.store.examples import M, N, small_result, traced_timeline

ROWS = ("row", "lock", "order", "sm", "tries", "start_ns", "wanted_ns", "held_ns", "released_ns")
H200 = str(Path(__file__).parents[2] / "resources" / "recordings" / "h200_4096x1024_g256.lnrec")


def test_a_recording_of_the_gallery_needs_its_name_alone(lnexplorer: Command) -> None:
    assert "NVIDIA H200" in lnexplorer("trace --recording h200_lecture").out
    lnexplorer("compare h200_4096x1024_g16 h200_4096x1024_g64")
    lnexplorer("sweep --recorded h200_sweep_blocks")
    lnexplorer("trace --recording h200_lectur", status=2)


@pytest.fixture
def recording(tmp_path: Path) -> str:
    path = tmp_path / "small.lnrec"
    write_recording(
        path, Recording(title="Small", result=small_result(), timeline=traced_timeline())
    )
    return str(path)


def test_a_recorded_trace_is_printed_with_every_row_and_its_summary(
    recording: str, lnexplorer: Command
) -> None:
    document = lnexplorer(f"trace --source recorded --recording {recording} --json").document
    assert document["kind"] == "recorded"
    assert (document["m"], document["n"], document["title"]) == (M, N, "Small")
    assert all(len(document[name]) == M for name in ROWS)
    assert document["row"] == list(range(M))
    assert document["tiles"]["start_ns"] == [800, 800]
    summary = document["summary"]
    assert summary["trying_mean_ns"] + summary["queued_mean_ns"] == 10
    assert summary["gap_ns"] == 0
    assert summary["clock"] == "timer and SM clocks"
    assert summary["instrumentation"]["share"] == pytest.approx(0.05)
    assert len(document["sums"]["dw_after"]) == M


def test_a_model_fitted_to_a_recording_is_compared_with_it_and_predicts_others(
    lnexplorer: Command,
) -> None:
    same = lnexplorer(f"trace --source simulated --recording {H200} --json").document
    assert same["kind"] == "simulated"
    assert abs(same["prediction_error"]["stage1"]) < 0.15
    assert same["parameters"]["resident_programs"] == 12 * 132
    assert same["resident_programs"]["origin"] == "seen"
    launch = "--group-size-m 64 --m 1000"
    other = lnexplorer(f"trace --source simulated --recording {H200} {launch} --json").document
    assert (other["m"], max(other["lock"]), other["compared_with"]) == (1000, 63, None)


def test_a_model_of_rows_that_take_minutes_is_refused_where_there_are_too_many(
    tmp_path: Path, refused: Refused
) -> None:
    path, timeline = tmp_path / "minutes.lnrec", traced_timeline()
    names = ("start_ns", "wanted_ns", "held_ns", "released_ns", "tile_start_ns", "tile_end_ns")
    slow = replace(timeline, **{name: getattr(timeline, name) * 4 * 10**9 for name in names})
    write_recording(path, Recording(title="", result=small_result(), timeline=slow))
    launch = "--m 10000 --group-size-m 512 --resident-programs 1"
    error = refused(f"trace --source simulated --recording {path} {launch}")
    assert "take another, or fewer rows" in error
    assert "too long to simulate" in error


def test_several_values_of_group_size_m_are_a_line_each_and_a_list_of_documents(
    lnexplorer: Command, tmp_path: Path, refused: Refused
) -> None:
    launch = f"--source simulated --recording {H200} --m 100 --group-size-m"
    single = lnexplorer(f"trace {launch} 4 --json").document
    document = lnexplorer(f"trace {launch} 1:4:x2 --json").document
    assert [each["group_size_m"] for each in document["traces"]] == [1, 2, 4]
    assert document["traces"][2] == single
    assert document == {
        name: single[name] for name in ("schema_version", "title", "kind", "m", "n")
    } | {"traces": document["traces"]}
    assert lnexplorer(f"trace {launch} 4:4 --json").document == single
    lines = lnexplorer(f"trace {launch} 1:4:x2").out.splitlines()
    place = next(place for place, line in enumerate(lines) if "peak queue" in line)
    shown = [line.split() for line in lines[place + 1 : place + 4]]
    assert [cells[0] for cells in shown] == ["1", "2", "4"]
    assert shown[2][5] == str(single["summary"]["peak_queue"])
    for option, value in (("--chrome", str(tmp_path / "a.json")), ("--against", H200)):
        assert f"{option[2:]} = {value} is not possible: leave it out" in refused(
            f"trace {launch} 1:4:x2 {option} {value}"
        )
    assert "group_size_m = 0 " in refused(f"trace {launch} 0:4")
    assert "START is at most STOP" in refused(f"trace {launch} 4:1")


@pytest.mark.usefixtures("worker")
def test_several_values_are_traced_on_a_device_without_times(lnexplorer: Command) -> None:
    launch = "--device interpreter --m 4 --n 8 --group-size-m 1,2"
    lines = lnexplorer(f"trace {launch} -q").out.splitlines()
    assert ["2", *"––––––"] in [line.split()[:7] for line in lines]
    assert any(line.startswith("interpreted: ") for line in lines)


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    "launch", ["--device interpreter --m 4 --n 8", "--source simulated --m 8 --n 64"]
)
def test_several_values_take_one_worker(
    launch: str, lnexplorer: Command, shared_worker: SharedWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[LentWorker] = []

    def make(*given: Any, **options: Any) -> LentWorker:
        made.append(LentWorker(shared_worker, *given, **options))
        return made[-1]

    monkeypatch.setattr(supervisor, "Supervisor", make)
    lnexplorer(f"trace {launch} --group-size-m 1,2 -q")
    assert len(made) == 1


@pytest.mark.usefixtures("worker")
def test_a_worker_without_a_gpu_compiles_the_kernel_of_a_launch_and_tells_its_occupancy() -> None:
    sample = sample_run(resolve(RunRequest(m=4096, n=256), "cuda"), 3)
    with WorkerInTurn("interpreter:sm_90") as worker:
        per_sm = trace.occupancy(worker, sample, "sm_90")
    assert isinstance(per_sm, int), per_sm
    assert 1 <= per_sm <= 32


def test_without_options_there_is_a_trace_where_there_is_no_gpu(
    lnexplorer: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.doctor.facts.find_driver", Driver)
    out, err = lnexplorer("trace -q --m 40 --n 64 --resident-programs 20")
    assert "simulated: " in out
    assert err == ""


def test_a_file_that_is_no_recording_is_named_in_a_sentence_and_in_json(
    tmp_path: Path, lnexplorer: Command, refused: Refused
) -> None:
    path = tmp_path / "letter.lnrec"
    path.write_text("Dear reader")
    source = f"--source recorded --recording {path}"
    assert "letter.lnrec cannot be opened: it is not a recording" in refused(f"trace {source}")
    assert (
        "not a recording"
        in lnexplorer(f"trace {source} --json", status=2).document["error"]["cause"]
    )
    write_recording(path, Recording(title="", result=small_result(), timeline=None))
    assert "without the timing of its locks" in refused(f"trace {source}")


def test_a_trace_for_perfetto_is_written(
    lnexplorer: Command, recording: str, tmp_path: Path
) -> None:
    path = tmp_path / "chrome.json"
    source = f"--source recorded --recording {recording}"
    lnexplorer(f"trace {source} --chrome {path}")
    assert len(json.loads(path.read_text())["traceEvents"]) > 5 * M


def test_a_trace_beside_another_adds_up_to_the_difference_of_the_ends(
    lnexplorer: Command, tmp_path: Path
) -> None:
    document = lnexplorer(f"trace --recording {H200} --against h200_4096x1024_g16 --json").document
    against = document["against"]
    sums = against["chain_ns"].values()
    one, other = against["ends_ns"]
    assert sum(b - a for a, b in sums) == against["difference_ns"] == other - one < 0
    assert len(against["rows_ns"]["holding"]) == document["m"]
    assert len(against["locks_ns"]["holding"]) == document["group_size_m"]
    assert lnexplorer(f"trace --recording {H200} --json").document["against"] is None
    assert (
        "Rows that decide the end of B, 16: "
        in lnexplorer(f"trace --recording {H200} --against h200_4096x1024_g16").out
    )
    untimed = tmp_path / "untimed.lnrec"
    write_recording(untimed, Recording(title="", result=small_result(), timeline=None))
    assert (
        "no times that could be compared"
        in lnexplorer(f"trace --recording {H200} --against {untimed}", status=2).err
    )
