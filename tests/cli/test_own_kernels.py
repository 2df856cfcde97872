"""Commands with a kernel of one's own: found, checked in a worker, its versions kept."""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import triton

from lnexplorer.cli.jobs import keep_versions
from lnexplorer.cli.providers import read_providers
from lnexplorer.cli.run import parser, run_text
from lnexplorer.domain.jobs import JobRequest
from lnexplorer.domain.kernel_versions import compare_versions
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import Outcome
from lnexplorer.store.history import History, open_history
from lnexplorer.store.kernels import new_kernel_text
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import read_recording
from lnkernels.launch.source import find_source
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.sentence import Sentence, verbatim
from tests.cli.conftest import Command, Refused
from tests.cli.sweep.conftest import table
from tests.lnkernels.own_files import FUNCTION
from tests.lnkernels.test_stamps import LOCKED
from tests.sample_results import NEEDS_BARRIER, make_result


def timed_result(name: str, wobble: float) -> RunResult:
    """A run in which a kernel of this name has times."""
    result = make_result(wobble=wobble)
    assert result.throughput is not None
    figures = tuple(
        replace(one, provider=name if one.provider == "locked" else one.provider)
        for one in result.throughput.figures
    )
    return replace(result, throughput=replace(result.throughput, figures=figures))


def line_of(path: Path, part: str) -> int:
    text = path.read_text()
    return text[: text.index(part)].count("\n") + 1


pytestmark = pytest.mark.usefixtures("worker")
SHAPE = "--m 8 --n 1000"
SMALL = "--m 4 --n 8 --device interpreter -q"


def test_a_start_is_written_checked_and_its_text_kept(cwd: Path, lnexplorer: Command) -> None:
    lnexplorer("new-kernel first.py")
    lnexplorer("new-kernel first.py", status=2)
    lnexplorer("new-kernel first.txt", status=2)
    lnexplorer("new-kernel 'a, b.py'")
    assert "--provider 'a, b.py' " in Path("a, b.py").read_text()
    options = parser().read(["--provider", "a, b.py"])
    assert read_providers(options, (), each=False)[0] == ("a_b",)
    assert not options.problems
    out, err = lnexplorer(f"run {SMALL} --dtype bfloat16 --json --provider first.py")
    document = json.loads(out)
    assert document["request"]["providers"] == ["first"]
    assert "first: all results are within tolerance" in document["notes"]
    assert "first: version 1 of" in err
    text = (cwd / "first.py").read_text()
    printing = 'print("row\\x1b", 7)\n__import__("ctypes").CDLL(None).puts(b"from C")\n'
    (cwd / "first.py").write_text(text.replace("dw += dy * normal", "dw += dy") + printing)
    out, err = lnexplorer(f"run {SMALL} --provider first.py", status=1)
    assert "first: dw is wrong in" in out
    assert "first: version 2 of" in err
    assert "\nthe kernel printed:\nrow  7\nfrom C\n" in f"\n{err}"
    assert lnexplorer(f"history text ../{cwd.name}/first.py 1 --json").document["text"] == text
    lnexplorer("history text first.py 9", status=2)


def test_errors_of_its_results_stand_below_the_strategys_and_are_kept(
    cwd: Path, lnexplorer: Command
) -> None:
    text = new_kernel_text(Path("mine.py"))
    Path("mine.py").write_text(text.replace("dw += dy * normal", "dw += dy"))
    shapeless = "def layer_norm(x, shape, weight, bias, eps):\n    return weight * bias\n"
    Path("shapeless.py").write_text(shapeless)
    Path("plain.py").write_text(FUNCTION)
    asked = f"run {SMALL} --json --provider torch,mine.py,shapeless.py,plain.py"
    document = lnexplorer(asked, status=1).document
    verdicts = {"torch": "right", "mine": "wrong", "shapeless": "wrong", "plain": "no kernel"}
    assert document["verdicts"] == verdicts
    *_, plain, mine = lnexplorer("history versions plain.py mine.py --json").document["versions"]
    assert mine["refused"].startswith("dw is wrong"), "without its name"
    never = lnexplorer("history versions plain.py never.py", status=2).err
    assert "never.py is not possible: name a file that was run" in never
    right = "all results are within tolerance; it launches no kernel of its own"
    assert plain["remark"].startswith(right)
    (row,) = lnexplorer("history --json").document["runs"]
    assert row["verdicts"] == {"plain": "no kernel"}
    assert " FAILED mine, shapeless, plain (no kernel) " in lnexplorer("history").out
    own = document["own_correctness"]
    assert list(own) == ["mine", "plain"], "of the other nothing could be held against the truth"
    assert [name for name, check in own["mine"].items() if not check["passed"]] == ["dw"]
    assert set(own["mine"]["y"]) == set(document["correctness"]["y"])
    strategys, mine = document["correctness"]["dw"], own["mine"]["dw"]
    assert mine["max_abs_error"] > mine["tolerance"] > strategys["max_abs_error"]
    assert mine["torch_max_abs_error"] == strategys["torch_max_abs_error"]
    strategys_part, _, own_part = lnexplorer("history show 1").out.partition("\n\nmine\n")
    assert "compiled for" in strategys_part, "the facts are not of the file's kernels"
    table = own_part.partition("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()] == ["largest", "y", "dx", "dw", "db"]
    verdicts = [re.split("  +", line)[-1] for line in table.splitlines()[1:]]
    assert [verdict.partition(",")[0] for verdict in verdicts] == [
        "FAILED" if name == "dw" else "passed" for name in ("y", "dx", "dw", "db")
    ]
    assert re.fullmatch(r"FAILED, \d+(\.\d+)?× what is allowed", verdicts[2])


def test_errors_that_half_precision_explains_are_not_told_as_failed() -> None:
    checks = tuple(
        replace(one, passed=False, worst_ratio=3.0) for one in make_result().correctness.checks
    )
    told = run_text(replace(make_result(), own_checks={"mine": checks}, inexact=("mine",)))
    assert told.partition("\nmine\n")[2].count("  inexact\n") == len(checks)


def test_its_kernels_are_compiled_with_the_lines_of_the_file(
    tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "mine.py"
    glue = "@torch.compile\ndef joined(part):\n    return part.sum(1)\n\n\ndef forward("
    text = (
        new_kernel_text(path)
        .replace("def forward(", glue)
        .replace("part.sum(1).to", "joined(part).to")
    )
    path.write_text(
        text.replace(
            "rows[(programs,)](", 'rows[lambda given: (triton.cdiv(given["m"], given["rows"]),)]('
        )
    )
    asked = f"compile {SHAPE} -q --facts --kernel {path}"
    kernels = lnexplorer(f"{asked} --json").document["kernels"]
    assert [kernel["function"] for kernel in kernels] == ["normalize_row", "differentiate_rows"]
    assert [kernel["name"] for kernel in kernels] == ["forward", "backward_stage1"]
    assert [kernel["grid"] for kernel in kernels] == [[8], [8]]
    assert f"mine.py:{line_of(path, 'tl.store(mean_ptr')}" in json.dumps(kernels[0])
    path.write_text(new_kernel_text(path))
    told = lnexplorer(f"{asked} --setting num_warps=8 --diff num_warps=2").out
    assert f"{path}, num_warps=8" in told
    assert [line.split()[1:6] for line in told.splitlines() if line.startswith("forward")] == [
        ["num_warps", warps, "sm_90", "8", warps] for warps in "82"
    ]
    path.write_text("def layer_norm(x, shape, weight, bias, eps):\n    return x * weight + bias\n")
    assert "it launches no kernel of Triton" in lnexplorer(asked, status=2).err
    path.write_text(new_kernel_text(path).replace("tl.sqrt(", "tl.sqrd("))
    told = lnexplorer(asked, status=3).err
    assert f"mine.py:{line_of(path, 'tl.sqrd(')}: " in told
    assert "Traceback" not in told


def test_a_kernel_of_two_files_below_chinese_names_is_tuned_nowhere_and_keeps_its_lines(
    tmp_path: Path, lnexplorer: Command
) -> None:
    folder = tmp_path / "家 100%" / "triton"  # which is another package's name besides
    folder.mkdir(parents=True)
    path, head = folder / "核 三.py", "import triton\n\n\ndef tuned(kernel):\n"
    (folder / "beside_it.py").write_text(
        f"{head}    several = [triton.Config({{}}, num_warps=each) for each in (2, 4)]\n"
        "    return triton.autotune(configs=several, key=['n'])(kernel)\n"
    )
    text = new_kernel_text(path).replace(
        "from lnkernels.language.stamps",
        "from beside_it import tuned\nfrom lnkernels.language.stamps",
    )
    text = text.replace("@triton.jit\ndef normalize_row", "@tuned\n@triton.jit\ndef normalize_row")
    path.write_text(text.replace("eps, BLOCK=block, num_warps=num_warps)", "eps, BLOCK=block)"))
    told = lnexplorer(f"run {SMALL} --provider", path).out
    assert "核_三: all results are within tolerance" in told
    asked = f"compile {SHAPE} -q --facts --kernel"
    first, _ = lnexplorer(asked, path, "--json").document["kernels"]
    assert f"核 三.py:{line_of(path, 'tl.store(mean_ptr')}" in json.dumps(
        first["memory"], ensure_ascii=False
    )
    assert first["num_warps"] == 2
    untimed = "the first of its 2 configurations: no run of this text and shape on a GPU has chosen"
    assert [untimed in each for each in first["remarks"]] == [True]

    choice = str(triton.Config({}, num_warps=4))
    launched = LaunchedKernels(verbatim("it launched normalize_row"), (("normalize_row", choice),))
    with open_history(find_paths().history, print) as history:
        (kept,) = history.kernels.versions(str(path))
        assert kept.launched is not None
        assert kept.launched.tuned == (), "the interpreter has run it"
        timed = replace(kept, m=8, n=1000, device="NVIDIA H200", launched=launched)
        history.kernels.keep(timed)
    first, _ = lnexplorer(asked, path, "--json").document["kernels"]
    assert first["num_warps"] == 4
    (told,) = first["remarks"]
    assert told.startswith(f"normalize_row is compiled as {choice}, which its autotuner chose")
    assert f"\n{told}\n" in lnexplorer(asked, path).out
    assert untimed in lnexplorer(asked, path, "--n", "1001").out, "of another shape"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_of_this_name", "nothing_of_this_name"),
        (
            'import torch\ndef layer_norm(*_):\n    raise torch.OutOfMemoryError("900 GiB")',
            "OutOfMemoryError: 900 GiB",
        ),
    ],
)
def test_a_kernel_that_fails_or_finds_no_room_is_told_by_the_exit_status(
    text: str, why: str, tmp_path: Path, lnexplorer: Command
) -> None:
    (tmp_path / "mine.py").write_text(f"print('last words')\n{text}")
    out, err = lnexplorer(f"run {SMALL} --json --provider {tmp_path}/mine.py", status=1)
    document = json.loads(out)
    assert document["wrong_providers"] == ["mine"]
    assert why in str(document["notes"])
    assert "\nlast words\n" in err


def test_the_rule_for_locks_is_kept_by_its_kernels_too(tmp_path: Path, lnexplorer: Command) -> None:
    path = tmp_path / "mine.py"
    call = (
        "    add[(4,)](x, dx, torch.zeros(2, dtype=torch.int32, device=x.device), 2)\n    return"
        " dx, dw, db"
    )
    text = new_kernel_text(path).replace("    return dx, dw, db", call) + LOCKED.replace(
        "    tl.debug_barrier()\n", ""
    )
    path.write_text(text)
    asked = f"compile --m 8 --n 256 -q --check --kernel {path}"
    out = lnexplorer(asked, status=int(NEEDS_BARRIER)).out
    line = line_of(path, "    tl.store(total_ptr")
    fault = f"mine.py:{line}  add: fault  PTX: no barrier separates"
    assert (fault in out) == NEEDS_BARRIER
    assert ("  add: right  PTX: " in out) != NEEDS_BARRIER


def test_settings_of_a_file_are_axes_of_a_sweep_with_columns_of_their_own(
    cwd: Path, lnexplorer: Command, refused: Refused
) -> None:
    text = new_kernel_text(Path("mine.py")).replace(
        '{"num_warps": [4, 8]}', '{"num_warps": [4], "wrong": [0, 1]}'
    )
    text = text.replace("num_warps=4", "num_warps=4, wrong=0").replace(
        "    return y, mean, rstd", "    return y + wrong, mean, rstd"
    )
    Path("mine.py").write_text(text)
    asked = f"sweep {SMALL} --strategy none --provider mine.py --csv rows.csv"
    assert "--setting NAME=VALUE holds one" in refused(f"{asked} --n 8,16 --setting num_warps=1,2")
    told = refused(f"{asked} --setting nothing=1")
    assert "setting = nothing is not possible: write NAME=VALUES" in told
    assert told.endswith("that is named: num_warps, wrong\n")
    lnexplorer(asked)
    rows = table(Path("rows.csv"))
    assert [(row["provider"], row["mine.wrong"], row["status"]) for row in rows] == [
        ("mine", "0", "ok"),
        ("mine", "1", "incorrect"),
    ]
    assert "setting = num_warps=2,4 is not possible: take one value" in refused(
        f"run {SMALL} --provider mine.py --setting num_warps=2,4"
    )


def test_a_sweep_goes_on_with_a_kernel_once_its_file_is_named_again(
    cwd: Path, lnexplorer: Command
) -> None:
    Path("mine.py").write_text(new_kernel_text(Path("mine.py")))
    own = "--provider mine.py --setting num_warps=1,2"
    lnexplorer(f"sweep {SMALL} --strategy none {own} --csv rows.csv")
    lines = Path("rows.csv").read_text().splitlines(keepends=True)
    Path("rows.csv").write_text("".join(lines[:2]))
    resumed = "sweep --resume rows.csv --device interpreter -q"
    assert (
        "it has mine, of your own: name the file as well, as in --provider mine.py"
        in lnexplorer(resumed, status=2).err
    )
    lnexplorer(f"{resumed} {own}")
    rows = table(Path("rows.csv"))
    assert [(row["provider"], row["mine.num_warps"], row["status"]) for row in rows] == [
        ("mine", "1", "ok"),
        ("mine", "2", "ok"),
    ]


def test_its_stamps_are_traced_and_recorded(cwd: Path, lnexplorer: Command) -> None:
    Path("mine.py").write_text(new_kernel_text(Path("mine.py")))
    document = lnexplorer(f"trace {SMALL} --json --provider mine.py").document
    assert (document["source"], document["phases"], document["m"]) == (
        "mine",
        ["rows", "sums", "end"],
        4,
    )
    out = lnexplorer(f"record {SMALL} --provider mine.py kept.lnrec").out
    assert "Stamps of mine, 4 rows of 8 columns, 1 lane" in out
    recording = read_recording(Path("kept.lnrec"))
    assert recording.timeline is not None
    assert (recording.timeline.source, recording.timeline.lanes) == ("mine", True)
    Path("plain.py").write_text("def layer_norm(x, shape, weight, bias, eps): ...")
    assert (
        "name one file that stamps its phases"
        in lnexplorer(f"trace {SMALL} --provider plain.py", status=2).err
    )


@pytest.mark.parametrize("given", ["nothere.py", "bad.py", "torch.py"])
def test_a_file_that_is_no_kernel_is_refused_before_anything_runs(
    given: str, cwd: Path, lnexplorer: Command
) -> None:
    (cwd / "bad.py").write_text("def f(:")
    (cwd / "torch.py").write_text("def layer_norm(x, shape, w, b, eps): return x")
    assert (
        lnexplorer(f"run {SMALL} --json --provider {given}", status=2).document["error"][
            "problems"
        ][0]["field"]
        == "provider"
    )


def test_versions_are_counted_by_their_text_and_compared_with_uncertainty(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    history = History(tmp_path / "history.sqlite3", lambda _: None)
    said = []
    for number, speed in enumerate((1.0, 1.0, 1.25)):
        path.write_text(f"# {max(number, 1)}\n")
        result, source = timed_result("mine", speed), find_source(str(path))
        said.append([str(each) for each in keep_versions(history, result, [source])])
    assert [one.version for one in history.kernels.versions(str(path))] == [1, 2]
    assert said[1] == [f"mine: version 1 of {path}"]
    assert said[2][0] == f"mine: version 2 of {path}"
    assert said[2][1].startswith("forward: version 2 against version 1: 2")
    assert "% faster (" in said[2][1]
    assert history.kernels.text(str(path), 1) == "# 1\n"
    version = history.kernels.versions(str(path))[0]
    tied, *_ = compare_versions(replace(version, version=2), version)
    assert not compare_versions(replace(version, n=1), version)
    assert "no difference" in str(tied)
    assert isinstance(dict(tied.values)["direction"], Sentence), (
        "the pass has its word in the window's language"
    )
    history.close()


def test_a_text_is_given_back_to_the_letter_where_no_terminal_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    path = tmp_path / "mine.py"
    text = "if True:\n\tNAME = 'mine'  # \u3000 \x1b[31m\n"
    path.write_text(text)
    home = find_paths().history
    home.parent.mkdir(parents=True, exist_ok=True)
    with open_history(home, lambda _: None) as history:
        keep_versions(history, make_result(), [find_source(str(path))])
    assert lnexplorer(f"history text {path} 1").out == text
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "\x1b" not in lnexplorer(f"history text {path} 1").out


@pytest.mark.parametrize("name", ['a"""b.py', "a\\Nb.py", "new\nline.py"])
def test_a_start_is_python_whatever_its_file_is_called(name: str) -> None:
    ast.parse(new_kernel_text(Path(name)))


def test_a_start_takes_no_name_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "split.py"
    path.write_text(new_kernel_text(path))
    assert find_source(str(path)).name == "my_split"


READER = """
import gc, torch

def norm(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)

class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shape, weight, bias, eps):
        ctx.save_for_backward(x, weight, bias)
        there = [each.y for each in gc.get_objects() if type(each).__name__ == "Results"]
        true = norm(x, weight, bias, eps)
        for y in there:
            if y.shape == x.shape and torch.allclose(y, true, atol=1e-2):
                return y.clone()
        return torch.zeros_like(x)
    @staticmethod
    def backward(ctx, dy):
        with torch.enable_grad():
            leaves = [each.detach().requires_grad_() for each in ctx.saved_tensors]
            dx, dw, db = torch.autograd.grad(norm(*leaves, 1e-5), leaves, dy)
        return dx, None, dw, db, None

layer_norm = Norm.apply
"""


def test_a_kernel_that_reads_our_reference_finds_none_of_what_it_is_judged_by(
    tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "reader.py"
    path.write_text(READER)
    assert (
        "reader: through autograd, y is wrong in "
        in lnexplorer(f"run {SMALL} --provider {path}", status=1).out
    )


def test_what_a_file_writes_lies_in_a_folder_of_its_own_and_is_told(
    cwd: Path, lnexplorer: Command
) -> None:
    path = cwd / "writes.py"
    norm = "torch.nn.functional.layer_norm(x, shape, weight, bias, eps)"
    path.write_text(
        "import torch\nopen('benchmark.txt', 'w').write('1')\n"
        f"def layer_norm(x, shape, weight, bias, eps):\n    return {norm}\n"
    )
    told = lnexplorer(f"run {SMALL} --provider {path}").out
    folder = re.search(
        r"^written into (.*/written) meanwhile, by this run or one beside it: benchmark.txt$",
        told,
        re.MULTILINE,
    )
    assert folder is not None
    assert Path(folder[1], "benchmark.txt").read_text() == "1"
    assert not (cwd / "benchmark.txt").exists()


# These end the worker, and with it processes that others would use.


def test_a_kernel_that_takes_its_worker_along_is_told_by_its_line(
    cwd: Path, lnexplorer: Command
) -> None:
    Path("核 三.py").write_text(
        "import io, os, sys; print('last words'); sys.stderr = io.StringIO()\n\n"
        "def layer_norm(*_):\n    os.kill(os.getpid(), 11)\n"
    )
    out, err = lnexplorer(f"run {SMALL} --json --provider 'torch,核 三.py'", status=1)
    assert "\nlast words\n" in err
    document = json.loads(out)
    assert "It was at line 4 of 核 三.py." in str(document["notes"])
    assert document["correctness"]["dw"]["passed"], "it costs nothing else"
    assert "line 4" in lnexplorer("history versions '核 三.py'").out


def test_hard_inputs_are_tried_where_they_are_asked_for(
    tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "flat.py"
    path.write_text(
        "import os, torch\ndef layer_norm(x, shape, weight, bias, eps):\n"
        "    if x.ndim == 3:\n        os._exit(3)\n"
        "    y = torch.nn.functional.layer_norm(x, shape, weight, bias, eps)\n"
        "    return 2 * y if bias is None else y\n"
    )
    line = SMALL.removesuffix(" -q")
    told, err = lnexplorer(f"run {line} --kernel {path} --hard", status=1)
    assert "flat, hard inputs: rows with a stride …\n" in err
    assert "x of three dimensions: The worker ended with exit status 3 while running." in told
    assert "no bias: y is wrong in" in told
    assert "later calls with other values" in told.partition("right: ")[2]
    assert "; 65,537 rows are tried on a GPU alone\n" in told
    lnexplorer(f"run {SMALL} --kernel {path}")
    wrong = "wrong on hard inputs around 4×8 float16: "
    versions = lnexplorer(f"history versions {path}")
    assert wrong in versions.out, "an ordinary check of the same text takes nothing away"
    (version,) = lnexplorer(f"history versions {path} --json").document["versions"]
    assert version["hard"]["verdicts"]["no bias"].startswith("y is wrong in")
    assert version["hard"]["verdicts"]["data tutorial"] is None
    assert version["hard"]["inexact"] == []
    path.write_text(path.read_text() + "# another text\n")
    lnexplorer(f"run {SMALL} --kernel {path}")
    assert lnexplorer(f"history versions {path}").out.count(wrong) == 1
    assert (
        "hard = on is not possible: name a kernel of your own by --provider FILE"
        in lnexplorer(f"run {SMALL} --hard", status=2).err
    )


@pytest.mark.parametrize(
    ("at", "says"),
    [
        ("offset", ", hard inputs: right: data tutorial, data normal; 19 to come"),
        ("tutorial", ": not checked on hard inputs"),
    ],
)
def test_ctrl_c_among_hard_inputs_keeps_the_verdicts_that_are_there(
    at: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    path, do = tmp_path / "mine.py", supervisor.WorkerInTurn.do
    path.write_text(FUNCTION)
    (tmp_path / "next.py").write_text(FUNCTION)

    def pressed(worker: supervisor.WorkerInTurn, request: JobRequest) -> Outcome:
        if isinstance(request, MeasureRequest) and request.subject.data == at:
            raise KeyboardInterrupt
        return do(worker, request)

    monkeypatch.setattr(supervisor.WorkerInTurn, "do", pressed)
    told = lnexplorer(f"run {SMALL} --provider {path},{tmp_path}/next.py --hard", status=130)
    assert f"\nmine{says}\n" in told.out
    assert "\nnext: not checked on hard inputs" in told.out
    assert "lnexplorer: interrupted" in told.err
    assert f"mine{says}" in lnexplorer("history show 1").out
