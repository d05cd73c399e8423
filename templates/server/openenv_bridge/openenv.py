"""The OpenEnv server: opens sessions on it, as many as it has room for."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import SimpleNamespace

import aiohttp
from yarl import URL

from openenv_bridge import wire
from openenv_bridge.bundle import Bundle
from openenv_bridge.config import OpenEnvConfig, expand, websocket_url
from openenv_bridge.connection import CLOSE_S, Connection
from openenv_bridge.mask import Failure, Late, Unavailable, Unreachable
from openenv_bridge.proxy import proxy_for
from openenv_bridge.slots import Lease, Slots
from openenv_bridge.task import Task

logger = logging.getLogger(__name__)

PAUSES_S = (0.25, 5.0)  # the first and the longest pause before a connection is tried again
# A server that is full or restarting, or the proxy in front of it, answers the handshake with these.
BUSY = frozenset({429, 502, 503, 504})


class NotNowError(Exception):
    """A connection that may well be there in a moment. ``retry_after`` is in seconds, if the server said when."""

    def __init__(self, failure: Unreachable, retry_after: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure, self.retry_after = failure, retry_after


class OpenEnvServer:
    """``environ`` is where the variables in the config's headers are looked up; a missing one is a ConfigError.
    ``bundle`` is what serves the config's bundle, where it has one."""

    def __init__(self, config: OpenEnvConfig, environ: Mapping[str, str], bundle: Bundle | None = None) -> None:
        self._bundle = bundle
        self._url = websocket_url(config.url) if config.url is not None else None
        # For logs and reasons: nothing secret.
        self._shown = str(self._url.with_user(None).with_query(None)) if self._url else str(config.bundle)
        self._proxy = proxy_for(self._url) if self._url else None
        self._headers = expand(config.headers, environ)
        self._max_frame = config.max_frame
        self._reset_timeout = config.reset_timeout
        self._connect_timeout = config.connect_timeout
        self._waited = False  # it was logged that the server isn't there, and it hasn't been since
        self._slots = Slots(self._shown)
        self._connections: set[Connection] = set()
        self._http: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(
        self, task: Task, on_stray: Callable[[Failure], None] | None = None
    ) -> tuple[Connection, wire.Answer]:
        """Wait for a free session and reset it to ``task``, both within ``reset_timeout``. ``on_stray`` is
        Connection's.

        Raises a Failure, or wire.ErrorFrame with what the environment said.
        """
        ticket, lease = self._slots.ticket(), None
        refused: list[Failure] = []  # why the server could not be connected to so far
        began = let_in = time.monotonic()
        try:
            async with asyncio.timeout(self._reset_timeout):
                while True:
                    lease = None
                    lease = await self._slots.acquire(ticket)
                    let_in = time.monotonic()
                    try:
                        return await self._reset(task, lease, on_stray, began + self._reset_timeout, refused)
                    except wire.ServerFull as full:
                        lease.refused(full.max_sessions)
        except TimeoutError:
            if refused:
                raise refused[-1] from None
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

    async def _reset(
        self,
        task: Task,
        lease: Lease,
        on_stray: Callable[[Failure], None] | None,
        until: float,
        refused: list[Failure],
    ) -> tuple[Connection, wire.Answer]:
        try:
            connection = Connection(await self._connect(until, refused), lease.release, on_stray)
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

    async def _connect(self, until: float, refused: list[Failure]) -> aiohttp.ClientWebSocketResponse[bool]:
        """Connect, and wait for a server that is full or restarting: for ``connect_timeout``, or as long as it says,
        but not past ``until`` (of time.monotonic). Its refusals are added to ``refused`` until it connects."""
        give_up = time.monotonic() + self._connect_timeout
        pause, longest = PAUSES_S
        while True:
            try:
                socket = await self._try()
                self._waited = False
                refused.clear()
                return socket
            except NotNowError as e:
                refused.append(e.failure)
                now = time.monotonic()
                if e.retry_after:  # 0 or a date in the past says no more than no header
                    again = now + e.retry_after
                    give_up = max(give_up, again + self._connect_timeout)
                else:
                    again = now + pause * random.uniform(0.5, 1.0)  # so that those who wait don't come all at once
                    pause = min(2 * pause, longest)
                if again >= min(give_up, until):
                    raise e.failure from None
                if not self._waited:
                    self._waited = True
                    logger.warning("%s; it is tried again for a while", e.failure)
                await asyncio.sleep(again - now)

    async def _try(self) -> aiohttp.ClientWebSocketResponse[bool]:
        """One try to connect. Raises Unreachable, or NotNowError if another one may succeed."""
        url, headers = self._url, self._headers
        if url is None:
            assert self._bundle is not None
            url = websocket_url(await self._bundle.url())  # another one each time that it is started again
            headers = headers | self._bundle.headers
        try:
            return await self._client().ws_connect(
                # A proxy that forwards requests knows http, not ws.
                url.with_scheme("https" if url.scheme == "wss" else "http"),
                headers=headers,
                proxy=self._proxy,
                compress=0,
                max_msg_size=self._max_frame,
                decode_text=False,
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_S),  # pyright: ignore[reportCallIssue]
            )
        except Failure:
            raise
        # What these say of themselves may have the whole URL in it, with a password or a token.
        except aiohttp.ClientHttpProxyError as e:
            raise Unreachable(self._refused_by_proxy(e.status)) from None
        except aiohttp.ClientProxyConnectionError as e:
            failure = Unreachable(f"can't connect to the proxy {self._shown_proxy()}: {e.os_error}")
            raise NotNowError(failure) from None
        except aiohttp.WSServerHandshakeError as e:
            if e.status == 407 and self._proxy:
                raise Unreachable(self._refused_by_proxy(e.status)) from None
            failure = Unreachable(f"{self._shown} answered the websocket's handshake with HTTP {e.status}")
            if e.status in BUSY:
                raise NotNowError(failure, _retry_after(e.headers)) from None
            raise failure from None
        except aiohttp.ClientConnectorCertificateError:
            raise Unreachable(
                f"can't connect to {self._shown}: its certificate isn't trusted. For a private certificate authority, "
                "set SSL_CERT_FILE to its file before this server starts"
            ) from None
        except aiohttp.ClientConnectorError as e:
            failure = Unreachable(f"can't connect to {self._shown}: {e.os_error}")
            if isinstance(e, aiohttp.ClientConnectorDNSError | aiohttp.ClientSSLError):
                raise failure from None
            raise NotNowError(failure) from None
        except (aiohttp.ServerConnectionError, aiohttp.ClientOSError, OSError) as e:
            raise NotNowError(Unreachable(f"can't connect to {self._shown}: {type(e).__name__}")) from None
        except (aiohttp.ClientError, ValueError) as e:
            raise Unreachable(f"can't connect to {self._shown}: {type(e).__name__}") from None

    def _refused_by_proxy(self, status: int) -> str:
        login = ": it wants a user and a password in its URL" if status == 407 else ""
        return f"the proxy {self._shown_proxy()} refused to connect to {self._shown} (HTTP {status}){login}"

    def _shown_proxy(self) -> str:
        return str(self._proxy.origin()) if self._proxy else ""

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
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_timeout),
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


def _retry_after(headers: Mapping[str, str] | None) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, section 10.2.3), which has a number or a date; None without one."""
    value = (headers or {}).get("Retry-After", "").strip()
    if value.isascii() and value.isdecimal() and len(value) < 10:
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())
