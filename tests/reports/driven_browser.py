"""A browser that does what a reader does: keys, paper, a switched-off script. Talks to chromium
over a pipe, so that nothing has to be installed."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
WITHOUT_A_WINDOW = ["--headless", "--no-sandbox", "--disable-gpu"]


def dumped(file, profile, *options: str, patience: float = 120) -> str:
    """The document of a page after its scripts have run."""
    words = [BROWSER, *WITHOUT_A_WINDOW, "--dump-dom", *options, f"--user-data-dir={profile}"]
    return subprocess.run(
        [*words, file.as_uri()], capture_output=True, text=True, timeout=patience
    ).stdout


class Page:
    """One page in a browser of its own. `with Page(profile) as page: page.open(file)`."""

    def __init__(self, profile) -> None:
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        options = [
            *WITHOUT_A_WINDOW,
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        # It reads commands from descriptor 3 and writes answers to descriptor 4.
        shell = 'exec "$0" "$@" 3<&%d 4>&%d' % (to_read, to_write)
        self._process = subprocess.Popen(
            ["bash", "-c", shell, BROWSER, *options],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._numbers, self._left, self._session = itertools.count(1), b"", ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        self.ask("Page.enable")

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *failure) -> None:
        os.close(self._write)
        self._process.terminate()
        self._process.wait(30)
        os.close(self._read)

    def ask(self, method: str, **parameters):
        """The result of a command; what else the browser tells is left out."""
        number = next(self._numbers)
        message = {
            "id": number,
            "method": method,
            "params": parameters,
            **({"sessionId": self._session} if self._session else {}),
        }
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, file, width: int = 1000) -> None:
        """Load a file in a window of this width."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.ask("Page.navigate", url=file.as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression: str):
        """What an expression of the page is."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)[
            "result"
        ].get("value")

    def press(self, key: str) -> None:
        """Tab or Enter."""
        code, text = {"Tab": (9, ""), "Enter": (13, "\r")}[key]
        self.ask(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key=key,
            code=key,
            windowsVirtualKeyCode=code,
            **({"text": text} if text else {}),
        )
        self.ask(
            "Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code
        )

    def _message(self):
        while b"\0" not in self._left:
            more = os.read(self._read, 1 << 16)
            assert more, "the browser is gone"
            self._left += more
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)
