"""`lnexplorer tune`: the best launch settings for this machine's GPU, measured once and used from
then on.
"""

import argparse
import signal
import subprocess
import sys

from lnexplorer.cli import commands, interrupts
from lnexplorer.cli.commands import failed
from lnexplorer.cli.doctor import look_at
from lnexplorer.cli.jobs import missing_devices
from lnexplorer.cli.options import CommandParser
from lnexplorer.cli.terminal import show
from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.engine.pipes import child_environment
from lnkernels.launch.candidates import add_tune_options

DESCRIPTION = (
    "Measure launch settings of the strategies without locks on this machine's GPU, or another"
    " one's, --device ssh://host. The best are kept in the cache folder there and used from then"
    " on, by the window, the command line and lnkernels.layer_norm. Ctrl-C keeps what was found."
)
EPILOG = (
    "Exit status: 0 done; 2 the options are not possible, or the GPU that they name is not there; 3"
    " there is no GPU, the machine cannot be reached, or nothing could be measured or kept; 130"
    " interrupted, 143 by SIGTERM, 129 by a hang-up. What was measured holds for the same GPU and"
    " the same versions of torch and triton."
)


def main(arguments: list[str]) -> int:
    where = argparse.ArgumentParser(add_help=False)
    where.add_argument("--device", nargs="?")  # the other parser says what is wrong with it
    given, others = where.parse_known_args(arguments)
    if given.device and is_remote(given.device):
        return _elsewhere(given.device, others)
    options = parser().parse_args(
        arguments, argparse.Namespace(device=None)
    )  # None: none was named
    if options.show:
        return _show()
    if options.forget:
        return _forget()
    return _measure(options.device, arguments)


def parser() -> CommandParser:
    made = CommandParser("tune", DESCRIPTION, EPILOG, json=False)
    add_tune_options(made)
    instead = made.add_mutually_exclusive_group()
    instead.add_argument(
        "--show", action="store_true", help="print what was tuned, and measure nothing"
    )
    instead.add_argument(
        "--forget", action="store_true", help="remove what was tuned, and measure nothing"
    )
    return made


def _measure(device: str | None, arguments: list[str]) -> int:
    """Measure what is asked for; `device` only where one is named."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "lnkernels.tuning.search",
        *(each for each in arguments if each not in ("-q", "--quiet")),
    ]
    try:
        ended = _wait(command, child_environment())
    except OSError as error:
        raise failed("start", error) from error
    # Before it could heed Ctrl-C; a hang-up comes to it as well as to this command, and every width
    # was kept when it was known.
    if ended == -signal.SIGINT or (ended == -signal.SIGHUP and interrupts.asked_to_end()):
        return commands.INTERRUPTED
    if ended < 0:
        raise failed("run", f"its process was ended by signal {-ended}")
    if ended in (commands.OK, commands.INVALID, commands.INTERRUPTED):
        return ended
    # It has said what it found instead of the GPU.
    return commands.INVALID if device is not None and missing_devices([device]) else commands.FAILED


def _elsewhere(address: str, options: list[str]) -> int:
    """Tune on another machine, where the settings are kept; what is said there is said here."""
    from lnexplorer.engine.ssh import CLIENT_FAILED, client_command

    look_at(address)
    machine = read_machine(address)
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


def _wait(command: list[str], environment: dict[str, str]) -> int:
    """Run a process to its end; its exit status. It hears of Ctrl-C by itself, and of other signals
    from here.

    Raises:
        OSError: it cannot be started.
    """
    process: subprocess.Popen[bytes] | None = None

    def pass_on() -> None:
        if interrupts.asked_to_end() and process is not None:
            process.send_signal(signal.SIGINT)

    with interrupts.told(pass_on):
        process = subprocess.Popen(command, env=environment)
        pass_on()  # what came meanwhile
        return process.wait()


def _show() -> int:
    from dataclasses import asdict

    from lnkernels.launch.tuned import LISTS, TunedFileError, read_tuned, tuned_file

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
    from lnkernels.launch.tuned import forget_tuned, tuned_file

    try:
        there_was = forget_tuned()
    except OSError as error:
        raise failed("writing", f"{tuned_file()} cannot be removed: {error.strerror}") from error
    show(f"{tuned_file()} is removed." if there_was else f"There is no {tuned_file()}.")
    return commands.OK
