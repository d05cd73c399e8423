"""One websocket to the OpenEnv server: one session, one environment, one request in flight."""

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

from openenv_bridge import wire
from openenv_bridge.mask import Dropped, EpisodeFailed, Failure

GOODBYE_S = 5.0  # how long a server may take to tear an environment down before the socket is cut
CLOSE_S = 0.3  # for the server's half of a closing handshake: all of a shutdown has one second
LARGE = 64 * 1024  # bytes: a longer answer is read in a thread, so that other sessions don't wait for it
LOST = "the connection to the server was lost"
STRAY = "the server sent a frame that nobody asked for, so its answers can't be matched with requests any more"
RST = struct.pack("ii", 1, 0)  # SO_LINGER with no time: what wasn't sent is dropped


class Connection:
    """Reads all the time, not only when an answer is due: a server's pings must be answered while the model thinks
    (uvicorn drops a client that leaves one unanswered for 20 s), and a server that is full says so unasked.

    Answers have no ids: the n-th frame answers the n-th request. So a frame is an answer only while a request waits for
    one. Any other frame ends the session, because it may be a surplus one that shifts all answers; only a server's
    notice that there is no session may come unasked, before the reset is answered.

    ``on_closed`` is called once, when the server has let go of the session or can't be asked any more. ``on_stray`` is
    called with the reason if a frame came that nobody asked for.
    """

    def __init__(
        self,
        websocket: aiohttp.ClientWebSocketResponse[bool],
        on_closed: Callable[[], None],
        on_stray: Callable[[Failure], None] | None = None,
    ) -> None:
        self._socket = websocket
        self._on_closed = on_closed
        self._on_stray = on_stray
        self._answer: asyncio.Future[bytes] | None = None  # of the request in flight
        self._begun = False  # the first request, the reset, has its answer
        self._notice: Exception | None = None
        self._end: Failure | None = None  # why the socket is of no use any more
        self._goodbye: asyncio.Task[None] | None = None
        self._cut = False
        self.reader = asyncio.create_task(self._read())

    async def ask(self, frame: bytes) -> wire.Answer:
        """Send ``frame`` and wait for its answer, without a time limit: answers are told apart by their order only,
        so whoever gives up on one must leave.

        Raises wire.ErrorFrame, wire.ServerFull, or a Failure that ends the episode.
        """
        if not self._begun:
            await asyncio.sleep(0)  # the reader has its turn: what came with the handshake answers nothing
        if self._notice is not None:
            raise self._notice
        if self._end is not None:
            raise self._end
        answer = self._answer = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send_frame(frame, WSMsgType.TEXT)
        except (ConnectionError, aiohttp.ClientError):
            await asyncio.wait([self.reader])  # what it still finds says why the server left
        text = await answer
        try:
            return await off_loop(len(text), wire.parse, text)
        except wire.ServerFull as full:
            if self._begun:
                raise EpisodeFailed("the server answered a request in the middle of the episode with: full") from full
            raise
        finally:
            self._begun = True

    def leave(self) -> asyncio.Task[None] | None:
        """End the session. Returns what waits for the server to close it, or None if the socket is closed or cut: a
        server that is in the middle of a call wouldn't hear of a goodbye."""
        if self._answer is not None:
            self.cut()
        elif self._end is None and self._goodbye is None:
            self._goodbye = asyncio.create_task(self._say_goodbye())
        return self._goodbye

    def cut(self) -> None:
        """Close the socket without a handshake: a peer that doesn't read would keep it, and what is yet to be sent."""
        self._cut = True
        self.reader.cancel()

    async def closed(self) -> None:
        """Close the socket, whatever the server is doing, and wait until it is closed."""
        self._cut = self._cut or self._answer is not None
        self.reader.cancel()
        await asyncio.wait([self.reader])

    async def _say_goodbye(self) -> None:
        """The server closes the socket when it has torn the environment down, so that its slot is known to be free."""
        try:
            async with asyncio.timeout(GOODBYE_S):
                await self._socket.send_frame(wire.CLOSE, WSMsgType.TEXT)
                await asyncio.wait([self.reader])
        except (ConnectionError, TimeoutError, aiohttp.ClientError):
            self.cut()

    async def _read(self) -> None:
        try:
            while self._end is None:
                message = await self._socket.receive()
                if message.type is WSMsgType.TEXT:
                    self._take(message.data)
                else:
                    self._end = Dropped(_why(message))
        finally:
            self._end = self._end or Dropped("the session was closed")
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(self._end)
                self._answer.exception()  # seen, whether or not somebody still waits
            if self._cut:
                _abort(self._socket)
            try:
                async with asyncio.timeout(2 * CLOSE_S):
                    await self._socket.close()
            except TimeoutError:
                pass
            finally:
                self._on_closed()

    def _take(self, frame: bytes) -> None:
        if self._answer is not None:
            answer, self._answer = self._answer, None
            if not answer.done():
                answer.set_result(frame)
        elif not self._begun and (notice := wire.notice(frame)):
            self._notice = self._notice or notice
        elif self._goodbye is None or wire.is_answer(frame):
            self._end, self._cut = EpisodeFailed(STRAY), True
            if self._on_stray is not None:
                self._on_stray(self._end)


async def off_loop(size: int, work: Callable[..., Any], *args: Any) -> Any:
    """``work(*args)``, in a thread if it is on an answer of more than LARGE bytes."""
    return await asyncio.to_thread(work, *args) if size > LARGE else work(*args)


def _abort(websocket: aiohttp.ClientWebSocketResponse[bool]) -> None:
    """Reset the TCP connection, and drop what waits to be sent.

    A transport that is closed keeps its socket until its buffer is sent, so for as long as the peer doesn't read.
    aiohttp has no public way to abort it, and uvloop's socket object refuses to; a duplicate of the socket can.
    """
    transport = websocket.get_extra_info("socket")
    if transport is None:
        return  # closed already
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(transport.fileno())) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
        same.shutdown(socket.SHUT_RDWR)


def _why(message: Any) -> str:
    """Why a socket ended, from the message of aiohttp that said so."""
    if message.type is WSMsgType.CLOSE:
        words = f": {message.extra}" if message.extra else ""
        return f"the server closed the session (code {message.data}{words})"
    if message.type is WSMsgType.BINARY:
        return "the server sent a binary frame"
    if isinstance(message.data, aiohttp.WebSocketError):
        if message.data.code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG:
            return f"the server sent a frame of more than max_frame bytes: {message.data}"
        return f"the connection to the server broke: {message.data}"
    return LOST
