"""Servers that misbehave on the WebSocket, scripted frame by frame, and the frames that they receive."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

import openenv_bridge.websocket
from openenv_bridge.client import OpenEnvClient
from openenv_bridge.mask import EpisodeFailed, Failure, PeerDropped, ProviderUnavailable, TransportUnreachable
from openenv_bridge.row import Task
from serving import bridge, wait_until

TASK = Task("train", 0, None, None)
OBSERVATION = json.dumps({"type": "observation", "data": {"observation": {}, "reward": None, "done": False}})
GOODBYE = '{"type":"close"}'
Script = Callable[[web.WebSocketResponse, web.Request], Awaitable[Any]]


class Peer:
    """A WebSocket server that runs ``script`` after the first frame, or at once if ``unasked``."""

    def __init__(self, script: Script, *, unasked: bool = False) -> None:
        self.requests: list[web.Request] = []
        self.frames: list[str] = []
        self.closed = asyncio.Event()
        self._script, self._unasked = script, unasked

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if self._unasked:
            await self._script(socket, request)
        async for message in socket:
            self.frames.append(message.data)
            if message.data == GOODBYE:
                await socket.close()
            elif len(self.frames) == 1 and not self._unasked:
                await self._script(socket, request)
        self.closed.set()
        return socket


@pytest.fixture
async def serving() -> AsyncIterator[Any]:
    runners: list[web.AppRunner] = []

    async def start(handle: Any) -> str:
        app = web.Application()
        app.router.add_get("/{path:.*}", handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


@pytest.fixture
async def servers() -> AsyncIterator[Callable[..., OpenEnvClient]]:
    made: list[OpenEnvClient] = []

    def make(url: str, **config: Any) -> OpenEnvClient:
        made.append(bridge(url, **config)._client)
        return made[-1]

    yield make
    for server in made:
        await server.close()


def full(message: str = "full", code: str = "CAPACITY_REACHED", **data: Any) -> str:
    return json.dumps({"type": "error", "data": {"message": message, "code": code, **data}})


RESETS: list[tuple[str, Script, type[Failure], str]] = [
    ("garbage", lambda s, _: s.send_str("<html>"), EpisodeFailed, "not an OpenEnv message|unexpected frame"),
    ("a binary frame", lambda s, _: s.send_bytes(b"{}"), PeerDropped, "binary frame"),
    (
        "a close",
        lambda s, _: s.close(code=1012, message=b"restarting"),
        PeerDropped,
        r"closed the session \(code 1012: rest",
    ),
    ("an aborted connection", lambda _, request: _abort(request), PeerDropped, "was lost"),
    ("no factory", lambda s, _: s.send_str(full("no image", "FACTORY_ERROR")), ProviderUnavailable, "no image"),
    ("a broken session", lambda s, _: s.send_str(full("'text'", "SESSION_ERROR")), EpisodeFailed, "SESSION_ERROR"),
]


async def _abort(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.abort()


@pytest.mark.parametrize(("script", "raised", "why"), [r[1:] for r in RESETS], ids=[r[0] for r in RESETS])
@pytest.mark.parametrize("unasked", [False, True], ids=["answered", "unasked"])
async def test_a_reset_fails_with(
    serving: Any, servers: Any, script: Script, raised: type[Failure], why: str, unasked: bool
) -> None:
    server = servers(await serving(Peer(script, unasked=unasked).handle))
    with pytest.raises(raised, match=why):
        await server.open_session(TASK)
    await soon(lambda: server.limit.in_use == 0)


async def soon(done: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_until, done)


async def test_a_connection_that_is_lost_while_idle_fails_the_next_call(serving: Any, servers: Any) -> None:
    async def answer_and_close(socket: web.WebSocketResponse, _: web.Request) -> None:
        await socket.send_str(OBSERVATION)
        await socket.close(code=1011, message=b"keepalive ping timeout")

    server = servers(await serving(Peer(answer_and_close).handle))
    connection, _ = await server.open_session(TASK)
    await soon(lambda: server.limit.in_use == 0)  # the slot is free before the next call
    with pytest.raises(PeerDropped, match="code 1011: keepalive ping timeout"):
        await connection.request(b"{}")


async def test_a_session_ends_with_the_close_message(serving: Any, servers: Any) -> None:
    peer = Peer(lambda s, _: s.send_str(OBSERVATION))
    connection, _ = await servers(await serving(peer.handle)).open_session(TASK)
    connection.close()
    await soon(lambda: len(peer.frames) == 2)
    assert peer.frames[1] == GOODBYE


async def test_a_server_that_does_not_answer_the_close_message_is_aborted(
    serving: Any, servers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openenv_bridge.websocket, "TEARDOWN_S", 0.1)
    monkeypatch.setattr("test_websocket.GOODBYE", "never sent")
    peer = Peer(lambda s, _: s.send_str(OBSERVATION))
    server = servers(await serving(peer.handle))
    connection, _ = await server.open_session(TASK)
    connection.close()
    await soon(lambda: server.limit.in_use == 0)
    await asyncio.wait_for(peer.closed.wait(), 60)


async def test_a_server_that_is_processing_a_call_is_aborted(serving: Any, servers: Any) -> None:
    peer = Peer(lambda s, _: s.send_str(OBSERVATION))
    connection, _ = await servers(await serving(peer.handle)).open_session(TASK)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await connection.request(b'{"never":"answered"}')
    connection.close()
    async with asyncio.timeout(5):
        await peer.closed.wait()
    assert len(peer.frames) == 2


async def test_headers_are_sent_and_compression_is_not_requested(
    serving: Any, servers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "t0ken")
    peer = Peer(lambda s, _: s.send_str(OBSERVATION))
    url = await serving(peer.handle)
    await servers(url + "/base", headers={"Authorization": "Bearer $SOME_TOKEN"}).open_session(TASK)
    (request,) = peer.requests
    assert request.path == "/base/ws"
    assert request.headers["Authorization"] == "Bearer t0ken"
    assert "Sec-WebSocket-Extensions" not in request.headers


async def test_a_redirect_to_another_host_is_not_followed(serving: Any, servers: Any) -> None:
    elsewhere = Peer(lambda s, _: s.send_str(OBSERVATION))
    target = await serving(elsewhere.handle)

    async def redirect(request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(target + "/ws")

    with pytest.raises(TransportUnreachable, match="redirects to another host"):
        await servers(await serving(redirect), headers={"X-Token": "secret"}).open_session(TASK)
    assert elsewhere.requests == []


async def test_a_redirect_on_the_same_host_is_followed(serving: Any, servers: Any) -> None:
    peer = Peer(lambda s, _: s.send_str(OBSERVATION))

    async def moved(request: web.Request) -> web.StreamResponse:
        if request.path == "/ws":
            raise web.HTTPPermanentRedirect("/moved/ws")
        return await peer.handle(request)

    await servers(await serving(moved)).open_session(TASK)
    assert [request.path for request in peer.requests] == ["/moved/ws"]


@pytest.mark.parametrize("status", [200, 403, 404, 503])
async def test_a_refused_handshake_is_reported_with_its_status(serving: Any, servers: Any, status: int) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text="<html>")

    with pytest.raises(TransportUnreachable, match=f"HTTP {status}"):
        await servers(await serving(refuse) + "/?token=hunter2", connect_timeout=0.1).open_session(TASK)
