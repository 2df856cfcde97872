"""A stand-in for OpenSSH's client: runs the remote command here, in a session of its own, and
spoils the line when asked.

STAND_IN_SSH says how it behaves: a word, and what belongs to it after a colon; "delay:0.1:1e6" is a
    line of 0.1 s in each
direction that takes 1 MB/s. SIGUSR1 cuts the line, SIGUSR2 keeps it open
and lets nothing through any more.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

CLOSED = "client_loop: send disconnect: Broken pipe\n"


def main() -> int:
    how, _, detail = os.environ.get("STAND_IN_SSH", "").partition(":")
    log = os.environ.get("STAND_IN_SSH_LOG")
    if log is not None:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(" ".join(sys.argv[1:-1]) + "\n")
    if how == "refuse":
        sys.stderr.write(detail.replace("|", "\r\n") + "\r\n")
        return 255
    if how == "hang":
        time.sleep(3600)
    if how == "greet":
        os.write(1, detail.encode() * 1000)
    if how == "flood":
        os.write(1, b"Welcome! " * 20000)
        time.sleep(3600)
    delay, _, rate = detail.partition(":") if how == "delay" else ("0", "", "")
    line = (float(delay), float(rate or "inf"))
    command = ["sh", "-c", sys.argv[-1]]
    remote = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    muted = threading.Event()

    def cut(number: int, frame: Any) -> None:
        del number, frame
        os.write(2, CLOSED.encode())
        os._exit(255)

    signal.signal(signal.SIGUSR1, cut)
    signal.signal(signal.SIGUSR2, lambda *_: muted.set())
    assert remote.stdin is not None
    assert remote.stdout is not None
    close = remote.stdin.close
    threading.Thread(
        target=relay, args=(0, remote.stdin.fileno(), line, muted, close), daemon=True
    ).start()
    back = threading.Thread(
        target=relay, args=(remote.stdout.fileno(), 1, line, muted, lambda: None)
    )
    back.start()
    back.join()
    if how == "half-close":
        os.close(1)
        time.sleep(float(detail or 0))
    status = remote.wait()
    return status if status >= 0 else 255


def relay(
    source: int,
    target: int,
    line: tuple[float, float],
    muted: threading.Event,
    close: Callable[[], object],
) -> None:
    """Bytes from one to the other, each as much later as the line is long, and no more a second
    than it takes.
    """
    delay, rate = line
    under_way: deque[tuple[float, bytes]] = deque()
    came = threading.Condition()

    def read() -> None:
        part, sent = b"-", 0.0
        while part:
            part = os.read(source, 1 << 16)
            sent = max(sent, time.monotonic()) + len(part) / rate
            with came:
                under_way.append((sent + delay, part))
                came.notify()

    threading.Thread(target=read, daemon=True).start()
    while True:
        with came:
            came.wait_for(lambda: under_way)
            due, part = under_way.popleft()
        time.sleep(max(due - time.monotonic(), 0.0))
        if muted.is_set():
            time.sleep(3600)
        if not part:
            close()
            return
        try:
            while part:
                part = part[os.write(target, part) :]
        except OSError:
            return


if __name__ == "__main__":
    sys.exit(main())
