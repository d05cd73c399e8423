"""OpenEnv servers behind an HTTP proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import WSMsgType, web
from yarl import URL

from openenv_bridge.client import OpenEnvClient
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.endpoint import ConfigError, proxy_for
from openenv_bridge.mask import TransportUnreachable
from openenv_bridge.row import Task

BASE = {"host": "", "port": 0, "entrypoint": "", "name": ""}
ROW = {"split": "train", "index": 0, "task_id": "t-0"}


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no", "ws", "wss"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_PROXY".upper(), raising=False)


@pytest.mark.parametrize(
    ("url", "variables", "proxy"),
    [
        ("ws://env.test/ws", {"HTTP_PROXY": "http://a:1"}, "http://a:1"),
        ("wss://env.test/ws", {"HTTP_PROXY": "http://a:1"}, None),
        ("wss://env.test/ws", {"HTTPS_PROXY": "a:1"}, "http://a:1"),
        ("ws://env.test/ws", {"ALL_PROXY": "http://a:1"}, "http://a:1"),
        ("ws://env.test/ws", {"HTTP_PROXY": "http://a:1", "http_proxy": "http://b:2"}, "http://b:2"),
        ("ws://env.test/ws", {"HTTP_PROXY": "http://a:1", "NO_PROXY": "other,.test"}, None),
        ("ws://env.test/ws", {"HTTP_PROXY": "http://a:1", "NO_PROXY": "env.test:80"}, None),
        ("ws://127.0.0.1:8000/ws", {"ALL_PROXY": "http://a:1"}, None),
        ("ws://localhost:8000/ws", {"ALL_PROXY": "http://a:1"}, None),
        ("ws://[::1]:8000/ws", {"ALL_PROXY": "http://a:1"}, None),
    ],
)
def test_the_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, url: str, variables: dict[str, str], proxy: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = proxy_for(URL(url))
    assert (found and str(found).rstrip("/")) == proxy


def test_a_proxy_that_is_not_http_is_rejected_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://u:secret@a:1")
    with pytest.raises(ConfigError, match="ALL_PROXY names a socks5 proxy") as e:
        proxy_for(URL("ws://env.test/ws"))
    assert "secret" not in str(e.value)


@asynccontextmanager
async def proxy(status: int | None = None) -> AsyncIterator[tuple[str, list[str]]]:
    """A proxy that answers requests for any host itself, as an OpenEnv server."""
    requests: list[str] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        requests.append(f"{request.method} {request.raw_path}")
        if status is not None:
            return web.Response(status=status)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.TEXT and message.json()["type"] == "reset":
                await socket.send_json({"type": "observation", "data": {"observation": {}, "done": False}})
            else:
                break
        return socket

    server = web.Server(answer)
    runner = web.ServerRunner(server)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"127.0.0.1:{runner.addresses[0][1]}", requests
    finally:
        await runner.cleanup()


def start(url: str) -> None:
    async def once() -> None:
        server = OpenEnvClient(OpenEnvConfig(**BASE, url=url, connect_timeout=0.2), {})
        try:
            connection, _ = await server.open_session(Task.from_row(ROW))
            connection.close()
        finally:
            await server.close()

    asyncio.run(once())


def test_a_session_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> list[str]:
        async with proxy() as (host, requests):
            monkeypatch.setenv("HTTP_PROXY", f"http://u:p@{host}")
            await asyncio.to_thread(start, "http://env.test")
            return requests

    assert asyncio.run(play()) == ["GET http://env.test/ws"]


@pytest.mark.parametrize(
    ("url", "status", "reason"),
    [
        ("http://env.test", 407, "refused to connect to .*HTTP 407.*requires a user and a password"),
        ("https://env.test", 407, "refused to connect to .*HTTP 407.*requires a user and a password"),
        ("https://env.test", 403, r"the proxy http://127.0.0.1:\d+ refused to connect to .*HTTP 403"),
    ],
)
def test_a_refusal_of_the_proxy_is_reported(
    monkeypatch: pytest.MonkeyPatch, url: str, status: int, reason: str
) -> None:
    async def play() -> None:
        async with proxy(status) as (host, _):
            monkeypatch.setenv("ALL_PROXY", f"http://u:secret@{host}")
            with pytest.raises(TransportUnreachable, match=reason) as e:
                await asyncio.to_thread(start, url)
            assert "secret" not in str(e.value)

    asyncio.run(play())


def test_an_unreachable_proxy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://u:secret@127.0.0.1:1")
    with pytest.raises(TransportUnreachable, match=r"can't connect to the proxy http://127.0.0.1:1: ") as e:
        start("http://env.test")
    assert "secret" not in str(e.value)
