"""A scheduler in this process and Dask workers beside it: `--cluster local:N`."""

import asyncio
import contextlib
import subprocess
import sys
from typing import Any

from lnexplorer.doctor.facts import find_driver
from lnexplorer.engine.pipes import child_environment
from lnkernels.values.sentence import ExplainedError, say

LEAVE_SECONDS = 3.0  # for Dask workers, before they are killed
AGAIN_SECONDS = 1.0  # between two starts of one
# No nanny: it gives a worker up that takes long to start on a busy machine, and what it does is one
# line here.
COMMAND = (
    *(sys.executable, "-P", "-m", "distributed.cli.dask_worker", "--no-nanny", "--no-dashboard"),
    *("--nthreads", "1", "--resources", "GPU=1", "--death-timeout", "20"),
)


class ClusterError(ExplainedError):
    """A cluster that cannot be used, or not any more."""


class LocalWorkers:
    """Dask workers of this machine, each with a GPU of its own if there are any, while inside.

    Raises:
        ClusterError: there are not so many GPUs.
    """

    def __init__(self, count: int, device: str) -> None:
        gpus = find_driver().visible if not device.startswith("interpreter") else ()
        if gpus and count > len(gpus):
            reason = say(
                "There are {gpus} GPUs here, so local:{count} is too many.",
                gpus=str(len(gpus)),
                count=str(count),
            )
            raise ClusterError(reason)
        self.address = ""
        self._environments = [
            child_environment() | ({"CUDA_VISIBLE_DEVICES": gpus[number]} if gpus else {})
            for number in range(count)
        ]
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._began = [-AGAIN_SECONDS] * count
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> "LocalWorkers":
        import distributed  # an extra, which takes a second to load

        options: dict[str, Any] = {
            "port": 0,
            "dashboard": False,
            "dashboard_address": "127.0.0.1:0",
        }
        scheduler = await self._stack.enter_async_context(
            distributed.Scheduler(host="127.0.0.1", **options)
        )
        self.address = scheduler.address
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._end()
        finally:
            await self._stack.aclose()

    def revive(self) -> None:
        """Start the workers that do not run, also again."""
        now = asyncio.get_running_loop().time()
        for number, environment in enumerate(self._environments):
            process = self._processes.get(number)
            if (process is None or process.poll() is not None) and now - self._began[
                number
            ] > AGAIN_SECONDS:
                self._began[number] = now
                self._processes[number] = subprocess.Popen(
                    (*COMMAND, self.address),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    start_new_session=True,  # Ctrl-C in a terminal is this side's affair
                )

    async def _end(self) -> None:
        for process in self._processes.values():
            process.terminate()
        time = asyncio.get_running_loop().time
        until = time() + LEAVE_SECONDS
        while any(each.poll() is None for each in self._processes.values()) and time() < until:
            await asyncio.sleep(0.05)
        for process in self._processes.values():
            process.kill()
            process.wait()
