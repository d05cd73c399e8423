"""One websocket to the OpenEnv server: one session, one environment, one request in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
from aiohttp import WSMsgType

from openenv_bridge import wire
from openenv_bridge.mask import Dropped

GOODBYE_S = 5.0  # how long a server may take to tear an environment down before the socket is cut
LOST = "the connection to the server was lost"


class Connection:
    """Reads all the time, not only when an answer is due: a server's pings must be answered while the model thinks
    (uvicorn drops a client that leaves one unanswered for 20 s), and a server that is full says so unasked.

    ``on_closed`` is called once, when the server has let go of the session or can't be asked any more.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse[bool], on_closed: Callable[[], None]) -> None:
        self._socket = socket
        self._on_closed = on_closed
        self._answer: asyncio.Future[bytes] | None = None  # of the request in flight
        self._unasked: bytes | None = None
        self._end: str | None = None  # why the socket is of no use any more
        self._goodbye: asyncio.Task[None] | None = None
        self.reader = asyncio.create_task(self._read())

    async def ask(self, frame: bytes) -> wire.Answer:
        """Send ``frame`` and wait for its answer, without a limit of time: answers are told apart by their order only,
        so whoever gives up on one must leave.

        Raises wire.ErrorFrame, wire.ServerFull, or a Failure that ends the episode.
        """
        if self._unasked is None and self._end is None:
            answer = self._answer = asyncio.get_running_loop().create_future()
            try:
                await self._socket.send_frame(frame, WSMsgType.TEXT)
            except (ConnectionError, aiohttp.ClientError):
                await asyncio.wait([self.reader])  # what it still finds says why the server left
            return wire.parse(await answer)
        if self._unasked is not None:
            return wire.parse(self._unasked)
        raise Dropped(self._end or LOST)

    def leave(self) -> None:
        """End the session. A server that is in the middle of a call wouldn't hear of it: there the socket is cut."""
        if self._answer is not None:
            self.reader.cancel()
        elif self._end is None and self._goodbye is None:
            self._goodbye = asyncio.create_task(self._say_goodbye())

    async def closed(self) -> None:
        """Cut the socket, and wait until it is closed."""
        self.reader.cancel()
        await asyncio.wait([self.reader])

    async def _say_goodbye(self) -> None:
        """The server closes the socket when it has torn the environment down, so that its slot is known to be free."""
        try:
            async with asyncio.timeout(GOODBYE_S):
                await self._socket.send_frame(wire.CLOSE, WSMsgType.TEXT)
                await asyncio.wait([self.reader])
        except (ConnectionError, TimeoutError, aiohttp.ClientError):
            self.reader.cancel()

    async def _read(self) -> None:
        try:
            while True:
                message = await self._socket.receive()
                if message.type is not WSMsgType.TEXT:
                    self._end = _why(message)
                    break
                if self._answer is not None:
                    answer, self._answer = self._answer, None
                    if not answer.done():
                        answer.set_result(message.data)
                elif self._unasked is None:
                    self._unasked = message.data
        finally:
            self._end = self._end or "the session was closed"
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(Dropped(self._end))
                self._answer.exception()  # seen, whether or not somebody still waits
            try:
                await self._socket.close()
            finally:
                self._on_closed()


def _why(message: Any) -> str:
    """Why a socket ended, from the message of aiohttp that said so."""
    if message.type is WSMsgType.CLOSE:
        words = f": {message.extra}" if message.extra else ""
        return f"the server closed the session (code {message.data}{words})"
    if message.type is WSMsgType.BINARY:
        return "the server sent a binary frame"
    if isinstance(message.data, aiohttp.WebSocketError):
        if message.data.code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG:
            return "the server sent a frame of more than max_frame bytes"
        return f"the connection to the server broke: {message.data}"
    return LOST
