"""A worker on another machine: a stand-in for OpenSSH runs it here, and spoils the line."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.machines import AddressError, Machine, read_machine
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine import ssh
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.sources import MOST_TOGETHER
from lnexplorer.engine.ssh import look_at
from lnexplorer.engine.supervisor import Supervisor, run_in_turn
from lnexplorer.protocol.messages import Finished, JobProgress, WorkerLost
from lnexplorer.store.recordings import Recording, read_recording, write_recording
from tests.cli.conftest import Command
from tests.cli.sweep.conftest import table, wait_for_rows
from tests.engine.bench import SMALL
from tests.engine.listener import Listener, processes_with, wait_until
from tests.engine.loopback import NoServerError, loopback_server, write_program
from tests.engine.sweep.conftest import hold_after

HERE = Path(__file__).parent
Connect = Callable[..., tuple[Supervisor, Listener]]
QUICK = Deadlines(
    contact=20, start=20, compile=5, run=20, heartbeat=2, grace=0.5, superseded_grace=1
)


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mark: str) -> str:
    """The address of a machine with a worker that computes nothing, behind the stand-in."""
    del mark
    write_program(tmp_path / "ssh", f'exec {sys.executable} -P {HERE / "stand_in_ssh.py"} "$@"')
    light = f'exec {sys.executable} -P {HERE / "remote_light.py"} "$@"'
    worker = '"-P -m lnexplorer.worker"'
    write_program(
        tmp_path / "python",
        f'case "$1 $2 $3" in {worker}) shift 3; {light};; *) exec {sys.executable} "$@";; esac',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(HERE.parent.parent))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    return f"ssh://rack7/interpreter?python={tmp_path}/python"


@pytest.fixture
def connect(there: str) -> Iterator[Connect]:
    """Starts a supervisor of a machine."""
    made: list[Supervisor] = []

    def start(device: str = there, deadlines: Deadlines = QUICK) -> tuple[Supervisor, Listener]:
        listener = Listener()
        made.append(Supervisor(listener, device=device, deadlines=deadlines))
        made[-1].start()
        return made[-1], listener

    yield start
    for each in made:
        each.close()


def _signal_client(supervisor: Supervisor, number: signal.Signals) -> None:
    assert supervisor._worker is not None
    os.kill(supervisor._worker.process._process.pid, number)


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        ("ssh://rack7", Machine(host="rack7")),
        (
            "ssh://ada@rack7.lab:2222/cuda:1",
            Machine(host="rack7.lab", user="ada", port=2222, device="cuda:1"),
        ),
        ("ssh://r/?python=~/env/bin/python", Machine(host="r", python="~/env/bin/python")),
    ],
)
def test_an_address_names_a_machine_and_a_device(text: str, machine: Machine) -> None:
    assert read_machine(text) == machine


@pytest.mark.parametrize(
    "text",
    [
        "ssh://-oProxyCommand=x",
        "ssh://-l@host",
        "ssh://a\nb",
        "ssh://a$(id)",
        "ssh://host:70000",
        "ssh://host/../x",
        "ssh://host?python=/a;b",
    ],
)
def test_what_could_be_an_option_or_a_command_is_no_address(text: str) -> None:
    with pytest.raises(AddressError, match="take ssh://host"):
        read_machine(text)


def test_a_run_on_another_machine_is_finished_whatever_is_printed_there(
    connect: Connect,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    fault_file: Path,
) -> None:
    monkeypatch.setenv("STAND_IN_SSH_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("STAND_IN_SSH", "greet:Welcome to rack7\n")
    fault_file.write_text("flood:run")
    supervisor, listener = connect()
    listener.finished(supervisor.submit(RunJob(SMALL)))
    assert not fault_file.exists(), "100 MB were printed"
    supervisor.close()
    assert wait_until(lambda: not processes_with(mark))
    asked = (tmp_path / "log").read_text()
    assert "BatchMode=yes" in asked
    assert asked.rstrip().endswith("-- rack7")


def test_what_another_machine_says_is_cleaned_and_a_sentence_that_is_none_of_ours_is_refused(
    connect: Connect, fault_file: Path
) -> None:
    fault_file.write_text("command-the-terminal:run")
    supervisor, listener = connect()
    listener.finished(supervisor.submit(RunJob(SMALL)))
    steps = [
        str(event.step)
        for event in listener.events
        if isinstance(event, JobProgress) and event.step
    ]
    assert steps == [" [2J gpj.exe"]
    fault_file.write_text("format-anything:run")
    broken = listener.broken(supervisor.submit(RunJob(SMALL)))
    assert "a sentence of it has a place that no sentence has" in str(broken.sentence)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "refuse:ssh: Could not resolve hostname rack7: Name or service not known",
            "There is no host rack7",
        ),
        (
            (
                "refuse:@ REMOTE HOST IDENTIFICATION HAS CHANGED! @|Offending ED25519 key in"
                " /ada:3|Host key verification failed."
            ),
            (
                "refuses it: Offending ED25519 key in /ada:3. If that is right: ssh-keygen -R"
                " rack7, then once: ssh rack7"
            ),
        ),
        ("refuse:ada@rack7: Permission denied (publickey).", "ssh-copy-id rack7"),
        (
            "refuse:ssh: connect to host rack7 port 22: \033[31mConnection refused",
            "rack7 cannot be reached: ssh: connect to host",
        ),
        (
            (
                "refuse:Connection timed out during banner exchange|Connection to UNKNOWN port"
                " 65535 timed out"
            ),
            "jump host hangs",
        ),
        ("flood", "rack7 says something else than a worker does"),
    ],
)
def test_a_machine_that_cannot_be_had_is_told_once_with_its_cause(
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    said: str,
) -> None:
    monkeypatch.setenv("STAND_IN_SSH", how)
    supervisor, listener = connect()
    lost = listener.wait_for(WorkerLost)
    assert said in str(lost.sentence)
    assert str(lost.sentence).isprintable()
    assert not lost.restarting
    broken = listener.broken(supervisor.submit(RunJob(SMALL)))
    assert said in str(broken.sentence)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("exit 1", "has no lnexplorer. There: "),
        (
            "case $1 in --version) echo Python 3.9.2;; *) exit 3;; esac",
            r"too old \(.*Python 3.9.2\)",
        ),
    ],
)
def test_a_machine_without_the_package_is_told_with_the_commands_that_bring_it(
    connect: Connect, tmp_path: Path, program: str, said: str
) -> None:
    write_program(tmp_path / "other", program)
    _, listener = connect(f"ssh://rack7?python={tmp_path}/other")
    lost = listener.wait_for(WorkerLost)
    assert re.search(said, str(lost.sentence))
    assert "-m pip install" in str(lost.sentence)


def test_a_worker_of_another_version_is_not_spoken_to(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "fingerprint", lambda: "other")
    _, listener = connect()
    lost = listener.wait_for(WorkerLost)
    assert "rack7 has another lnexplorer than" in str(lost.sentence)
    assert not lost.restarting


def test_a_folder_that_cannot_be_written_is_told(
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file" / "cache"))
    _, listener = connect()
    assert "rack7 has no room for what is compiled" in str(listener.wait_for(WorkerLost).sentence)


def test_a_line_that_is_cut_is_told_and_taken_up_again(
    connect: Connect, fault_file: Path, mark: str
) -> None:
    fault_file.write_text("sleep:run")
    supervisor, listener = connect()
    job = supervisor.submit(RunJob(SMALL))
    listener.wait_for(JobProgress, lambda event: event.phase == "run")
    assert wait_until(lambda: not fault_file.exists())
    _signal_client(supervisor, signal.SIGUSR1)
    broken = listener.broken(job)
    assert broken.line_dropped
    assert (
        str(broken.sentence)
        == "The line to rack7 dropped while running: client_loop: send disconnect: Broken pipe."
    )
    assert listener.wait_for(WorkerLost).restarting
    listener.finished(supervisor.submit(RunJob(SMALL)))
    supervisor.close()
    assert wait_until(lambda: not processes_with(mark))


def test_a_line_that_is_silent_is_told_and_the_worker_there_ends_by_itself(
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    fault_file: Path,
    mark: str,
) -> None:
    monkeypatch.setenv("STAND_IN_SSH_TICKS", "6")
    fault_file.write_text("sleep:run")
    supervisor, listener = connect()
    job = supervisor.submit(RunJob(SMALL))
    listener.wait_for(JobProgress, lambda event: event.phase == "run")
    assert wait_until(lambda: not fault_file.exists())
    assert supervisor._worker is not None
    client = supervisor._worker.process._process.pid
    monkeypatch.setattr(
        supervisor._worker.process, "terminate", lambda: None
    )  # the client stays: nobody there sees its end
    monkeypatch.setattr(supervisor._worker.process, "kill", lambda: None)
    os.kill(client, signal.SIGUSR2)
    assert "did not answer" in str(listener.broken(job).sentence)
    assert wait_until(lambda: all(str(pid) == str(client) for pid in _light_workers(mark)))
    os.killpg(client, signal.SIGKILL)


def _light_workers(mark: str) -> list[int]:
    return [
        pid
        for pid in processes_with(mark)
        if b"light_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def test_a_sweep_whose_machine_is_gone_says_why_and_is_resumed_with_each_row_once(
    there: str,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
    lnexplorer: Command,
    tmp_path: Path,
) -> None:
    log, rows = tmp_path / "asked", tmp_path / "rows.csv"
    monkeypatch.setenv("STAND_IN_SSH_WORKER", str(HERE / "sweep" / "fake_worker.py"))
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(log))
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "home"))
    hold = hold_after(1, tmp_path, monkeypatch)
    device = there.replace("interpreter", "cuda:0")

    def cut() -> None:
        wait_for_rows(rows, 4)
        monkeypatch.setenv(
            "STAND_IN_SSH", "refuse:ssh: connect to host rack7 port 22: No route to host"
        )
        clients = [
            pid
            for pid in processes_with(mark)
            if b"stand_in_ssh" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        os.kill(clients[0], signal.SIGUSR1)
        hold.unlink()

    with ThreadPoolExecutor() as beside:
        cutting = beside.submit(cut)
        sweep = f"sweep --m 4096 --n 1024 --group-size-m 100:139 --device {device} --csv"
        said = lnexplorer(sweep, rows, status=3).err
        cutting.result()
    assert "rack7 cannot be reached: ssh: connect to host rack7 port 22: No route to host." in said
    assert f"lnexplorer sweep --resume {rows} goes on" in said
    monkeypatch.delenv("STAND_IN_SSH")
    assert 4 <= len(table(rows)) < 40
    lnexplorer("sweep --resume", rows, "--device", device)
    assert [(row["cell"], row["status"]) for row in table(rows)] == [
        (str(cell), "ok") for cell in range(40)
    ]
    assert len(log.read_text().splitlines()) <= 40 + MOST_TOGETHER, (
        "only what was under way was begun again"
    )


def test_the_doctor_looks_at_another_machine(there: str, lnexplorer: Command) -> None:
    device = there.replace("interpreter", "cuda:99")
    out = lnexplorer("doctor --device", device, status=1).out
    assert "triton" in out
    assert "There is no cuda:99. " in out
    lnexplorer("doctor --device ssh://-x", status=2)


def test_settings_are_tuned_and_kept_where_the_gpu_is(
    there: str, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command, tmp_path: Path
) -> None:
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "there"))
    monkeypatch.setenv("STAND_IN_SSH", "half-close:0.5")
    monkeypatch.setattr("lnexplorer.cli.tune.look_at", lambda _: None)  # the doctor's test does
    device = there.replace("interpreter", "cuda:1")
    told = lnexplorer("tune --n=0 --device", device, status=2).out
    assert "n = 0 (--n) is not possible" in told


def test_a_look_that_is_interrupted_leaves_nothing_running(
    there: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_SSH", "hang")

    def interrupt() -> bool:
        assert processes_with(mark), "the client hangs"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        look_at(there, given_up=interrupt)
    assert wait_until(lambda: not processes_with(mark), 5.0)


def test_what_another_machine_computed_says_whose_it_is_and_comes_at_the_size_that_is_shown(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "real", f'exec {sys.executable} "$@"')
    monkeypatch.setenv(
        "PYTHONPATH",
        os.pathsep.join([str(HERE.parent.parent / "kernels"), os.environ["PYTHONPATH"]]),
    )
    (outcome,) = run_in_turn([RunJob(RunRequest(m=8, n=3000))], there.replace("/python", "/real"))
    assert isinstance(outcome, Finished)
    assert isinstance(outcome.value, RunResult)
    assert [part.values.shape for part in outcome.value.correctness.maps] == [(8, 188)] * 2, (
        "the largest error of sixteen columns"
    )
    write_recording(
        tmp_path / "run.lnrec", Recording(title="", result=outcome.value, timeline=None)
    )
    kept = read_recording(tmp_path / "run.lnrec").result
    assert kept is not None
    assert kept.provenance.environment.where == "CPU on rack7"


def test_a_command_on_a_machine_that_is_not_there_ends_with_status_3(
    there: str, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    monkeypatch.setenv(
        "STAND_IN_SSH", "refuse:ssh: Could not resolve hostname rack7: Name or service not known"
    )
    for command in ("run --m 4 --n 8", "doctor"):
        told = lnexplorer(f"{command} --device", there, status=3).err
        assert "There is no host rack7" in told


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """A real server on the loopback, with a key of its own: its port, and a folder with an `ssh`
    that has the key.
    """
    folder = tmp_path_factory.mktemp("sshd")
    with contextlib.ExitStack() as stack:
        try:
            port = stack.enter_context(loopback_server(folder))
        except NoServerError as error:
            pytest.skip(str(error))
        yield port, folder


def test_a_real_server_hands_on_a_run_and_leaves_nothing_behind(
    connect: Connect,
    sshd: tuple[int, Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    port, folder = sshd
    log = tmp_path / "pid"
    # The server hands on no environment: what the worker needs stands in its program.
    python = tmp_path / "python-there"
    roots = f"{HERE.parent.parent}:{HERE.parent.parent / 'kernels'}"
    there = (
        f"export PYTHONPATH={roots}; case $1 in -P) echo $$ > {log};; esac; exec"
        f' {tmp_path / "python"} "$@"'
    )
    write_program(python, there)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    supervisor, listener = connect(f"ssh://127.0.0.1:{port}/interpreter?python={python}")
    listener.finished(supervisor.submit(RunJob(SMALL)))
    guard = int(log.read_text())
    supervisor.close()
    assert wait_until(lambda: not Path(f"/proc/{guard}").exists())


def test_the_line_of_shell_passes_any_login_shell_unchanged() -> None:
    assert not set("'!\n`") & set(ssh.SCRIPT)
    for shell in filter(shutil.which, ("sh", "dash", "bash", "zsh", "fish", "tcsh")):
        line = shlex.join(["exec", "sh", "-c", ssh.SCRIPT, "/no/such/python"])
        ended = subprocess.run([shell, "-c", line], capture_output=True, check=False)
        assert ended.returncode == ssh.NO_PYTHON, shell
