"""A real SSH server on the loopback, with keys of its own."""

import os
import pwd
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoServerError(Exception):
    """No server can be had here, and why."""


@contextmanager
def loopback_server(folder: Path) -> Iterator[int]:
    """Its port, while it runs. `folder` gets an `ssh` that has the key, to be put first on the
    path.

    Raises:
        NoServerError: it is not installed, or does not start.
    """
    server, keygen = (
        shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin"),
        shutil.which("ssh-keygen"),
    )
    client = shutil.which("ssh")
    if server is None or keygen is None or client is None:
        raise NoServerError("openssh-server is not installed")
    account = pwd.getpwuid(os.geteuid())
    if Path(account.pw_shell).name in ("nologin", "false"):
        raise NoServerError(f"{account.pw_name} cannot log in: its shell is {account.pw_shell}")
    for name in ("host", "key"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    shutil.copy(folder / "key.pub", folder / "authorized_keys")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    options = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "authorized_keys",
        "PidFile": "none",
        "UsePAM": "no",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
    }
    (folder / "sshd_config").write_text(
        "".join(f"{name} {value}\n" for name, value in options.items())
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [server, "-D", "-e", "-f", folder / "sshd_config"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        said = ""
        while "listening" not in said:
            said = process.stderr.readline()
            if not said:
                raise NoServerError(f"sshd does not start here: status {process.wait()}")
        public = " ".join((folder / "host.pub").read_text().split()[:2])
        (folder / "known").write_text(f"[127.0.0.1]:{port} {public}\n")
        config = {
            "IdentityFile": folder / "key",
            "UserKnownHostsFile": folder / "known",
            "IdentitiesOnly": "yes",
        }
        (folder / "config").write_text(
            "Host *\n" + "".join(f"  {name} {value}\n" for name, value in config.items())
        )
        write_program(
            folder / "ssh", f'exec {client} -F {shlex.quote(str(folder / "config"))} "$@"'
        )
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=20)


def write_program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
