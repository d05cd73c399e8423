"""Connects to the OpenEnv server, and retries while the server is busy or restarting."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import Any, Protocol

import aiohttp
from yarl import URL

from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.endpoint import expand_headers, proxy_for, websocket_url
from openenv_bridge.json_codec import loads
from openenv_bridge.mask import Failure, TransportUnreachable
from openenv_bridge.websocket import HANDSHAKE_S

logger = logging.getLogger(__name__)

RETRY_PAUSES_S = (0.25, 5.0)  # the first and the longest pause between two attempts
MAX_ANSWER = 64 * 1024  # bytes of an answer that is not part of an episode
# Status codes of a server that is full or restarting, or of the proxy in front of it.
BUSY_STATUSES = frozenset({429, 502, 503, 504})


class BundleServer(Protocol):
    """The server of a bundle, as ``bundle_child`` implements it."""

    def __init__(self, config: OpenEnvConfig) -> None: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    async def start(self) -> None: ...
    async def url(self) -> str: ...
    def stop(self) -> None: ...
    async def wait_closed(self) -> None: ...


class RetryableError(Exception):
    """Connecting failed and may succeed later. ``retry_after`` is in seconds, or None without a Retry-After header."""

    def __init__(self, failure: TransportUnreachable, retry_after: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure, self.retry_after = failure, retry_after


class Connector:
    """Opens WebSockets to ``config.url``, or to ``bundle`` if the config names one.

    ``environ`` has the variables for the config's headers. Raises ConfigError if one is missing.
    """

    def __init__(self, config: OpenEnvConfig, environ: Mapping[str, str], bundle: BundleServer | None = None) -> None:
        self._bundle = bundle
        self._url = websocket_url(config.url) if config.url is not None else None
        # For logs and mask reasons, without secrets.
        self.display_name = str(self._url.with_user(None).with_query(None)) if self._url else str(config.bundle)
        self._proxy = proxy_for(self._url) if self._url else None
        self._headers = expand_headers(config.headers, environ)
        self._max_frame = config.max_frame
        self._timeout = config.connect_timeout
        self._is_retrying = False  # logged once, until a connection succeeds
        self._http: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def connect(self, deadline: float, failures: list[Failure]) -> aiohttp.ClientWebSocketResponse[bool]:
        """Connect, and retry for ``connect_timeout``, or for as long as the server asks with Retry-After.

        ``deadline``, of time.monotonic, ends the retries in any case. ``failures`` collects the failures of the
        attempts, and is cleared once a connection succeeds.
        """
        give_up = time.monotonic() + self._timeout
        pause, longest = RETRY_PAUSES_S
        while True:
            try:
                websocket = await self._connect_once()
                self._is_retrying = False
                failures.clear()
                return websocket
            except RetryableError as e:
                failures.append(e.failure)
                now = time.monotonic()
                if e.retry_after:  # 0 or a date in the past means the same as no header
                    next_try = now + e.retry_after
                    give_up = max(give_up, next_try + self._timeout)
                else:
                    next_try = now + pause * random.uniform(0.5, 1.0)  # spread the clients over time
                    pause = min(2 * pause, longest)
                if next_try >= min(give_up, deadline):
                    raise e.failure from None
                if not self._is_retrying:
                    self._is_retrying = True
                    logger.warning("%s; retrying", e.failure)
                await asyncio.sleep(next_try - now)

    async def get(self, path: str) -> Any:
        """GET the JSON at ``path`` of ``config.url``, or None for any other answer. Raises TransportUnreachable."""
        assert self._url is not None
        url = self._url.with_scheme("https" if self._url.scheme == "wss" else "http")
        base = url.path.removesuffix("/ws")
        timeout = aiohttp.ClientTimeout(total=self._timeout)
        try:
            async with self._client().get(
                url.with_path(base + path, keep_query=True), headers=self._headers, proxy=self._proxy, timeout=timeout
            ) as response:
                return loads(await response.content.read(MAX_ANSWER)) if response.status == 200 else None
        except TimeoutError:
            raise TransportUnreachable(f"{self.display_name} did not answer within {self._timeout:g} s") from None
        except (aiohttp.ClientError, OSError) as e:
            failure = self._translate(e)
            raise failure.failure if isinstance(failure, RetryableError) else failure from None
        except ValueError:
            return None

    async def close(self) -> None:
        """Close the HTTP client, if it belongs to the running event loop."""
        if self._http is not None and self._loop is asyncio.get_running_loop():
            await self._http.close()
            self._http = None

    async def _connect_once(self) -> aiohttp.ClientWebSocketResponse[bool]:
        """Raises TransportUnreachable, or RetryableError if another attempt may succeed."""
        url, headers = self._url, self._headers
        if url is None:
            assert self._bundle is not None
            url = websocket_url(await self._bundle.url())  # changes each time the bundle's server restarts
            headers = headers | dict(self._bundle.headers)
        try:
            return await self._client().ws_connect(
                # A proxy that forwards requests knows http, not ws.
                url.with_scheme("https" if url.scheme == "wss" else "http"),
                headers=headers,
                proxy=self._proxy,
                compress=0,
                max_msg_size=self._max_frame,
                decode_text=False,
                timeout=aiohttp.ClientWSTimeout(ws_close=HANDSHAKE_S),  # pyright: ignore[reportCallIssue]
            )
        except (aiohttp.ClientError, OSError, ValueError) as e:
            raise self._translate(e) from None

    def _translate(self, error: Exception) -> TransportUnreachable | RetryableError:
        """Describe an error of aiohttp, whose own message may contain the whole URL with a password or a token."""
        match error:
            case aiohttp.ClientHttpProxyError():
                return self._refused_by_proxy(error.status)
            case aiohttp.ClientProxyConnectionError():
                failure = f"can't connect to the proxy {self._proxy_name()}: {error.os_error}"
                return RetryableError(TransportUnreachable(failure))
            case aiohttp.WSServerHandshakeError():
                if error.status == 407 and self._proxy:
                    return self._refused_by_proxy(error.status)
                failure = TransportUnreachable(
                    f"{self.display_name} answered the WebSocket handshake with HTTP {error.status}"
                )
                return RetryableError(failure, retry_after(error.headers)) if error.status in BUSY_STATUSES else failure
            case aiohttp.ClientConnectorCertificateError():
                return TransportUnreachable(
                    f"can't connect to {self.display_name}: its certificate is not trusted. For a private certificate "
                    "authority, set SSL_CERT_FILE to the authority's file before this server starts"
                )
            case aiohttp.ClientConnectorError():
                failure = TransportUnreachable(f"can't connect to {self.display_name}: {error.os_error}")
                is_permanent = isinstance(error, aiohttp.ClientConnectorDNSError | aiohttp.ClientSSLError)
                return failure if is_permanent else RetryableError(failure)
        failure = TransportUnreachable(f"can't connect to {self.display_name}: {type(error).__name__}")
        return RetryableError(failure) if isinstance(error, aiohttp.ServerConnectionError | OSError) else failure

    def _refused_by_proxy(self, status: int) -> TransportUnreachable:
        hint = ": it requires a user and a password in its URL" if status == 407 else ""
        return TransportUnreachable(
            f"the proxy {self._proxy_name()} refused to connect to {self.display_name} (HTTP {status}){hint}"
        )

    def _proxy_name(self) -> str:
        return str(self._proxy.origin()) if self._proxy else ""

    def _client(self) -> aiohttp.ClientSession:
        """Return the HTTP client of the running event loop. A test client runs each request in a loop of its own."""
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is not loop:
            if self._http is not None:
                self._http.detach()  # its event loop has ended, and its sockets with it
            tracing = aiohttp.TraceConfig()
            tracing.on_request_redirect.append(self._check_redirect)
            self._loop = loop
            self._http = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._timeout),
                trace_configs=[tracing],
            )
        return self._http

    async def _check_redirect(
        self, _: aiohttp.ClientSession, __: SimpleNamespace, redirect: aiohttp.TraceRequestRedirectParams
    ) -> None:
        """Refuse redirects to another host: the headers may contain a token for the host in the config only."""
        target = redirect.url.join(URL(redirect.response.headers.get("Location", "")))
        if (target.host, target.port) != (redirect.url.host, redirect.url.port):
            raise TransportUnreachable(f"{self.display_name} redirects to another host, {target.host}")


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, section 10.2.3), which has a number or a date."""
    value = (headers or {}).get("Retry-After", "").strip()
    if value.isascii() and value.isdecimal() and len(value) < 10:
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
