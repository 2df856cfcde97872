"""Opens the device, says so, and does job after job."""

from lnexplorer.protocol.messages import Ready, Unusable
from lnexplorer.worker.cancellation import Cancellation
from lnexplorer.worker.device import UnusableDeviceError, open_device
from lnexplorer.worker.link import Link


def serve(link: Link, cancellation: Cancellation, wish: str) -> int:
    """Work until the device is lost; the exit status. The end of the link ends the process elsewhere."""
    try:
        torch_device, device = open_device(wish)
        from lnexplorer.worker.dispatch import Dispatch  # noqa: PLC0415 - imports torch and triton, which the above prepares
    except UnusableDeviceError as error:
        link.send(Unusable(reason=str(error)))
        return 0
    dispatch = Dispatch(link, cancellation, torch_device, device)
    link.send(Ready(device=device))
    while dispatch.do(link.next_job()):
        pass
    return 0
