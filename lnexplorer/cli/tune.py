"""`lnexplorer tune`: the best launch settings for this machine's GPU, measured once and used from
then on.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from lnexplorer.cli import commands
from lnexplorer.cli.commands import failed, impossible
from lnexplorer.cli.doctor import look_at
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_flag,
    add_option,
    device_name,
)
from lnexplorer.cli.sweep_session import Rows, SweepSession
from lnexplorer.cli.sweep_text import show_trouble
from lnexplorer.cli.terminal import Progress, say, show
from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.domain.ranges import read_whole_numbers
from lnexplorer.engine.pipes import child_environment
from lnexplorer.engine.ssh import CLIENT_FAILED, client_command
from lnexplorer.engine.sweep_events import SweepEvent
from lnexplorer.engine.tuning import TuneRequest, Tuning, TuningTask
from lnkernels.launch.candidates import WIDTHS
from lnkernels.launch.limits import DTYPES
from lnkernels.launch.measured import MANY_ROWS
from lnkernels.launch.tuned import (
    KINDS,
    LISTS,
    Kept,
    TunedFileError,
    forget_tuned,
    read_tuned,
    tuned_file,
    write_tuned,
)
from lnkernels.values import ExplainedError, verbatim
from lnkernels.values.environment import Device

DESCRIPTION = """\
Time launch settings of the strategies without locks, on a GPU of this machine or of another
(--device ssh://host). The fastest are kept in that machine's cache folder. From then on the window,
the command line and lnkernels.layer_norm use them. Ctrl-C keeps what was found.
"""
EPILOG = """\
Exit status: 0 done; 2 the options are not possible, or the GPU that they name is not there; 3 there
is no GPU, the machine cannot be reached, or nothing could be measured or kept; 130 interrupted, 143
by SIGTERM, 129 by a hang-up. What was measured holds for the same GPU and the same versions of
torch and triton.
"""
MINUTES = 30.0
MOST_MINUTES = 1e6
WIDEST, MOST_ROWS = 1 << 20, 1 << 24


def main(options: Options) -> int:
    if options.device is not None and is_remote(options.device):
        return _tune_elsewhere(options.device, options.arguments)
    if options.show or options.forget:
        allowed = "leave it out: --show and --forget take all that was tuned"
        options.refuse_given(("n", "m", "dtype", "kind", "minutes"), allowed)
    request = read_tune_request(options)
    if options.show:
        return _show()
    if options.forget:
        return _forget()
    session = SweepSession("tune")
    rows = TuningRows(session)
    named = (options.device,) if options.device is not None else ()
    status = session.run(
        lambda: Tuning(request, rows.keep_entry, rows.tell),
        named or ("cuda:0",),
        rows,
        named=named,
    )
    if status != commands.OK:
        return status
    if rows.file is None:
        raise failed("run", "no candidate could be measured")
    say("tune", f"kept in {rows.file}, and used from now on")
    return commands.OK


def parser() -> CommandParser:
    made = CommandParser("tune", DESCRIPTION, EPILOG, json=False)

    def add(option: str, default: str, metavar: str, text: str) -> None:
        text = f"{text}. Default: {default.replace(',', ', ')}."  # else it breaks inside a number
        add_option(made, option, text, metavar, default=default)

    add("--n", ",".join(map(str, WIDTHS)), "VALUES", "widths of x, by comma")
    add(
        "--m",
        "4096",
        "VALUES",
        "numbers of rows, by comma, at which each candidate is timed. The candidate with the least"
        " product of its times wins; in the forward pass one wins for fewer than"
        f" {MANY_ROWS} rows, and one for as many or more",
    )
    add(
        "--dtype",
        "float16",
        ",".join(DTYPES),
        "element types, by comma; float16 and bfloat16 share what is found for either",
    )
    add(
        "--kind",
        ",".join(KINDS),
        ",".join(KINDS),
        "rows: backward of strategy persistent; split: that of strategy split; forward: the forward"
        " pass of both",
    )
    add(
        "--minutes",
        f"{MINUTES:g}",
        "MINUTES",
        "try no further candidate after this time; each width gets an equal share of it",
    )
    text = "the GPU, or another machine. Default: cuda:0."
    add_option(made, "--device", text, "cuda:N", type=device_name)
    instead = made.add_mutually_exclusive_group()
    add_flag(instead, "--show", "print what was tuned, and measure nothing")
    add_flag(instead, "--forget", "remove what was tuned, and measure nothing")
    return made


def read_tune_request(options: Options) -> TuneRequest:
    """Return what the options ask for; a CommandEnd where it is not possible."""
    if options.device is not None and not re.fullmatch("cuda:[0-9]{1,2}", options.device):
        allowed = "take cuda:0, cuda:1 and so on, or ssh://HOST for another"
        options.refuse("device", options.device, allowed)
    request = TuneRequest(
        widths=_read_numbers(options, "n", WIDEST),
        rows=_read_numbers(options, "m", MOST_ROWS),
        dtypes=options.read_choices("dtype", (), DTYPES),
        kinds=options.read_choices("kind", (), tuple(KINDS)),
        minutes=options.read_time("minutes", MOST_MINUTES, "minutes"),
    )
    options.end_if_refused()
    return request


def _read_numbers(options: Options, field: str, most: int) -> tuple[int, ...]:
    numbers = options.read_range(field, read_whole_numbers)
    options.problems += [
        impossible(field, number, f"take a whole number from 1 to {most}")
        for number in numbers
        if not 1 <= number <= most
    ]
    return numbers


class TuningRows(Rows):
    """The entries that are found, which are printed and kept one by one."""

    def __init__(self, session: SweepSession) -> None:
        self.file: Path | None = None  # once something is kept
        self._session = session

    def show(self, event: SweepEvent, lines: Progress) -> None:
        show_trouble(event, lines)

    def tell(self, line: str) -> None:
        show(line, sys.stderr)

    def keep_entry(self, device: Device, task: TuningTask, entry: Kept, times: list[float]) -> None:
        """Write an entry, on the sweep's thread.

        Raises:
            ExplainedError: it cannot be written.
        """
        assert device.limits is not None, "it is a GPU"
        first = self.file is None
        try:
            self.file = write_tuned(device.limits, device.environment.date, [entry])
        except (OSError, TunedFileError) as error:
            raise ExplainedError(verbatim(str(error))) from error
        if first:
            show(f"# {', '.join(device.environment.stamp)}")
        show(f"{entry},  # {task.dtype}, {' '.join(f'{ms * 1e3:.1f}' for ms in times)} µs")

    def say_how_to_resume(self) -> None:
        kept = f"what was found is kept in {self.file}"
        self._session.say("nothing was found yet" if self.file is None else kept)


def _tune_elsewhere(address: str, arguments: list[str]) -> int:
    """Tune on another machine, where the settings are kept, and show its output here."""
    look_at(address)
    machine = read_machine(address)
    given = argparse.ArgumentParser(add_help=False)
    given.add_argument("--device")
    options = given.parse_known_args(arguments)[1]
    device = () if machine.device == "auto" else ("--device", machine.device)
    command = client_command(machine, "lnexplorer", "tune", *device, *options, terminal=True)
    nothing, pipe, same = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(
        command, env=child_environment(), stdin=nothing, stdout=pipe, stderr=same, errors="replace"
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                show(line.rstrip())
            status = process.wait()  # the client closes its output before it has the status
        finally:
            process.terminate()
    if status == CLIENT_FAILED or status < 0:
        raise failed("run", f"the line to {machine.name} dropped")
    return status


def _show() -> int:
    try:
        found = read_tuned()
    except TunedFileError as error:
        raise failed("reading", f"{error}; lnexplorer tune --forget removes it") from error
    if not found:
        show(f"Nothing was tuned yet: there is no {tuned_file()}.")
        return commands.OK
    names = {made: kind for kind, made in LISTS.items()}
    show(str(tuned_file()))
    for one in found:
        device = one.device
        versions = f"torch {device.torch}, triton {device.triton}, {one.date}"
        show(
            f"\n{device.name}, compute capability {device.compute_capability}, {device.sm_count}"
            f" SMs, {versions}"
        )
        for entry in sorted(
            one.entries, key=lambda entry: (names[type(entry)], entry.element_bytes, entry.up_to_n)
        ):
            values = {
                name: value
                for name, value in asdict(entry).items()
                if name not in ("up_to_n", "element_bytes")
            }
            settings = ", ".join(f"{name} {value}" for name, value in values.items())
            show(
                f"  {names[type(entry)]:10} N {entry.up_to_n:<8} {entry.element_bytes} bytes:"
                f" {settings}"
            )
    return commands.OK


def _forget() -> int:
    try:
        there_was = forget_tuned()
    except OSError as error:
        raise failed("writing", f"{tuned_file()} cannot be removed: {error.strerror}") from error
    show(f"{tuned_file()} is removed." if there_was else f"There is no {tuned_file()}.")
    return commands.OK
