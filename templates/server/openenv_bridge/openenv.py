"""The OpenEnv server: opens sessions on it, as many as it has room for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from types import SimpleNamespace

import aiohttp
from yarl import URL

from openenv_bridge import wire
from openenv_bridge.bundle import Bundle
from openenv_bridge.config import OpenEnvConfig, expand, websocket_url
from openenv_bridge.connection import Connection
from openenv_bridge.mask import Late, Unavailable, Unreachable
from openenv_bridge.slots import Lease, Slots
from openenv_bridge.task import Task

CLOSE_S = 0.3  # for the server's half of a closing handshake: all of a shutdown has one second
CONNECT_S = 30.0


class OpenEnvServer:
    """``environ`` is where the variables in the config's headers are looked up; a missing one is a ConfigError.
    ``bundle`` is what serves the config's bundle, where it has one."""

    def __init__(self, config: OpenEnvConfig, environ: Mapping[str, str], bundle: Bundle | None = None) -> None:
        self._bundle = bundle
        self._url = websocket_url(config.url) if config.url is not None else None
        # For logs and reasons: nothing secret.
        self._shown = str(self._url.with_user(None).with_query(None)) if self._url else str(config.bundle)
        self._headers = expand(config.headers, environ)
        self._max_frame = config.max_frame
        self._reset_timeout = config.reset_timeout
        self._slots = Slots(self._shown)
        self._connections: set[Connection] = set()
        self._http: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self, task: Task) -> tuple[Connection, wire.Answer]:
        """Wait for a free session and reset it to ``task``, both within ``reset_timeout``.

        Raises a Failure, or wire.ErrorFrame with what the environment said.
        """
        ticket, lease = self._slots.ticket(), None
        began = let_in = time.monotonic()
        try:
            async with asyncio.timeout(self._reset_timeout):
                while True:
                    lease = None
                    lease = await self._slots.acquire(ticket)
                    let_in = time.monotonic()
                    try:
                        return await self._reset(task, lease)
                    except wire.ServerFull as full:
                        lease.refused(full.max_sessions)
        except TimeoutError:
            limit = f"within {self._reset_timeout:g} s"
            if lease is None or let_in - began > self._reset_timeout / 2:
                late = "" if lease is None else ", or too late for the reset"
                raise Unavailable(f"the server at {self._shown} had no free session {limit}{late}") from None
            raise Late(f"the reset wasn't done {limit}") from None

    async def close(self) -> None:
        """Close every socket, whatever the server is doing."""
        await asyncio.gather(*(connection.closed() for connection in self._connections))
        if self._http is not None and self._loop is asyncio.get_running_loop():
            await self._http.close()
            self._http = None

    async def _reset(self, task: Task, lease: Lease) -> tuple[Connection, wire.Answer]:
        try:
            connection = Connection(await self._connect(), lease.release)
        except BaseException:
            lease.release()
            raise
        self._connections.add(connection)
        connection.reader.add_done_callback(lambda _: self._connections.discard(connection))
        try:
            return connection, await connection.ask(wire.reset(task.reset_arguments()))
        except BaseException:
            connection.leave()
            raise

    async def _connect(self) -> aiohttp.ClientWebSocketResponse[bool]:
        url, headers = self._url, self._headers
        if url is None:
            assert self._bundle is not None
            url = websocket_url(await self._bundle.url())  # another one each time that it is started again
            headers = headers | self._bundle.headers
        try:
            return await self._client().ws_connect(
                url,
                headers=headers,
                compress=0,
                max_msg_size=self._max_frame,
                decode_text=False,
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_S),  # pyright: ignore[reportCallIssue]
            )
        # What these say of themselves may have the whole URL in it, with a password or a token.
        except aiohttp.WSServerHandshakeError as e:
            raise Unreachable(f"{self._shown} answered the websocket's handshake with HTTP {e.status}") from None
        except aiohttp.ClientConnectorError as e:
            raise Unreachable(f"can't connect to {self._shown}: {e.os_error}") from None
        except (aiohttp.ClientError, OSError) as e:
            raise Unreachable(f"can't connect to {self._shown}: {type(e).__name__}") from None

    def _client(self) -> aiohttp.ClientSession:
        """One HTTP client for each event loop: a test client plays every request in a loop of its own."""
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is not loop:
            if self._http is not None:
                self._http.detach()  # its loop is gone, and its sockets with it
            tracing = aiohttp.TraceConfig()
            tracing.on_request_redirect.append(self._stay_there)
            self._loop = loop
            self._http = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                trace_configs=[tracing],
            )
        return self._http

    async def _stay_there(
        self, _: aiohttp.ClientSession, __: SimpleNamespace, redirect: aiohttp.TraceRequestRedirectParams
    ) -> None:
        """The headers may hold a token: it goes to the server that the config names, and nowhere else."""
        there = redirect.url.join(URL(redirect.response.headers.get("Location", "")))
        if (there.host, there.port) != (redirect.url.host, redirect.url.port):
            raise Unreachable(f"{self._shown} redirects to another host, {there.host}, which is not followed")
