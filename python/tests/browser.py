"""Chromium without a window, which tests control by its debugging protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
           "--remote-debugging-pipe")  # fmt: skip


class Browser:
    """A context; skips the test if no browser is installed."""

    def __enter__(self) -> Browser:
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if program is None:
            pytest.skip("Chromium is not installed")
        (commands, self._commands), (self._answers, answers) = os.pipe(), os.pipe()
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # the browser reads commands from its file 3 and writes answers to its file 4
        shell = f'exec 3<&{commands} 4>&{answers} && exec "$0" "$@"'
        arguments = ["bash", "-c", shell, program, *OPTIONS, f"--user-data-dir={self._profile.name}"]
        self._process = subprocess.Popen(arguments, pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._received = b""
        self._count = 0
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def evaluate(self, page: Path, expression: str) -> Any:
        """Opens a file in a new page. Returns the value of an expression of JavaScript, or of its promise."""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable", session)
        self._call("Page.navigate", session, url=page.resolve().as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass
        done = self._call("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"]["value"]

    def _call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> Any:
        while b"\0" not in self._received:
            part = os.read(self._answers, 1 << 16)
            assert part, "Chromium has ended"
            self._received += part
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)
