"""The WebSocket of one session. A session has one environment and one request in flight."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Callable
from typing import Any

import aiohttp
from aiohttp import WSMsgType

from openenv_bridge import messages, tasks
from openenv_bridge.mask import EpisodeFailed, Failure, PeerDropped

TEARDOWN_S = 5.0  # time for the server to tear the environment down before the socket is aborted
HANDSHAKE_S = 0.3  # time for the server's half of the closing handshake; a whole shutdown has one second
CONNECTION_LOST = "the connection to the server was lost"
UNEXPECTED_FRAME = "the server sent an unexpected frame, so its responses can no longer be matched with requests"
LINGER_NO_TIME = struct.pack("ii", 1, 0)  # SO_LINGER: discard unsent data and reset the connection


class Connection:
    """A connected session.

    It reads all the time, not only while a request waits. While the model thinks, the server's pings must be answered
    (uvicorn drops a client after 20 s). Also, a full server sends a notice without a request.

    Responses have no ids: the n-th frame answers the n-th request. A frame is a response only while a request waits for
    one. Any other frame ends the session: if it is an extra response, all later responses would be matched with the
    wrong requests. The exception is a notice that there is no session, which may arrive before the response to the
    reset.

    ``on_closed`` is called once, when the server has closed the session or can no longer be reached.
    ``on_unexpected_frame`` is called with the failure if an unexpected frame arrives.
    """

    def __init__(
        self,
        websocket: aiohttp.ClientWebSocketResponse[bool],
        on_closed: Callable[[], None],
        on_unexpected_frame: Callable[[Failure], None] | None = None,
    ) -> None:
        self._websocket = websocket
        self._on_closed = on_closed
        self._on_unexpected_frame = on_unexpected_frame
        self._response: asyncio.Future[bytes] | None = None  # of the request in flight
        self._was_reset = False  # the first request, the reset, has its response
        self._notice: Exception | None = None
        self._failure: Failure | None = None  # why the socket can no longer be used
        self._closing: asyncio.Task[None] | None = None
        self._aborted = False
        # Started at once: a frame that arrived with the handshake is read before the first request.
        self.reader = tasks.start(self._read())

    async def request(self, frame: bytes) -> messages.StepResult:
        """Send ``frame`` and wait for the response, without a time limit.

        A caller that stops waiting must close the connection, because responses are matched by order.
        Raises messages.ErrorFrame, messages.ServerFull, or a Failure that ends the episode.
        """
        if self._notice is not None:
            raise self._notice
        if self._failure is not None:
            raise self._failure
        response = self._response = asyncio.get_running_loop().create_future()
        try:
            await self._websocket.send_frame(frame, WSMsgType.TEXT)
        except (ConnectionError, aiohttp.ClientError):
            await asyncio.wait([self.reader])  # an unread frame may contain the reason
        raw = await response
        try:
            return await tasks.offload(len(raw), messages.parse, raw)
        except messages.ServerFull as full:
            if self._was_reset:
                raise EpisodeFailed("the server reported that it is full in the middle of the episode") from full
            raise
        finally:
            self._was_reset = True

    def close(self) -> asyncio.Task[None] | None:
        """End the session.

        Returns a task that waits for the server to close it. Returns None if there is nothing to wait for: a server
        that is processing a call would not read the close message, so the socket is aborted.
        """
        if self._response is not None:
            self.abort()
        elif self._failure is None and self._closing is None:
            self._closing = tasks.start(self._send_close())
        return self._closing

    def abort(self) -> None:
        """Close the socket without a closing handshake, which a peer that does not read would never complete."""
        self._aborted = True
        self.reader.cancel()

    async def wait_closed(self) -> None:
        """Close the socket, whatever the server is doing, and wait until it is closed."""
        self._aborted = self._aborted or self._response is not None
        self.reader.cancel()
        await asyncio.wait([self.reader])

    async def _send_close(self) -> None:
        """Send OpenEnv's close message. The server closes the socket once its session is free again."""
        deadline = asyncio.get_running_loop().call_later(TEARDOWN_S, self.abort)
        try:
            await self._websocket.send_frame(messages.CLOSE, WSMsgType.TEXT)
            await asyncio.wait([self.reader])
        except (ConnectionError, aiohttp.ClientError):
            self.abort()
        finally:
            deadline.cancel()

    async def _read(self) -> None:
        try:
            while self._failure is None:
                message = await self._websocket.receive()
                if message.type is WSMsgType.TEXT:
                    self._on_frame(message.data)
                else:
                    self._failure = PeerDropped(_close_reason(message))
        finally:
            self._failure = self._failure or PeerDropped("the session was closed")
            if self._response is not None and not self._response.done():
                self._response.set_exception(self._failure)
                self._response.exception()  # mark it as retrieved, in case nobody waits
            if self._aborted:
                _abort(self._websocket)
            try:
                if not self._websocket.closed:
                    async with asyncio.timeout(2 * HANDSHAKE_S):
                        await self._websocket.close()
            except TimeoutError:
                pass
            finally:
                self._on_closed()

    def _on_frame(self, frame: bytes) -> None:
        if self._response is not None:
            response, self._response = self._response, None
            if not response.done():
                response.set_result(frame)
        elif not self._was_reset and (notice := messages.parse_notice(frame)):
            self._notice = self._notice or notice
        elif self._closing is None or messages.is_response(frame):
            self._failure, self._aborted = EpisodeFailed(UNEXPECTED_FRAME), True
            if self._on_unexpected_frame is not None:
                self._on_unexpected_frame(self._failure)


def _abort(websocket: aiohttp.ClientWebSocketResponse[bool]) -> None:
    """Reset the TCP connection and discard unsent data.

    A closed transport keeps its socket until its buffer is sent. If the peer does not read, this never happens. aiohttp
    has no public call to abort it, and uvloop's socket object rejects SO_LINGER, so a duplicate of the socket is used.
    """
    transport_socket = websocket.get_extra_info("socket")
    if transport_socket is None:
        return  # already closed
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(transport_socket.fileno())) as duplicate:
        duplicate.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NO_TIME)
        duplicate.shutdown(socket.SHUT_RDWR)


def _close_reason(message: Any) -> str:
    """Describe why a socket ended, from aiohttp's last message."""
    if message.type is WSMsgType.CLOSE:
        reason = f": {message.extra}" if message.extra else ""
        return f"the server closed the session (code {message.data}{reason})"
    if message.type is WSMsgType.BINARY:
        return "the server sent a binary frame"
    if isinstance(message.data, aiohttp.WebSocketError):
        if message.data.code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG:
            return f"the server sent a frame of more than max_frame bytes: {message.data}"
        return f"the connection to the server broke: {message.data}"
    return CONNECTION_LOST
