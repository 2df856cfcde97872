"""Lines that are not possible: each command names the value and what is allowed, and begins nothing."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Refused
from tests.cli.sweep.conftest import CURVE

COMPILE = "compile --m 64 --n 128 --device interpreter:sm_90"
SIMULATED = "trace --source simulated"
H200 = "--recording h200_4096x1024_g256"
TOUCH = "touch --m 5000 --n 300 --group-size-m 4 --block-size 128"
LINES = [
    (
        "run --m 0",
        "m = 0 (--m) is not possible: take a whole number from 1 to 16777216, or automatic",
    ),
    (
        "run --num-warps 3",
        "num_warps = 3 (--num-warps) is not possible: take a power of two from 1 to 32",
    ),
    ("run --eps nan", "eps = nan (--eps) is not possible: take a number"),
    (
        "run --n 8 --block-size-n 4",
        "block_size_n = 4 (--block-size-n) is not possible: take at least 8",
    ),
    ("run --device gpu", "device = gpu is not possible: take auto, cuda:N"),
    ("run --device sm_90", "take interpreter:sm_90, which runs on the interpreter"),
    ("sweep --device sm_90", "take interpreter:sm_90, which runs on the interpreter"),
    ("run --wrong", "unrecognized arguments: --wrong"),
    ("run --group 4", "unrecognized arguments: --group"),
    (
        "run --grp-size-m 4",
        "unrecognized arguments: --grp-size-m 4: did you mean --group-size-m?",
    ),
    ("run my_norm.py", "unrecognized arguments: my_norm.py: did you mean --kernel my_norm.py?"),
    (
        "benhc",
        "FILE = benhc is not possible: name a file that is there, or a command (run, sweep",
    ),
    ("benhc", "did you mean bench?"),
    ("--screenshot .", "screenshot = . is not possible: name a file, not a folder"),
    (
        "--screenshot nowhere/a.png",
        "name a file in a folder that is there; nowhere is not",
    ),
    ("--screenshot window.svg", "take a name that ends in .png"),
    ("record", "required: FILE"),
    ("sweep --m 1,2 --n 1,2 --seed 1,2", "several values of m, n, seed"),
    ("sweep --n 10:1", "1:10 counts upwards"),
    ("sweep --mode sideways", "mode = sideways"),
    ("sweep --device cuda:0,interpreter", "device = cuda:0,interpreter"),
    ("sweep --timeout soon", "timeout = soon"),
    ("sweep --search many", "search = many"),
    ("sweep --n 1,2 --search 9", "n = 1,2 (--n) is not possible: take one value"),
    (
        "sweep --strategy locked,split --search 9",
        "strategy = locked, split (--strategy) is not possible: take one",
    ),
    ("sweep --m 1,2 --tutorial-output out", "give N several values"),
    (
        "sweep --csv no/where/a.csv",
        "csv = no/where/a.csv is not possible: name a file in a folder that is there; no/where is not",
    ),
    ("sweep --csv a.csv --resume b.csv", "leave --csv a.csv out"),
    (
        "sweep --cluster scheduler:8786",
        "cluster = scheduler:8786 is not possible: take tcp://HOST:PORT",
    ),
    (
        "sweep --cluster local:2 --device cuda:0,cuda:1",
        "with --cluster name what each Dask worker takes",
    ),
    (f"{CURVE} --save /dev/null/one/two.lnsweep", "in a folder that is there"),
    (f"{CURVE} --csv a.lnsweep --save a.lnsweep", "name another file than that of the rows"),
    (f"{CURVE} --save a.json", "name a file that ends in .lnsweep"),
    (f"{CURVE} --title Mine", "title = Mine is not possible"),
    ("sweep --recorded a.lnsweep --n 64", "recorded = a.lnsweep is not possible: show it alone"),
    ("sweep --recorded a.lnsweep --csv a.csv", "is not possible: show it alone"),
    ("sweep --recorded a.lnsweep --timeout 3", "is not possible: show it alone"),
    ("sweep --repeats 2", "unrecognized arguments: --repeats"),
    ("bench --n 5:1:1", "n = "),
    ("bench --m many", "m = "),
    ("bench --strategy none --provider none", "strategy = "),
    ("bench --mode sideways", "mode = "),
    ("bench --mode none", "mode = none is not possible: take forward, backward"),
    ("sweep --mode none", "mode = none is not possible: take"),
    ("tune --kind none", "kind = none is not possible: take rows, split, forward"),
    ("bench --seconds -1", "seconds = "),
    ("bench --picture chart.gif", "picture = "),
    ("tune --n 0", "n = 0 (--n) is not possible: take a whole number from 1 to 1048576"),
    ("tune --dtype fp16,float64", "dtype = float64 (--dtype) is not possible: take float16"),
    ("tune --forget --n 1024", "n = 1024 (--n) is not possible: leave it out: --show and --forget"),
    ("tune --minutes soon", "minutes = soon is not possible: take a number of minutes from 0"),
    ("tune --device interpreter", "device = interpreter is not possible: take cuda:0"),
    ("tune --device cuda:٣", "device = cuda:٣ is not possible: take cuda:0"),
    (f"{COMPILE} --device interpreter:sm_12", "device = sm_12 is not possible: take one of sm_75"),
    (f"{COMPILE} --diff barrier", "diff = barrier is not possible: write SETTING=VALUE"),
    (f"{COMPILE} --diff barrier=maybe", "barrier = maybe"),
    (f"{COMPILE} --diff seed=3", "diff = seed=3 is not possible: write SETTING=VALUE"),
    (f"{COMPILE} --architectures sm_90,gfx942", "architectures = gfx942"),
    (f"{COMPILE} --architectures none", "architectures = none is not possible: take sm_75"),
    (f"{COMPILE} --out {__file__}", "name a folder, not a file"),
    (f"{COMPILE} --counters", "device = sm_90 is not possible: name a GPU for --counters"),
    (
        f"{COMPILE} --counters --out there",
        "out = there is not possible: leave it out with --counters",
    ),
    ("exercises check 14", "exercise = 14 is not possible: take a name"),
    ("exercises show 05 --answer 3", "answer = 3 is not possible: leave it out: show does not"),
    ("exercises list 05", "name = 05 is not possible: leave it out: list does not take it"),
    ("exercises show 05 --hints -1", "-1 is not possible: take a whole number, at least 1"),
    ("exercises check 05 --answer long", "answer = long is not possible: take a number"),
    (
        "exercises check 12 --answer none",
        "answer = none is not possible: take one of locked, atomic",
    ),
    (
        "experiment gpus --device cuda:0,cuda:0",
        "device = cuda:0,cuda:0 is not possible: name each GPU once",
    ),
    (
        "experiment gpus --device cuda:0,interpreter",
        "take GPUs of this machine, as in cuda:0,cuda:1",
    ),
    ("experiment order --device cuda:0,cuda:1", "only gpus runs on several"),
    (
        "experiment gpus --ranks 1",
        "ranks = 1 is not possible: take a whole number from 2 to 64",
    ),
    (
        "experiment order --ranks 2",
        "ranks = 2 is not possible: leave it out: only gpus has them",
    ),
    ("experiment order --repeats 1", "--repeats"),
    ("experiment", "name an experiment: group_size,"),
    ("experiment order --strategy atomic", "--strategy"),
    ("experiment barrier --m 9000 --n 64 --group-size-m 1", "--group-size-m"),
    (
        "experiment order --save /dev/null/one",
        "save = /dev/null/one is not possible: name a file in a folder",
    ),
    ("experiment barrier --recorded h200_gpus", "not barrier"),
    ("experiment --recorded h200_barrier --m 4", "m = 4 (--m) is not possible: leave it out"),
    (
        "experiment --recorded h200_barrier --no-barrier",
        "barrier = off (--barrier) is not possible: leave it out",
    ),
    ("experiment barrier --climb", "climb = on is not possible: leave it out: only neighbours"),
    ("experiment barrier --budget 9", "budget = 9 is not possible: leave it out"),
    ("experiment barrier --title Mine", "title = Mine is not possible: name the file"),
    ("run --autopsy --strategy atomic", "autopsy = on is not possible: choose locked"),
    (f"{SIMULATED} --data nan", "data = nan (--data) is not possible: leave it out"),
    ("experiment barrier --recorded none.lnexperiment", "cannot be read"),
    ("neighbours --budget soon", "budget = soon"),
    ("neighbours --kernel /nowhere.py", "/nowhere.py"),
    (
        "lecture --handout lecture.txt",
        "handout = lecture.txt is not possible: take a name that ends in .pdf",
    ),
    (
        "lecture --handout nowhere/lecture.pdf",
        "name a file in a folder that is there; nowhere is not",
    ),
    ("lecture --html lecture.txt", "take a name that ends in .html"),
    ("lecture --html a.html --handout a.html", "handout"),
    ("lecture --html a.html --for student", "for = student is not possible: leave it out"),
    ("history show 1 --last 3", "last = 3 is not possible: leave it out: show does not take it"),
    ("sweep --recorded=", "argument --recorded: nothing is not possible: name a file"),
    (f"{TOUCH} --row 5000", "row = 5000"),
    (f"{TOUCH} --column -1", "column = -1"),
    ("touch --m 5000 --n 300 --strategy atomic", "strategy"),
    ("trace --source recorded", "recording = nothing is not possible: name a FILE"),
    (f"trace --source recorded {H200} --m 5", "m = 5 (--m) is not possible: leave it out"),
    (f"{SIMULATED} {H200} --n 512", "n = 512 (--n) is not possible: take 1024"),
    (f"{SIMULATED} --resident-programs 0", "resident_programs = 0 is not possible"),
    (f"{SIMULATED} --m 2000000 --n 8", "at most 1048576 rows"),
    (f"{SIMULATED} --strategy atomic", "choose locked"),
    (
        "export runs.txt",
        "FILE = runs.txt is not possible: take a name that ends in .figures.csv, .html, .csv",
    ),
    ("export runs.csv --from x.lnrec --last 2", "leave them out with --from"),
    ("export runs.csv --from x.lnrec", "x.lnrec cannot be read"),
    ("export nowhere/runs.csv", "name a file in a folder that is there; nowhere is not"),
    (
        "export runs.csv --filter n>=banana",
        "lnexplorer export: filter = n>=banana is not possible: ",
    ),
    ("export runs.csv --last=0", "at least 1"),
    ("export runs.csv --sweeps 1", "it is for a report"),
]


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("line", "said"), LINES)
def test_what_is_not_possible_is_refused_by_name_and_nothing_is_begun(
    line: str, said: str, cwd: Path, refused: Refused
) -> None:
    assert said in refused(line)
    assert list(cwd.iterdir()) == []


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    "line",
    [
        f"{CURVE} --csv",
        f"{SIMULATED} --chrome",
        "experiment order --save",
        "record",
        "export",
        "bench --json",
    ],
)
def test_a_pipe_whose_reader_may_never_come_is_not_waited_for(
    line: str, cwd: Path, refused: Refused
) -> None:
    os.mkfifo(cwd / "rows.csv")
    assert "rows.csv is not possible: name a file, not a pipe" in refused(f"{line} rows.csv")
