"""A browser without a screen, driven through chromedriver by the W3C's WebDriver protocol, and a server for a folder."""

import base64
import functools
import http.server
import json
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path


class Failure(Exception):
    """What a check found; one line."""


class _Files(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def log_message(self, *_):
        pass


class Server:
    """Serves a folder at self.address."""

    def __init__(self, folder: Path):
        handler = functools.partial(_Files, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Browser:
    """One tab of `width` x `height` points, with what a person can do in it."""

    def __init__(self, width: int, height: int, downloads: Path, density: float = 1, touch: bool = False):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self._await_driver(30)
        options = {
            "args": ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--hide-scrollbars", "--mute-audio",
                     f"--window-size={width},{height}"],
            "prefs": {"download.default_directory": str(downloads), "download.prompt_for_download": False},
        }
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{made['sessionId']}"
        self.command("Emulation.setDeviceMetricsOverride",
                     width=width, height=height, deviceScaleFactor=density, mobile=touch)
        if touch:
            self.command("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)

    def _await_driver(self, seconds: float):
        end = time.monotonic() + seconds
        while True:
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                pass
            if time.monotonic() > end:
                raise Failure(f"chromedriver does not answer within {seconds} s")
            time.sleep(0.05)

    def _call(self, method: str, path: str, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            said = json.load(error)["value"]
            raise Failure(f"the browser refuses {path}: {said.get('message', '').splitlines()[0]}") from None

    def command(self, name: str, **parameters):
        """Of the DevTools protocol."""
        return self._call("POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, address: str):
        self._call("POST", f"{self.session}/url", {"url": address})

    def run(self, script: str, *arguments):
        return self._call("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, what: str, script: str, seconds: float = 60):
        """Until the script returns something true, which is returned."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.run(script):
                return found
            time.sleep(0.05)
        raise Failure(f"{what}: not within {seconds} s; the page says: {self.run('return document.body.innerText')}; "
                      f"log: {self.log()[-3:]}")

    def log(self) -> list[str]:
        entries = self._call("POST", f"{self.session}/se/log", {"type": "browser"})
        return [f"{entry['level']}: {entry['message']}" for entry in entries]

    def screenshot(self, file: Path):
        shot = self.command("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(shot["data"]))

    HELD = {1: ("Alt", "AltLeft", 18), 2: ("Control", "ControlLeft", 17), 8: ("Shift", "ShiftLeft", 16)}

    def key(self, key: str, code: str, number: int, *held: int):
        """`held`: modifiers as the protocol counts them, each pressed before and released after."""
        modifiers = sum(held)

        def send(kind, name, physical, of_windows):
            self.command("Input.dispatchKeyEvent", type=kind, key=name, code=physical, windowsVirtualKeyCode=of_windows,
                         modifiers=modifiers)
            time.sleep(0.05)

        for one in held:
            send("rawKeyDown", *self.HELD[one])
        send("rawKeyDown", key, code, number)
        send("keyUp", key, code, number)
        for one in held:
            send("keyUp", *self.HELD[one])

    def mouse(self, kind: str, x: float, y: float, button: str = "none", **more):
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, **more)

    def click(self, x: float, y: float, button: str = "left"):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button, clickCount=1)
            time.sleep(0.06)

    def fingers(self, kind: str, *points):
        self.command("Input.dispatchTouchEvent", type=kind,
                     touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])
        time.sleep(0.03)

    def close(self):
        try:
            self._call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
