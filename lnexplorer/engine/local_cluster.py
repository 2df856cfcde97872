"""A scheduler and Dask workers in this process: `--cluster local:N`.

They reach each other within the process, and listen nowhere: whoever reaches a scheduler can have
it run code. What measures is a process of its own for each of them, as anywhere.
"""

import contextlib

from lnexplorer.doctor.facts import find_driver
from lnkernels.values import ExplainedError, say

# Pages of Dask's own on a port; without any, that port answers nothing.
NO_PAGES: dict[str, object] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


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
        self.devices: dict[str, str] = {}  # by the address of a Dask worker
        self._wanted = [f"cuda:{number}" if gpus else device for number in range(count)]
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> "LocalWorkers":
        import dask
        import distributed  # an extra, which takes a second to load

        here = {"dashboard": False, "dashboard_address": "127.0.0.1:0", "protocol": "inproc"}
        with dask.config.set(NO_PAGES):
            scheduler = await self._stack.enter_async_context(distributed.Scheduler(**here))
            self.address = scheduler.address
            for device in self._wanted:
                worker = distributed.Worker(
                    self.address, nthreads=1, resources={"GPU": 1}, memory_limit=0, **here
                )
                await self._stack.enter_async_context(worker)
                self.devices[worker.address] = device
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
