"""Machines that are reached over SSH, as a device names them:
ssh://user@host:port/cuda:1?python=~/venv/bin/python.
"""

import re

from lnkernels.values import ExplainedError, frozen_by_name, say

SCHEME = "ssh://"
FORM = say(
    "ssh://host, or ssh://user@host:port/cuda:1, with ?python=/path/to/python behind it where it is"
    " not found"
)
NO_TRITON = say(
    "Kernels run on Linux alone, for which Triton is made. Open a recording here, or choose another"
    " machine as the device: ssh://host."
)
# Nothing that OpenSSH, a shell or a terminal could take for more than a name.
_FORM = re.compile(
    r"ssh://(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._+-]{0,63})@)?"
    r"(?P<host>[A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/(?P<device>auto|cuda:[0-9]{1,3}|interpreter(?::sm_[0-9]{2,3}[a-z]?)?)?)?"
    r"(?:\?python=(?P<python>(?:~/|/)[A-Za-z0-9._/+@-]{1,400}))?"
)
MOST_PORT = 65535


class AddressError(ExplainedError, ValueError):
    """A text that is no address of a machine."""


@frozen_by_name
class Machine:
    host: str  # a name of the user's SSH configuration, of DNS, or an address; IPv6 in brackets
    user: str = ""  # empty: OpenSSH's choice
    port: int | None = None
    device: str = "auto"  # there: "auto", "cuda:1", "interpreter"
    python: str = ""  # there, absolute or from "~/"; empty: the first that has lnexplorer

    @property
    def name(self) -> str:
        """The host as people call it, without user and port."""
        return self.host.strip("[]")

    @property
    def login(self) -> str:
        """The arguments of `ssh` that reach it, as a person types them."""
        port = "" if self.port is None else f"-p {self.port} "
        return f"{port}{self.user}@{self.name}" if self.user else f"{port}{self.name}"

    def named(self, device: str) -> str:
        """Name a device of it, such as "ssh://rack7/cuda:0"."""
        return f"{SCHEME}{self.host}/{device}"


def is_remote(device: str) -> bool:
    return device.startswith(SCHEME)


def read_machine(text: str) -> Machine:
    """Parse the machine in a device name.

    Raises:
        AddressError: it is none.
    """
    found = _FORM.fullmatch(text)
    port = int(found["port"]) if found is not None and found["port"] else None
    if found is None or (port is not None and not 0 < port <= MOST_PORT):
        raise AddressError("take {form}", form=FORM)
    return Machine(
        host=found["host"],
        user=found["user"] or "",
        port=port,
        device=found["device"] or "auto",
        python=found["python"] or "",
    )
