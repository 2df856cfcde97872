"""Opens the device, says so, and does job after job."""

from lnexplorer.protocol.messages import Prepare, Ready, Unusable
from lnexplorer.worker.cancellation import Cancellation
from lnexplorer.worker.device import UnusableDeviceError, open_device
from lnexplorer.worker.first_calls import FirstCalls
from lnexplorer.worker.head_start import HeadStart
from lnexplorer.worker.link import Link

LEISURE_SECONDS = 0.005  # between two looks at what is to be compiled ahead, while no job waits


def serve(link: Link, cancellation: Cancellation, wish: str, head_start: HeadStart) -> int:
    """Work until the device is lost; the exit status. The end of the link ends the process elsewhere."""
    first_calls = FirstCalls()
    try:
        torch_device, device = open_device(wish, first_calls.begin)
        from lnexplorer.worker.dispatch import Dispatch  # noqa: PLC0415 - imports torch and triton, which the above prepares
    except UnusableDeviceError as error:
        head_start.close()
        first_calls.wait()
        link.send(Unusable(reason=str(error)))
        return 0
    if device.backend != "cuda":
        head_start.close()
    dispatch = Dispatch(link, cancellation, torch_device, device, head_start.take())
    first_calls.wait()  # before a job can be cancelled: the process is ended when it does not leave one soon
    link.send(Ready(device=dispatch.device))
    while True:
        command = link.next_job(LEISURE_SECONDS if dispatch.has_leisure_work else None)
        match command:
            case None:
                dispatch.at_leisure()
            case Prepare():
                dispatch.prepare(command)
            case _:
                if not dispatch.do(command):
                    return 0
