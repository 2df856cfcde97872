"""Serve the jobs of one engine on one device."""

import os

from lnexplorer.protocol.messages import WorkerReady, WorkerUnusable
from lnexplorer.worker import requirements
from lnexplorer.worker.connection import Cancellation, Connection
from lnkernels.compiled.process_pool import CompilerPool
from lnkernels.failures import tell_exits
from lnkernels.values import say
from lnkernels.values.environment import HOST_VARIABLE


def serve(commands: int, events: int, wish: str, ahead: CompilerPool | None) -> int:
    """Open a device, and do jobs on it until it is lost. Return the exit status.

    The connection is opened first: importing torch takes seconds, in which the engine hears that
    the worker is alive.

    Args:
        commands: file descriptor to read commands from.
        events: file descriptor to write events to.
        wish: the device, as `open_device` takes it.
        ahead: compilers that are up already.
    """
    tell_exits()
    cancellation = Cancellation()
    connection = Connection(commands, events, cancellation.cancel)
    connection.open()
    try:
        requirements.import_or_refuse("torch")
        from lnexplorer.worker.device import open_device  # imports torch

        torch_device, device = open_device(wish)
    except requirements.UnusableDeviceError as error:
        place, reason = os.environ.get(HOST_VARIABLE), error.sentence
        if place:
            reason = say("{place}: {reason}", place=place, reason=reason)
        connection.send(WorkerUnusable(reason))
        return 0
    # They import triton, whose backend is chosen by now.
    from lnexplorer.worker.jobs import JobRunner

    if device.backend != "cuda" and ahead is not None:
        ahead.close()
    jobs = JobRunner(connection, cancellation, torch_device, device, ahead)
    connection.send(WorkerReady(jobs.device))
    jobs.serve()
    return 0
