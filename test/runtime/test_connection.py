"""Servers that misbehave on the socket, scripted frame by frame; and what is sent to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

import openenv_bridge.connection
from openenv_bridge.mask import Dropped, EpisodeFailed, Failure, Unavailable, Unreachable
from openenv_bridge.openenv import OpenEnvServer
from openenv_bridge.task import Task
from serving import bridge, wait_until

TASK = Task("train", 0, None, None)
OBSERVATION = json.dumps({"type": "observation", "data": {"observation": {}, "reward": None, "done": False}})
GOODBYE = '{"type":"close"}'
Script = Callable[[web.WebSocketResponse], Awaitable[Any]]


class Peer:
    """A websocket server that does as ``script`` says once the first frame has come (or at once: ``unasked``)."""

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
            await self._script(socket)
        async for message in socket:
            self.frames.append(message.data)
            if message.data == GOODBYE:
                await socket.close()
            elif len(self.frames) == 1 and not self._unasked:
                await self._script(socket)
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
async def servers() -> AsyncIterator[Callable[..., OpenEnvServer]]:
    made: list[OpenEnvServer] = []

    def make(url: str, **config: Any) -> OpenEnvServer:
        made.append(bridge(url, **config)._openenv)
        return made[-1]

    yield make
    for server in made:
        await server.close()


def full(message: str = "full", code: str = "CAPACITY_REACHED", **data: Any) -> str:
    return json.dumps({"type": "error", "data": {"message": message, "code": code, **data}})


RESETS: list[tuple[str, Script, type[Failure], str]] = [
    ("garbage", lambda s: s.send_str("<html>"), EpisodeFailed, "not an OpenEnv message|nobody asked for"),
    ("a binary frame", lambda s: s.send_bytes(b"{}"), Dropped, "binary frame"),
    ("a close", lambda s: s.close(code=1012, message=b"restarting"), Dropped, r"closed the session \(code 1012: rest"),
    ("a cut", lambda s: _cut(s), Dropped, "was lost"),
    ("no factory", lambda s: s.send_str(full("no image", "FACTORY_ERROR")), Unavailable, "no image"),
    ("a broken session", lambda s: s.send_str(full("'text'", "SESSION_ERROR")), EpisodeFailed, "SESSION_ERROR"),
]


async def _cut(socket: web.WebSocketResponse) -> None:
    assert socket._req is not None
    transport = socket._req.transport
    assert transport is not None
    transport.abort()


@pytest.mark.parametrize(("script", "raised", "why"), [r[1:] for r in RESETS], ids=[r[0] for r in RESETS])
@pytest.mark.parametrize("unasked", [False, True], ids=["answered", "unasked"])
async def test_a_reset_is_answered_with(
    serving: Any, servers: Any, script: Script, raised: type[Failure], why: str, unasked: bool
) -> None:
    server = servers(await serving(Peer(script, unasked=unasked).handle))
    with pytest.raises(raised, match=why):
        await server.start(TASK)
    await soon(lambda: server._slots._open == 0)


async def soon(done: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_until, done)


async def test_a_connection_that_is_lost_while_idle_is_told_at_the_next_call(serving: Any, servers: Any) -> None:
    async def answer_and_close(socket: web.WebSocketResponse) -> None:
        await socket.send_str(OBSERVATION)
        await socket.close(code=1011, message=b"keepalive ping timeout")

    server = servers(await serving(Peer(answer_and_close).handle))
    connection, _ = await server.start(TASK)
    await soon(lambda: server._slots._open == 0)  # and its slot is free before that
    with pytest.raises(Dropped, match="code 1011: keepalive ping timeout"):
        await connection.ask(b"{}")


async def test_a_session_is_ended_with_the_protocols_own_goodbye(serving: Any, servers: Any) -> None:
    peer = Peer(lambda s: s.send_str(OBSERVATION))
    connection, _ = await servers(await serving(peer.handle)).start(TASK)
    connection.leave()
    await soon(lambda: len(peer.frames) == 2)
    assert peer.frames[1] == GOODBYE


async def test_a_server_that_does_not_answer_the_goodbye_is_cut_off(
    serving: Any, servers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openenv_bridge.connection, "GOODBYE_S", 0.1)
    monkeypatch.setattr("test_connection.GOODBYE", "never said")
    peer = Peer(lambda s: s.send_str(OBSERVATION))
    server = servers(await serving(peer.handle))
    connection, _ = await server.start(TASK)
    connection.leave()
    await soon(lambda: server._slots._open == 0)
    await asyncio.wait_for(peer.closed.wait(), 60)


async def test_a_server_in_the_middle_of_a_call_is_cut_off(serving: Any, servers: Any) -> None:
    peer = Peer(lambda s: s.send_str(OBSERVATION))
    connection, _ = await servers(await serving(peer.handle)).start(TASK)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await connection.ask(b'{"never":"answered"}')
    connection.leave()
    async with asyncio.timeout(5):
        await peer.closed.wait()
    assert len(peer.frames) == 2


async def test_compression_is_not_asked_for_and_headers_are_sent(
    serving: Any, servers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "t0ken")
    peer = Peer(lambda s: s.send_str(OBSERVATION))
    url = await serving(peer.handle)
    await servers(url + "/base", headers={"Authorization": "Bearer $SOME_TOKEN"}).start(TASK)
    (request,) = peer.requests
    assert request.path == "/base/ws"
    assert request.headers["Authorization"] == "Bearer t0ken"
    assert "Sec-WebSocket-Extensions" not in request.headers


async def test_a_redirect_to_another_host_is_not_followed(serving: Any, servers: Any) -> None:
    elsewhere = Peer(lambda s: s.send_str(OBSERVATION))
    target = await serving(elsewhere.handle)

    async def redirect(request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(target + "/ws")

    with pytest.raises(Unreachable, match="redirects to another host"):
        await servers(await serving(redirect), headers={"X-Token": "secret"}).start(TASK)
    assert elsewhere.requests == []


async def test_a_redirect_on_the_same_host_is_followed(serving: Any, servers: Any) -> None:
    peer = Peer(lambda s: s.send_str(OBSERVATION))

    async def moved(request: web.Request) -> web.StreamResponse:
        if request.path == "/ws":
            raise web.HTTPPermanentRedirect("/moved/ws")
        return await peer.handle(request)

    await servers(await serving(moved)).start(TASK)
    assert [request.path for request in peer.requests] == ["/moved/ws"]


@pytest.mark.parametrize("status", [200, 403, 404, 503])
async def test_a_handshake_that_is_refused_is_said_with_its_status(serving: Any, servers: Any, status: int) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text="<html>")

    with pytest.raises(Unreachable, match=f"HTTP {status}"):
        await servers(await serving(refuse) + "/?token=hunter2", connect_timeout=0.1).start(TASK)
