"""An app on loopback answers only the process that started it, and no web page."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bundle_child.loopback import TOKEN_HEADER

PROGRAM = Path(__file__).resolve().parents[2] / "templates/serve_project.py"
TOKEN = "5" * 64
APP = """
from fastapi import FastAPI, WebSocket
app = FastAPI()
@app.get("/health")
@app.post("/step")
async def answer(): return "answered"
@app.websocket("/ws")
async def talk(socket: WebSocket):
    await socket.accept()
    await socket.send_text("answered")
"""
ROUTES = [("GET", "/health"), ("POST", "/step"), ("GET", "/no/such/route"), ("WS", "/ws"), ("WS", "/no/such/route")]


@asynccontextmanager
async def serving(folder: Path, app: str = APP, token: str | None = TOKEN) -> AsyncIterator[str]:
    """Serve the app as gymgen serves a project, and return its URL."""
    (folder / "app.py").write_text(app)
    command = [sys.executable, str(PROGRAM), "app:app", *(["--token-on-stdin"] if token else [])]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if token:
                process.stdin.write(f"{token}\n")
                process.stdin.flush()
            messages = (json.loads(line) for line in process.stdout)
            yield next(message["url"] for message in messages if "url" in message)
        finally:
            process.stdin.close()
            process.wait(10)


async def status(url: str, method: str, path: str, headers: dict[str, str]) -> int:
    """Return the status of the response or of the WebSocket handshake, where 101 means accepted."""
    async with aiohttp.ClientSession() as client:
        if method != "WS":
            async with client.request(method, url + path, headers=headers) as answer:
                return answer.status
        try:
            async with client.ws_connect(url + path, headers=headers) as socket:
                assert await socket.receive_str(timeout=10) == "answered"
                return 101
        except aiohttp.WSServerHandshakeError as refusal:
            return refusal.status


def refused(port: str) -> dict[str, dict[str, str]]:
    """Return headers that are refused, by the reason."""
    token = {TOKEN_HEADER: TOKEN}
    return {
        "no token": {},
        "an empty token": {TOKEN_HEADER: ""},
        "another token": {TOKEN_HEADER: "6" * 64},
        "the start of the token": {TOKEN_HEADER: TOKEN[:-1]},
        "a token that is not ASCII": {TOKEN_HEADER: "é"},
        "another host": token | {"Host": f"evil.example:{port}"},
        "another host with the same prefix": token | {"Host": f"127.0.0.1.evil.example:{port}"},
        "another port": token | {"Host": "127.0.0.1:1"},
        "no port": token | {"Host": "localhost"},
        "another origin": token | {"Origin": "http://evil.example"},
        "another port's origin": token | {"Origin": "http://127.0.0.1:1"},
        "a hidden origin": token | {"Origin": "null"},
        "a secure origin": token | {"Origin": f"https://127.0.0.1:{port}"},
        "an empty origin": token | {"Origin": ""},
    }


def allowed(port: str) -> list[dict[str, str]]:
    token = {TOKEN_HEADER: TOKEN}
    return [
        token,
        {TOKEN_HEADER.lower(): TOKEN},
        token | {"Host": f"LocalHost:{port}"},
        token | {"Origin": f"http://127.0.0.1:{port}"},
    ]


async def test_requests_without_token_or_for_other_hosts_and_origins_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as url:
        for reason, headers in refused(url.rsplit(":", 1)[1]).items():
            for method, path in ROUTES:
                assert await status(url, method, path, headers) == 403, f"{reason}: {method} {path}"


async def test_requests_with_the_token_are_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as url:
        for headers in allowed(url.rsplit(":", 1)[1]):
            answers = [await status(url, method, path, headers) for method, path in ROUTES[:4]]
            assert answers == [200, 200, 404, 101], headers


async def test_host_and_origin_are_checked_without_a_token_too(tmp_path: Path) -> None:
    async with serving(tmp_path, token=None) as url:
        port = url.rsplit(":", 1)[1]
        for method, path in ROUTES[:2]:
            assert await status(url, method, path, {}) == 200
            assert await status(url, method, path, {"Host": f"evil.example:{port}"}) == 403
        assert await status(url, "WS", "/ws", {}) == 101
        assert await status(url, "WS", "/ws", {"Origin": "http://evil.example"}) == 403


async def test_an_app_factory_is_guarded_too(tmp_path: Path) -> None:
    factory = APP.replace("app = ", "inner = ").replace("@app", "@inner") + "def app(): return inner\n"
    async with serving(tmp_path, factory) as url:
        assert await status(url, "GET", "/health", {}) == 403
        assert await status(url, "GET", "/health", {TOKEN_HEADER: TOKEN}) == 200


@pytest.mark.parametrize("stdin", ["", "\n"])
def test_a_missing_token_is_an_error(tmp_path: Path, stdin: str) -> None:
    (tmp_path / "app.py").write_text(APP)
    command = [sys.executable, str(PROGRAM), "app:app", "--token-on-stdin"]
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 60}
    ended = subprocess.run(command, cwd=tmp_path, input=stdin, check=False, **options)
    assert ended.returncode == 1
    assert "has no token" in ended.stderr


async def answer_of(url: str) -> str:
    async with aiohttp.ClientSession(headers={TOKEN_HEADER: TOKEN}) as client, client.get(url) as answer:
        return await answer.text()


async def test_neither_arguments_nor_environment_show_the_token(tmp_path: Path) -> None:
    shows = "import os, sys\nshown = repr(sys.argv) + repr(dict(os.environ))\n"
    async with serving(tmp_path, shows + APP.replace('return "answered"', "return shown")) as url:
        text = await answer_of(f"{url}/health")
    assert "PATH" in text
    assert TOKEN not in text
