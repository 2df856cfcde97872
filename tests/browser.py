"""A browser without a window, for tests of pages: Chromium, spoken to through pipes.

It needs no package beside the browser, and no port.
"""

import json
import os
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60


def program() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page at a time. Close it in the end."""

    def __init__(self, folder: Path) -> None:
        """Start; `folder` takes what the browser keeps."""
        to_browser, self._commands = os.pipe()
        answers, from_browser = os.pipe()

        self._answers = os.fdopen(answers, "rb")
        self._process = subprocess.Popen(
            [
                # The browser reads from 3 and writes to 4.
                *("bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash"),
                *(str(program()), "--headless", "--no-sandbox", "--disable-gpu"),
                *(
                    "--disable-dev-shm-usage",
                    "--remote-debugging-pipe",
                    "--no-first-run",
                    "--mute-audio",
                ),
                *("--force-device-scale-factor=1", f"--user-data-dir={folder}", "about:blank"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(to_browser, from_browser),
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._rest = b""
        self._session: str | None = None
        self.requests: list[str] = []  # addresses that the pages asked for
        self.errors: list[str] = []  # exceptions, and what the browser's console says
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._commands)
        self._answers.close()

    def call(self, method: str, **values: Any) -> Any:
        """Send a command of the DevTools protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": values}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self._note(answer)

    def _read(self) -> Any:
        while b"\0" not in self._rest:
            part = os.read(self._answers.fileno(), 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, event: Any) -> None:
        told = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(told["exceptionDetails"])[:2000])
            case "Log.entryAdded":
                self.errors.append(told["entry"]["text"])

    def size(self, width: int, height: int, scale: float = 1) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )

    def media(self, scheme: str) -> None:
        """Prefer "dark" or "light"."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def open(self, path: Path, address: str = "", *, scripts: bool = True) -> None:
        """Show a file, and wait until it is there and drawn."""
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=path.resolve().as_uri() + address)
        while not self.run("document.readyState === 'complete' && location.protocol === 'file:'"):
            pass
        if scripts:
            self.settle()

    def settle(self) -> None:
        """Wait for two frames."""
        wait = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.run(f"{wait}.then(() => 0)")

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, path: Path) -> None:
        """Save what is in view as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(b64decode(data))
