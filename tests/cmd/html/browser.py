# SPDX-License-Identifier: MIT
"""Headless Chromium, driven through a pair of pipes (DevTools protocol, one JSON text per message).

browser.py COMMAND...: runs a command and waits for all of its descendants."""
import ctypes
import json
import os
import select
import subprocess
import sys
import tempfile

KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "?": ("Slash", 191, "?"),
        "/": ("Slash", 191, "/")}


ANSWER_MAX = 300  # seconds until the browser counts as stuck
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_descendants():
    """What a browser starts becomes this process's child when the browser ends."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for_descendants():
    """They write into the browser's profile until they end, which is after the browser's own end."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


class Browser:
    def __init__(self, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory()
        adopt_descendants()
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()
        # Chromium reads messages from descriptor 3 and writes to 4.
        script = f"exec 3<&{to_browser} 4>&{from_browser}; exec chromium --headless=new --no-sandbox --disable-gpu " \
                 f"--remote-debugging-pipe --user-data-dir='{self.profile.name}' about:blank"
        self.process = subprocess.Popen(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b""
        self.number = 0
        self.session = None
        self.console = []
        self.asked = ""
        pages = [t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.send("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        wait_for_descendants()
        self.profile.cleanup()

    def message(self):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read], [], [], ANSWER_MAX)
            more = os.read(self.read, 1 << 16) if ready else b""
            if not more:
                raise SystemExit("the browser ended" if ready else f"{self.asked}: no answer of the browser")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **params):
        self.number += 1
        self.asked = f"{method} {params.get('expression', '')}"
        text = {"id": self.number, "method": method, "params": params}
        if self.session:
            text["sessionId"] = self.session
        os.write(self.write, json.dumps(text).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                self.console.append(answer["params"])

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, text):
        result = self.send("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{text}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, condition):
        """Until the expression is true."""
        self.evaluate(f"new Promise((done) => {{ const look = () => ({condition}) ? done() : "
                      "requestAnimationFrame(look); look(); })")

    def open(self, url, shown):
        self.send("Page.navigate", url=url)
        self.wait_for(f"document.readyState === 'complete' && location.href === {json.dumps(url)} && ({shown})")

    def press(self, key):
        code, number, text = KEYS.get(key, (f"Key{key.upper()}", ord(key[0].upper()), key))
        common = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)


if __name__ == "__main__":
    adopt_descendants()
    status = subprocess.run(sys.argv[1:], check=False).returncode
    wait_for_descendants()
    sys.exit(status)
